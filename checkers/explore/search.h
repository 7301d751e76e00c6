// Every schedule of one cluster, as far as a bound on states allows.
//
//   Exploration e = Explore(code, {.cluster = 0});
//   if (e.complete && e.findings.all().empty()) ...   // nothing can go wrong
//
// Depth first, each state once. With `reduce`, moves that nobody else can
// notice are made at once instead of in every order (Explorer::InvisibleMove);
// without, it is the oracle that the reduction is tested against.
#ifndef TILESIM_CHECKERS_EXPLORE_SEARCH_H_
#define TILESIM_CHECKERS_EXPLORE_SEARCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "checkers/explore/search_state.h"
#include "checkers/report/findings.h"
#include "checkers/run/doing.h"
#include "checkers/run/environment.h"
#include "checkers/run/move.h"

namespace tilesim::checkers::explore {

struct ExploreOptions {
  int64_t cluster = 0;   // which of the grid
  int64_t clusters = 1;  // that one and so many in all, side by side
  const run::Environment* environment = nullptr;  // null: as it happens
  int64_t max_states = 200'000;
  bool reduce = true;
  // Having read its sources is a move of an operation of its own even where
  // nothing in the program can tell.
  bool both_milestones = false;
  // Once something was found, the search goes on for this many times what it
  // took, for what else there is.
  int64_t after_finding = 4;
  run::Doing doing{};
};

struct Exploration {
  // Everything was seen. False: `why` says what stopped the search.
  bool complete = false;
  std::string why;
  int64_t states = 0;
  // What goes wrong in some schedule, each with one that gets there.
  report::Findings findings;
  bool finishes = false;  // some schedule gets to the end of every thread
  bool sticks = false;    // some schedule ends in a deadlock
  bool faults = false;    // some schedule does what no program may do
  // One schedule to the end for each different assignment of waits and
  // contributions to phases: all the orders that events can have.
  std::vector<run::Path> ends;
  std::vector<Deviation> deviations;

  // Whether every schedule ends with what this describes.
  bool EverySchedule(const ir::Diagnostic& d) const;
};

Exploration Explore(const machine::Code& code, const ExploreOptions& options);

}  // namespace tilesim::checkers::explore

#endif  // TILESIM_CHECKERS_EXPLORE_SEARCH_H_
