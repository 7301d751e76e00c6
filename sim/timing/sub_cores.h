// A pipe of each of the four sub-cores of an SM. A warp has that of its number.
#ifndef TILESIM_SIM_TIMING_SUB_CORES_H_
#define TILESIM_SIM_TIMING_SUB_CORES_H_

#include <array>
#include <cstdint>

#include "sim/timing/warp_pipe.h"

namespace tilesim::timing {

class SubCores {
 public:
  // What an op needs of the pipes. Copies are of the same work.
  class Work {
   public:
    Work() = default;
    Work(const Work& other);
    Work& operator=(const Work& other);
    ~Work() { Release(); }

    bool some() const { return count_ > 0; }
    // When all of it is done, as far as is known: later, if others ask before.
    double Finish() const;
    // How much later that is than it was foreseen.
    double Late() const { return some() ? Finish() - foreseen_ : 0; }

   private:
    friend class SubCores;
    void Release();

    SubCores* of_ = nullptr;
    int32_t count_ = 0;
    struct Part {
      int32_t sub_core, request;
    };
    std::array<Part, 4> parts_;
    double foreseen_ = 0;
  };

  // Work of `time` cycles, were it shared by all four, of `warps` warps from
  // `first` on, of the CTA in `slot`.
  Work Ask(double now, double time, int first, int warps, int slot,
           WarpPipe::By by);
  double busy() const { return busy_; }

 private:
  static constexpr int kSubCores = 4;
  // As long as whole warpgroups asked, the first stands for all.
  bool alike_ = true;
  std::array<WarpPipe, kSubCores> pipes_;
  double busy_ = 0;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_SUB_CORES_H_
