// Races on global memory between clusters. Nothing orders clusters of a grid
// but flags in memory; those that have any are run side by side instead, or not
// judged. So bytes that two of them touch, one writing, are a race.
#ifndef TILESIM_CHECKERS_CHECKS_ACROSS_CLUSTERS_H_
#define TILESIM_CHECKERS_CHECKS_ACROSS_CLUSTERS_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "checkers/checks/findings.h"
#include "checkers/footprint/footprint.h"

namespace tilesim::checkers {

class AcrossClusters {
 public:
  explicit AcrossClusters(Fragments& fragments) : fragments_(fragments) {}

  // The run of one more cluster; all of the same code. `work`: the clusters
  // whose work it does, its own first. Of two runs that do the same work only
  // one can be.
  void Add(const Log& log, const std::vector<int64_t>& work,
           Findings& findings);

 private:
  // What an operand of an op touches in one cluster.
  struct Use {
    std::vector<int64_t> work;
    bool write = false;
    bool atomic = false;
    std::string name, who;
    std::string_view mnemonic;
    ir::Span span;
    IntervalSet bytes;
  };
  using Key = std::tuple<int32_t, int32_t, int, bool>;  // decl, op, operand

  std::map<Key, Use> UsesOf(const Log& log, const std::vector<int64_t>& work);
  static void Report(const Use& a, const Use& b, Findings& findings);

  Fragments& fragments_;
  std::map<int32_t, std::vector<Use>> seen_;  // by declaration
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_ACROSS_CLUSTERS_H_
