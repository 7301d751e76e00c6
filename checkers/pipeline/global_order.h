// What runs of a kernel show of the order of what it does to global memory: the
// part of words in it, and that of what orders threads of one cluster.
#ifndef TILESIM_CHECKERS_PIPELINE_GLOBAL_ORDER_H_
#define TILESIM_CHECKERS_PIPELINE_GLOBAL_ORDER_H_

#include <cstdint>
#include <vector>

#include "checkers/pipeline/site_order.h"
#include "checkers/pipeline/word_order.h"
#include "checkers/plan/instance.h"

namespace tilesim::checkers::pipeline {

struct GlobalOrder {
  WordOrder words;
  SiteOrder sites;

  // Of each cluster of an instance that is judged, or CTA by itself: runs that
  // stand for its schedules.
  void Add(const std::vector<program::JudgedRun>& runs,
           const plan::Instance& instance, footprint::Fragments& fragments) {
    words.Add(runs, fragments);
    sites.Add(runs, instance.sizes, fragments);
  }
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_GLOBAL_ORDER_H_
