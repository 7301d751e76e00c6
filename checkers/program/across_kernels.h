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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checkers/program/check.h"
#include "checkers/program/global_uses.h"
#include "checkers/program/grid_order.h"
#include "checkers/program/inputs.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::program {

class AcrossKernels : public Check {
 public:
  AcrossKernels(const ir::Program& program, footprint::Fragments& fragments);

  std::span<const ir::Code> codes() const override;
  void OnCluster(const ClusterRun& run, Conclusions out) override;
  std::vector<KernelRun> Wanted() const override;
  void OnProgramEnd(Conclusions out) override;

 private:
  struct Uses {
    UseText text;
    std::vector<std::pair<size_t, footprint::IntervalSet>> bytes;  // by run
  };
  struct Kernel {
    std::map<GlobalUse, Uses> uses;
    bool every_schedule = true;  // its runs stand for all
    // Ops by which it may be told what others have done: an order.
    std::set<int32_t> listeners;
  };
  // A use by kernel `kernel`.
  struct Side {
    size_t kernel;
    const GlobalUse& use;
    const Uses& uses;
  };

  using Sink = std::function<void(const Side& earlier, const Side& later)>;

  void Add(const ClusterRun& cluster, const JudgedRun& judged);
  bool Agree(const KernelRun& a, const machine::Inputs& of_a,
             const KernelRun& b, const machine::Inputs& of_b) const;
  void ForConflicts(const Sink& sink) const;
  bool Ordered(const Side& a, const Side& b, bool surely) const;
  bool MayMeet(const Side& a, const Side& b) const;
  bool MayBeTold(const Side& side) const;
  const KernelRun* Meet(const Side& a, const Side& b) const;
  void Want(size_t kernel, const Uses& other,
            std::vector<KernelRun>& out) const;
  std::string NotShown(const Side& a, const Side& b) const;
  report::Finding* Report(const Side& a, const Side& b, const KernelRun& seen,
                          report::Findings& findings) const;
  ir::Diagnostic Describe(const Side& a, const Side& b) const;
  std::string Help(const Side& a, const Side& b) const;
  std::string NameOf(size_t kernel) const;

  const ir::Program& program_;
  footprint::Fragments& fragments_;
  GridOrder order_;
  std::set<std::string> shared_;  // globals that several kernels name
  std::vector<Kernel> kernels_;
  std::vector<KernelRun> runs_;
  std::map<std::string, machine::Inputs> inputs_;  // by their text
  std::vector<const machine::Inputs*> of_runs_;    // of the grid of each run
  TriedInputs tried_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_ACROSS_KERNELS_H_
