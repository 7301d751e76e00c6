// What runs of a kernel's clusters show of the order in which the threads of a
// cluster touch global memory (grid/unordered.h), wherever they touch it.
//
//   SiteOrder order;
//   order.Watch(meetings);              // pairs of sites that may touch one
//   place order.Add(runs, sizes, fragments);  // of each cluster that is judged
//   order.UnorderedIn(for_larger);
//
// It holds at the sizes that those runs stand for as well: larger ones have the
// same order with more iterations in it, and what comes after an execution
// comes after those before it (../sizes/README.md, Order).
#ifndef TILESIM_CHECKERS_PIPELINE_SITE_ORDER_H_
#define TILESIM_CHECKERS_PIPELINE_SITE_ORDER_H_

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "checkers/footprint/fragments.h"
#include "checkers/grid/meetings.h"
#include "checkers/grid/unordered.h"
#include "checkers/program/check.h"
#include "ir/bind.h"

namespace tilesim::checkers::pipeline {

class SiteOrder {
 public:
  void Watch(const std::vector<grid::Meeting>& meetings);
  void Add(const std::vector<program::JudgedRun>& runs,
           const ir::Overrides& sizes, footprint::Fragments& fragments);

  bool watches() const { return !in_step_.empty(); }
  // What holds at all sizes, if those that were not run have runs at sizes of
  // `for_larger` to stand for them.
  grid::Unordered UnorderedIn(const std::set<ir::Overrides>& for_larger) const;

 private:
  class Reader;

  // Of executions of a relation: how many others lie between, of those that are
  // in no order.
  struct Seen {
    bool share = false;
    int64_t unordered = 0;
    bool to_the_end = false;  // a run has none further apart
  };
  using Relations = std::map<grid::Relation, Seen>;

  std::map<grid::SitePair, bool> in_step_;  // that are watched
  std::map<grid::Site, std::set<grid::Site>> partners_;
  // By sizes that were run.
  std::map<ir::Overrides, std::map<grid::SitePair, Relations>> seen_;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_SITE_ORDER_H_
