// All permitted sizes of a kernel, divided into cells: one instance each that
// is judged, and that stands for those in which parameters that are `open` are
// larger by any number of steps.
//
//   K = 64   128   192  ...  832 and above
//
// A cell in which larger sizes behave differently is divided where they do.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_COVER_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_COVER_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "checkers/plan/instance.h"
#include "checkers/sizes/algebra/polynomial.h"
#include "ir/op.h"

namespace tilesim::checkers::sizes::partition {

struct Covered {
  bool all = false;       // every permitted value of every parameter
  std::string why;        // not all
  bool too_long = false;  // not all, because of the bound of events
  bool stopped = false;   // by the judge
  bool flags = false;  // not all, because CTAs set flags (pipeline/per_cta.h)
  bool small_sizes = false;    // if parameters are below 2^31
  std::set<std::string> open;  // parameters of which all values are covered
  // Sizes that were judged and stand for larger ones as well.
  std::set<ir::Overrides> for_larger;
};

enum class Judged : uint8_t {
  kByOrder,   // nothing wrong: one run stands for all schedules
  kSearched,  // nothing wrong in the schedules that were searched
  kWrong,     // no more sizes are wanted
};
using JudgeInstance = std::function<Judged(const plan::Instance&)>;

// Whether a dimension of what an op names of a global tensor is known to be
// there, wherever a launch executes it.
using IsInside =
    std::function<bool(const ir::Op& op, int32_t operand, int32_t dim)>;

// Of all inductive runs, before the proof is given up.
inline constexpr int64_t kMostInductiveEvents = 2'000'000;

struct CoverOptions {
  plan::InstanceOptions instance;
  int64_t max_events = 0;  // of a run
  // Clusters are judged one by one: the grid need not be one that there is.
  bool alone = false;
  std::vector<algebra::Polynomial> known;  // of parameters (opaque.h)
  IsInside inside;  // besides what the text shows (text_bounds.h); may be null
  // Tensors of which a launch stores every element (grid/coverage.h).
  std::set<std::string> stored = {};
  int64_t most_events = kMostInductiveEvents;  // of all inductive runs
};

Covered CoverSizes(const ir::Kernel& kernel, const CoverOptions& options,
                   const JudgeInstance& judge);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_COVER_H_
