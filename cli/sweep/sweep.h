// A sweep as plain data: what was asked, and what became of each point. What is
// printed follows from it alone, so that shards put together say what one run
// says.
#ifndef TILESIM_CLI_SWEEP_SWEEP_H_
#define TILESIM_CLI_SWEEP_SWEEP_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep/grid.h"
#include "cli/sweep/point.h"
#include "cli/sweep/search.h"
#include "ir/bind.h"

namespace tilesim::cli {

enum class Metric : uint8_t { kTime, kCycles, kTflops };
inline constexpr std::array<std::string_view, 3> kMetrics = {"time", "cycles",
                                                             "tflops"};
inline std::string_view Name(Metric metric) {
  return kMetrics[static_cast<size_t>(metric)];
}

// A point on the GPU of this machine.
struct MeasuredPoint {
  int64_t number = 0;
  double time_us = 0;   // median; 0: it failed
  std::string problem;  // why it failed, or what its values are not
};

struct Measured {
  std::string missing;  // what this machine lacks; then there are no points
  std::string device;   // empty: no launch ended
  std::vector<MeasuredPoint> points;
};

struct Sweep {
  std::string file;
  std::string program;  // the first kernel
  std::string arch;
  std::string fingerprint;  // of the text, what it includes, and the arch
  Metric metric = Metric::kTime;
  double tie_percent = 1;
  bool checked = false;  // --check
  bool valued = false;   // --values
  int64_t max_cycles = 0;
  std::vector<Axis> axes;
  ir::Overrides own;  // what the text says of the axes
  std::optional<Shard> shard;
  int64_t budget = 0;  // 0: every point
  SearchResult search;
  bool interrupted = false;
  std::vector<Point> points;  // by number
  std::optional<Measured> measured;

  const Point* At(int64_t number) const;
};

// The first is the choice. Ties come first, those with fewest cycles before
// others: where power limits the clock, times are equal, and they have room.
struct Ranking {
  std::vector<const Point*> order;  // equal ones by number
  size_t ties = 0;                  // with the least cost, itself included
  const Point* least = nullptr;     // cost
  bool same_work = true;            // all points are worth the same FLOP
};
Ranking RankingOf(const Sweep& sweep);

// Where sizes and choices vary, what to choose for each size: in the order of
// the grid, those sizes of which a point is timed. Empty otherwise.
struct SizeChoice {
  Ranking ranking;             // of the points of that size
  const Point* own = nullptr;  // the text's own choice, if it is a point
};
std::vector<SizeChoice> ChoicesBySize(const Sweep& sweep);

// The smaller the better.
double CostOf(const Point& point, Metric metric);
// How many times the least cost: 1 for that of `least`.
double TimesLeast(const Point& point, const Point& least, Metric metric);

// The point that the text itself has, but for what one value was given for.
std::optional<int64_t> OwnPoint(const Sweep& sweep);

// "-D STAGES=4 -D BN=128", of every axis.
std::string OptionsOf(const Sweep& sweep, int64_t number);
// "STAGES=4 BN=128", of those axes that have more than one value; of all if
// none has.
std::string NameOf(const Sweep& sweep, int64_t number);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SWEEP_SWEEP_H_
