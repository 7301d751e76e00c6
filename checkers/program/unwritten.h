// uninit/global: a tensor that is undefined at first is read where nobody has
// written it: not the cluster that reads, before that, no other cluster of the
// grid that is not surely later, and no kernel before. Looked at in grids of
// which every cluster was run, at sizes at which the kernels before were run as
// well.
#ifndef TILESIM_CHECKERS_PROGRAM_UNWRITTEN_H_
#define TILESIM_CHECKERS_PROGRAM_UNWRITTEN_H_

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checkers/footprint/fragments.h"
#include "checkers/footprint/interval_set.h"
#include "checkers/program/check.h"
#include "checkers/program/cluster_order.h"
#include "checkers/program/inputs.h"
#include "ir/atomic.h"

namespace tilesim::checkers::program {

class Unwritten : public Check {
 public:
  Unwritten(const ir::Program& program, footprint::Fragments& fragments)
      : program_(program), fragments_(fragments) {}

  std::span<const ir::Code> codes() const override;
  void OnCluster(const ClusterRun& run, Conclusions out) override;
  std::vector<KernelRun> Wanted() const override;
  void OnProgramEnd(Conclusions out) override;

 private:
  using Drew = std::optional<std::pair<run::GlobalWord, int64_t>>;  // a number
  // What orders an access with those of other clusters.
  struct Access {
    PlaceInOrder place;
    ir::Atomic atomic = ir::Atomic::kNot;
  };
  struct Read {
    std::set<int64_t> clusters;  // whose
    Drew drew;
    std::string who;
    std::string_view mnemonic;
    ir::Span span;
    Access access;
    footprint::IntervalSet bytes;  // that these have not written before
    // By who finds words to be what others have left while they held a lock.
    bool after_others = false;
  };
  struct Write {
    Access access;
    footprint::IntervalSet bytes;
  };
  using Writes = std::vector<Write>;
  struct Written {
    std::set<int64_t> clusters;
    bool whole_grid = false;
    Drew drew;
    footprint::IntervalSet bytes;  // in every schedule of the run
    Writes in_some;                // schedule
    bool first = false;            // who finds words as they were at first
  };
  using Bytes = std::map<std::string, footprint::IntervalSet>;  // by tensor
  // A kernel, sizes, SMs of the GPU, inputs.
  using Key = std::tuple<size_t, ir::Overrides, int64_t, std::string>;
  struct Grid {
    machine::Inputs inputs;
    int64_t clusters = 0;
    std::set<int64_t> run;
    bool known = true;                               // what each of them writes
    std::map<std::string, std::vector<Read>> reads;  // by tensor
    std::map<std::string, std::vector<Written>> writes;
    // Of these what no cluster has read before it wrote it, unwritten by
    // itself.
    std::map<std::string, std::vector<Written>> begun;
    ClusterOrder order;
    // Whose runs that order has: each once, as flags are that are set once.
    std::set<std::pair<std::vector<int64_t>, int64_t>> ordered;
  };
  // What one run writes, and what of that it has not read before.
  struct RunWrites {
    Bytes own, begun;
    std::map<std::string, Writes> accesses;
  };
  // What a run reads goes to `grid`.
  RunWrites Add(const run::Log& log, const std::set<int64_t>& clusters,
                const ReleaseAcquire& words, Grid& grid);
  // What of a cluster's writes does not come before another's read.
  struct NotBefore {
    footprint::IntervalSet surely, perhaps;
  };
  static NotBefore NotBeforeRead(const Grid& grid, const Read& read,
                                 const Written& written);
  using OwnWrites = std::map<int64_t, std::optional<footprint::IntervalSet>>;
  static void AddOwn(const std::vector<Written>& all, OwnWrites& alone);
  // What a grid has written whichever numbers its CTAs draw and whichever
  // clusters cluster launch control hands out, but for what these write.
  static footprint::IntervalSet WrittenBy(const std::vector<Written>& all,
                                          const std::set<int64_t>& but_for,
                                          const Drew& drawn_by_these);
  // What the rest of its grid has begun to write when a cluster reads;
  // `surely`: whichever of a flag's sets was seen.
  static footprint::IntervalSet BegunBefore(const Grid& grid, const Read& read,
                                            const std::vector<Written>& begun,
                                            bool surely);
  // What others have written by then whoever of them held the lock first.
  static footprint::IntervalSet WrittenByFirst(const Grid& grid,
                                               const Read& read,
                                               const std::vector<Written>& all);
  // Grids of kernel `k` that may have been launched before that of `key`.
  // Absent: it was run with other values of inputs only.
  std::optional<std::vector<const Grid*>> Earlier(size_t k, const Key& key,
                                                  const Grid& grid) const;
  static bool Complete(const Grid& grid);
  // Whether kernel `k` was run whole at the sizes of `key`.
  bool WasRun(size_t k, const Key& key) const;
  bool TakeEarlier(const Key& key, const Grid& grid, const std::string& tensor,
                   footprint::IntervalSet& bytes, Conclusions out) const;
  // Kernels that read what a kernel before them writes, at the sizes at which
  // all of that was run, and likewise the other way round.
  void WantReaders(const Key& key, std::vector<KernelRun>& out) const;
  void WantWriters(const Key& key, const Grid& grid,
                   std::vector<KernelRun>& out) const;
  void Want(size_t k, const Key& key, std::vector<KernelRun>& out) const;
  bool Reads(size_t k, const std::string& tensor) const;
  // Of tensors that are read where no grid was run whole.
  void TellWhatIsOpen(Conclusions out) const;
  void Judge(const Key& key, const Grid& grid, const std::string& tensor,
             const Read& read, Conclusions out) const;

  const ir::Program& program_;
  footprint::Fragments& fragments_;
  std::map<Key, Grid> grids_;
  TriedInputs tried_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_UNWRITTEN_H_
