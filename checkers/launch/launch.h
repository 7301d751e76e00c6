// Every CTA of one launch: who touches which elements of which global tensor,
// whether two clusters are in each other's way, and which elements of a result
// nobody stores. Cluster launch control is taken to refuse all that it is asked
// for; then `limit` says so, and `written` is what is stored so.
//
//   Launch all = LookAt(code, words);
//   if (all.limit.empty() && all.meetings.empty()) ...   // no two clusters
//   meet
#ifndef TILESIM_CHECKERS_LAUNCH_LAUNCH_H_
#define TILESIM_CHECKERS_LAUNCH_LAUNCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkers/grid/words.h"
#include "sim/machine/code.h"
#include "sim/machine/data/coverage.h"

namespace tilesim::checkers::launch {

// Two accesses to the same element by clusters that no word puts in order.
struct Meeting {
  const ir::Op* first = nullptr;
  const ir::Op* second = nullptr;
  int32_t decl = -1;
  int64_t first_cluster = 0, second_cluster = 0;
  bool may = false;  // memory decides whether both are made
};

// A tensor that `computes` names.
struct Written {
  machine::TargetCoverage stores;  // none of `twice`: that is a meeting
  std::string limit;       // why it is not known what is stored; "": it is
  bool by_memory = false;  // as values in memory decide it
};

struct Launch {
  std::string limit;  // why some accesses are not known; "": all are
  std::vector<Meeting> meetings;  // one for each two ops
  std::optional<int64_t> fault;   // a cluster in which a scalar has no value
  std::vector<Written> written;   // those that the kernel stores to
};

// Bounds of what is checked, so that a verdict does not depend on the
// machine.
struct Effort {
  int64_t steps = 60'000'000;        // instructions
  int64_t boxes = 2'000'000;         // that CTAs touch
  int64_t comparisons = 60'000'000;  // of boxes
};

Launch LookAt(const machine::Code& code, const grid::Words& words,
              const Effort& effort = {});

}  // namespace tilesim::checkers::launch

#endif  // TILESIM_CHECKERS_LAUNCH_LAUNCH_H_
