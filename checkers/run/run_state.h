// Where a canonical run is.
#ifndef TILESIM_CHECKERS_RUN_RUN_STATE_H_
#define TILESIM_CHECKERS_RUN_RUN_STATE_H_

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "checkers/run/awaited.h"
#include "checkers/run/iterations.h"
#include "checkers/run/pace.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

// All that changes as a run goes on, but for what is added to its log.
struct RunState {
  struct Flight {
    int32_t slot;
    int32_t id;
  };

  machine::State state;
  Awaited awaited;
  std::map<uint64_t, Flight> in_flight;  // by issue order
  // By CTA, first warp and op.
  absl::flat_hash_map<std::tuple<int32_t, int32_t, int32_t>, int64_t> executed;
  Pace pace;  // while it is observed
  Iterations iterations;
  // Where threads have been since they last did anything but poll.
  std::map<std::pair<int32_t, int32_t>, std::set<size_t>> polled;
  std::set<int32_t> faulted;
  size_t requests = 0;  // of cluster launch control, answered or about to be
  int idle = 0;
  bool cut = false;
  bool recurs = false;  // all that can happen has happened before

  // Of the log, when it was saved.
  size_t events = 0, operations = 0;
  int64_t trips = 0;
  std::vector<std::string> undetermined;

  void Locate(int32_t cta, Event& event) const {
    event.cta = cta;
    event.cluster = cta - state.ctas[cta].rank;
  }
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_RUN_STATE_H_
