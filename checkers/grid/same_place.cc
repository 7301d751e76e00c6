#include "checkers/grid/same_place.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace tilesim::checkers::grid {
namespace {

// Goes back from the place to what it is made of.
class PlaceReader {
 public:
  PlaceReader(const Accesses& accesses, const Access& access)
      : accesses_(accesses) {
    for (const Linear& l : accesses.cta) Known(l);
    for (const HandedOut& h : accesses.handed_out) {
      Known(h.valid);
      for (const Linear& l : h.cta) Known(l);
    }
    for (const Access::Iteration& i : access.iterations) {
      Known(i.number);
      if (i.counts) loops_.emplace(*i.counter.variable(), &i);
    }
  }

  Together Of(const std::vector<Linear>& place) {
    for (const Linear& l : place) Visit(l);
    return same_;
  }

 private:
  void Known(const Linear& l) {
    if (auto v = l.variable()) known_.insert(*v);
  }

  void Visit(const Linear& l) {
    for (const auto& [v, c] : l.terms()) Visit(v);
  }

  void Visit(Var v) {
    const Linear of = Linear::Of(v);
    const Term& term = accesses_.terms[v];
    if (term.of_launch || known_.contains(v) || !seen_.insert(v).second) return;
    if (of == accesses_.warpgroup) return AtMost(Together::kWarpsOfGroup);
    if (of == accesses_.warp) return AtMost(Together::kNoOthers);
    for (const Linear& l : term.arguments) Visit(l);
    auto loop = loops_.find(v);
    if (loop != loops_.end()) {
      // begin + step * number
      Visit(loop->second->low);
      Visit(loop->second->step);
    } else if (term.arguments.empty()) {
      AtMost(Together::kNoOthers);  // it may be anything
    }
  }

  void AtMost(Together same) { same_ = std::max(same_, same); }

  const Accesses& accesses_;
  std::set<Var> known_, seen_;
  std::map<Var, const Access::Iteration*> loops_;  // around it, by counter
  Together same_ = Together::kAllWarps;
};

}  // namespace

Together WhoMakes(const Accesses& accesses, const Access& access) {
  return std::max(PlaceReader(accesses, access).Of(access.start), access.parts);
}

}  // namespace tilesim::checkers::grid
