// Which kernels of a file are over when a later one touches memory.
//
//   a   -----------|
//   b      ......wait-------|      programmatic: may begin while `a` runs
//   c        ...........wait---|   its wait is for `b`, which waited for `a`
//
// A kernel begins when all before it are over; a programmatic one at any time
// after the one before it has begun. griddepcontrol.wait blocks until that one
// ("all direct grid dependencies", cuda_device_runtime_api.h of CUDA 13.0) is
// over and its memory operations are visible to the grid (PTX 9.7.13.13): to
// the thread that waits, and to whoever comes after it. Those before that one
// are over as well if it could not end without them. launch_dependents lets the
// next kernel begin and "provides no memory visibility guarantee itself" (same
// header); neither does a CTA's end, which stands for it where it is missing.
#ifndef TILESIM_CHECKERS_PROGRAM_GRID_ORDER_H_
#define TILESIM_CHECKERS_PROGRAM_GRID_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checkers/run/log.h"
#include "ir/program.h"

namespace tilesim::checkers::program {

// Whether it is an op with such an effect.
bool Does(const run::Event& e, ir::EffectKind kind);

// By CTA of the run, its first event with such an effect; kNever: none.
inline constexpr int32_t kNever = INT32_MAX;
std::vector<int32_t> FirstOf(const run::Log& log, ir::EffectKind kind);

class GridOrder {
 public:
  explicit GridOrder(const ir::Program& program);

  // One more run of a cluster of the kernel.
  void Add(size_t kernel, const run::Log& log);

  // Whether some kernel may begin before those above it are over.
  bool MayOverlap() const;
  // Whether kernel `i` is over when `j`, a later one, begins.
  bool OverAtStart(size_t i, size_t j) const;
  // ... when a thread of `j` has waited. `surely`: whatever the sizes and the
  // schedule; else perhaps.
  bool OverAfterWait(size_t i, size_t j, bool surely) const;
  // Whether a thread of the kernel waits in some run.
  bool EverWaits(size_t kernel) const { return kernels_[kernel].ever_waits; }
  // Whether there are runs in which no kernel between the two holds `j` back
  // until it has waited itself.
  bool NoneHoldsBack(size_t i, size_t j) const;

 private:
  struct Facts {
    bool programmatic = false;
    bool always_waits = true;  // in every cluster
    bool ever_waits = false;
    bool holds_back = false;  // some CTA waits before it triggers
  };
  bool OverAtEnd(size_t i, size_t j, bool surely) const;

  std::vector<Facts> kernels_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_GRID_ORDER_H_
