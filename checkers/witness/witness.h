// A short schedule that shows a finding (README.md).
//
//   Path path = FindWitness(code, found, {.max_events = 100'000}, fragments);
#ifndef TILESIM_CHECKERS_WITNESS_WITNESS_H_
#define TILESIM_CHECKERS_WITNESS_WITNESS_H_

#include <cstdint>

#include "checkers/footprint/fragments.h"
#include "checkers/report/findings.h"
#include "checkers/run/move.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::witness {

struct WitnessOptions {
  int64_t cluster = 0;
  int64_t max_events = 0;  // replayed in all, about
};

// Empty: no schedule is known to show it.
run::Path FindWitness(const machine::Code& code, const report::Finding& found,
                      const WitnessOptions& options,
                      footprint::Fragments& fragments);

// Simple schedules, easiest to read first. Warps go as far as they get, or
// take turns; operations move only when no warp can, or as soon as they may;
// who goes first is who has the lowest number, or the highest.
struct Manner {
  bool turns = false;
  bool eager = false;
  bool backwards = false;
};
inline constexpr Manner kManners[] = {
    {},
    {.turns = true},
    {.eager = true},
    {.turns = true, .eager = true},
    {.backwards = true},
    {.turns = true, .backwards = true},
    {.eager = true, .backwards = true},
};

// Empty: longer than `max_moves`.
run::Path SimpleSchedule(const machine::Code& code, int64_t cluster,
                         Manner manner, int64_t max_moves);

}  // namespace tilesim::checkers::witness

#endif  // TILESIM_CHECKERS_WITNESS_WITNESS_H_
