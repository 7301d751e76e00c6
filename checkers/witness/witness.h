// A short schedule that shows a finding (README.md).
//
//   SimpleSchedules simple(code, cluster);
//   Path path = FindWitness(code, found, 100'000, simple, fragments);
#ifndef TILESIM_CHECKERS_WITNESS_WITNESS_H_
#define TILESIM_CHECKERS_WITNESS_WITNESS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "checkers/footprint/fragments.h"
#include "checkers/report/findings.h"
#include "checkers/run/move.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::witness {

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

// What may be spent on a simple schedule.
struct ScheduleBounds {
  int64_t moves = 20'000;
  // Moves that were possible, in all: each is considered before one is made.
  int64_t choices = 2'000'000;
};

// Empty: it takes more than the bounds.
run::Path SimpleSchedule(const machine::Code& code, int64_t cluster,
                         Manner manner, const ScheduleBounds& bounds = {});

// Those of one cluster, each made when it is first asked for: they are the same
// for every finding.
class SimpleSchedules {
 public:
  // `code` must outlive it.
  SimpleSchedules(const machine::Code& code, int64_t cluster);

  int64_t cluster() const { return cluster_; }
  // By index into kManners.
  const run::Path& Of(size_t manner);

 private:
  const machine::Code& code_;
  int64_t cluster_;
  std::array<std::optional<run::Path>, std::size(kManners)> made_;
};

// Empty: no schedule is known to show it. `max_events`: replayed in all, about.
run::Path FindWitness(const machine::Code& code, const report::Finding& found,
                      int64_t max_events, SimpleSchedules& simple,
                      footprint::Fragments& fragments);

}  // namespace tilesim::checkers::witness

#endif  // TILESIM_CHECKERS_WITNESS_WITNESS_H_
