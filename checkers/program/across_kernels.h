// Races on global memory between kernels that may run at the same time
// (programmatic dependent launch). Tensors of one name are the same memory.
//
// Which tensors a kernel touches, and which of them before griddepcontrol.wait,
// is the same in all sizes that a run stands for: what happens more often in a
// larger one, an agent does later than before, and it forgets nothing. So an
// order is shown by names alone. A race is told where runs of the same sizes
// touch the same bytes; what is neither is left open.
#ifndef TILESIM_CHECKERS_PROGRAM_ACROSS_KERNELS_H_
#define TILESIM_CHECKERS_PROGRAM_ACROSS_KERNELS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/program/global_uses.h"
#include "checkers/program/grid_order.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::program {

// What a log is a run of.
struct KernelRun {
  size_t kernel = 0;     // of the program
  ir::Overrides sizes;   // every parameter, and the constants given
  std::string inputs;    // that decide control; "": none do
  int64_t sm_count = 0;  // of the GPU
};

// A finding, and the run of the later kernel that has it.
struct KernelRace {
  ir::Diagnostic diagnostic;
  KernelRun seen;
  bool every_schedule = false;
  int64_t times = 1;
};

class AcrossKernels {
 public:
  AcrossKernels(const ir::Program& program, footprint::Fragments& fragments);

  // One more cluster. `order`: what all schedules have that have the accesses
  // of the log; absent: no more than program order.
  void Add(const KernelRun& run, const run::Log& log,
           std::optional<order::Order::Kind> order);
  // Control of the kernel depends on what others write: that may be an order.
  void Listens(size_t kernel) { kernels_[kernel].listens = true; }

  // What should be added to see whether two kernels meet: one of them at sizes
  // that only the other was run at.
  std::vector<KernelRun> Wanted() const;
  // Between all that was added. Adds to `open` what is neither ordered nor a
  // race.
  std::vector<KernelRace> Races(std::vector<std::string>& open) const;
  // Adds to `open` which kernels may wait for each other's tensor memory.
  void TensorMemory(std::vector<std::string>& open) const;

 private:
  struct Uses {
    UseText text;
    std::vector<std::pair<size_t, footprint::IntervalSet>> bytes;  // by run
  };
  struct Kernel {
    std::map<GlobalUse, Uses> uses;
    bool every_schedule = true;  // its runs stand for all
    bool listens = false;
    bool allocates_when_triggered = false;
    bool allocates_before_wait = false;
  };
  // A use by kernel `kernel`.
  struct Side {
    size_t kernel;
    const GlobalUse& use;
    const Uses& uses;
  };

  using Sink = std::function<void(const Side& earlier, const Side& later)>;

  void ForConflicts(const Sink& sink) const;
  bool Ordered(const Side& a, const Side& b, bool surely) const;
  bool MayMeet(const Side& a, const Side& b) const;
  const KernelRun* Meet(const Side& a, const Side& b) const;
  void Want(size_t kernel, const Uses& other,
            std::vector<KernelRun>& out) const;
  void NotShown(const Side& a, const Side& b,
                std::vector<std::string>& open) const;
  ir::Diagnostic Describe(const Side& a, const Side& b) const;
  std::string Help(const Side& a, const Side& b) const;
  std::string NameOf(size_t kernel) const;

  const ir::Program& program_;
  footprint::Fragments& fragments_;
  GridOrder order_;
  std::set<std::string> shared_;  // globals that several kernels name
  std::vector<Kernel> kernels_;
  std::vector<KernelRun> runs_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_ACROSS_KERNELS_H_
