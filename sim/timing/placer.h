// Which SM runs which CTA: capacity by shared memory, threads, registers and
// tensor memory; clusters stay inside a GPC.
#ifndef TILESIM_SIM_TIMING_PLACER_H_
#define TILESIM_SIM_TIMING_PLACER_H_

#include <optional>
#include <vector>

#include "ir/bind.h"
#include "sim/arch/arch.h"

namespace tilesim::timing {

class Placer {
 public:
  explicit Placer(const arch::Arch& arch);

  // SMs for the CTAs of one cluster, emptiest first, or nothing if there is
  // no room now. The capacity is taken.
  std::optional<std::vector<int>> Place(const ir::BoundKernel& kernel);
  // A CTA of this kernel has left the SM.
  void Release(const ir::BoundKernel& kernel, int sm);
  // Whether one CTA fits on an empty SM at all.
  bool FitsAlone(const ir::BoundKernel& kernel) const;

  int sms() const { return static_cast<int>(free_.size()); }

 private:
  struct Room {
    double shared, threads, registers, ctas, columns;
  };
  Room NeedOf(const ir::BoundKernel& kernel) const;
  static bool Fits(const Room& room, const Room& need);
  bool PlaceInGpc(size_t gpc, const Room& need, int64_t size,
                  std::vector<int>& out);

  const arch::Arch& arch_;
  Room empty_;
  std::vector<Room> free_;
  std::vector<std::vector<int>> gpcs_;  // SMs of each
  size_t next_gpc_ = 0;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_PLACER_H_
