// What runs of a kernel's clusters show of the order in which the threads of a
// cluster touch global memory (grid/unordered.h), wherever they touch it.
//
//   SiteOrder order;
//   order.Watch(meetings);          // pairs of sites that may touch one place
//   order.Add(runs, fragments);     // of each cluster that is judged
//   order.unordered();
//
// It holds at the sizes that those runs stand for as well: larger ones have the
// same order with more iterations in it, and what comes after an execution
// comes after those before it (../sizes/README.md, Order).
#ifndef TILESIM_CHECKERS_PIPELINE_SITE_ORDER_H_
#define TILESIM_CHECKERS_PIPELINE_SITE_ORDER_H_

#include <map>
#include <set>
#include <vector>

#include "checkers/footprint/fragments.h"
#include "checkers/grid/meetings.h"
#include "checkers/grid/unordered.h"
#include "checkers/program/check.h"

namespace tilesim::checkers::pipeline {

class SiteOrder {
 public:
  void Watch(const std::vector<grid::Meeting>& meetings);
  void Add(const std::vector<program::JudgedRun>& runs,
           footprint::Fragments& fragments);

  bool watches() const { return !in_step_.empty(); }
  const grid::Unordered& unordered() const { return unordered_; }

 private:
  class Reader;

  std::map<grid::SitePair, bool> in_step_;  // that are watched
  std::map<grid::Site, std::set<grid::Site>> partners_;
  grid::Unordered unordered_;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_SITE_ORDER_H_
