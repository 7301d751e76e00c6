// All sizes of a kernel where its grid is not followed: CTAs that set flags for
// each other, or whose scalars or trip counts no polynomial says
// (sizes/partition/opaque.h, sizes/partition/free_trips.h).
// Each CTA is judged by itself, as one that could be in some grid and finds
// every flag set; what CTAs do to each other is judged in grids that are run.
#ifndef TILESIM_CHECKERS_PIPELINE_PER_CTA_H_
#define TILESIM_CHECKERS_PIPELINE_PER_CTA_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "checkers/footprint/fragments.h"
#include "checkers/judge/assumed.h"
#include "checkers/pipeline/global_order.h"
#include "checkers/plan/with_trips.h"
#include "checkers/report/findings.h"
#include "checkers/run/environment.h"
#include "checkers/run/ops_run.h"
#include "checkers/sizes/partition/cover.h"
#include "checkers/sizes/partition/free_trips.h"

namespace tilesim::checkers::pipeline {

struct PerCtaOptions {
  plan::InstanceOptions sizes;
  int64_t max_events = 0;  // of a run
  int64_t max_states = 0;  // of a cluster
  sizes::partition::IsInside inside;
  sizes::partition::IsEntered entered;
  std::set<int32_t> positive;    // lets that are 1 or more, by slot
  std::set<int32_t> once;        // inputs of which one draw stands for all
  std::set<std::string> stored;  // tensors of words that are all set
  bool lone = false;             // the program has no other kernel
  bool more_sizes = false;       // than there are (wide_sizes.h)
  int64_t most_events = sizes::partition::kMostInductiveEvents;
};

struct PerCta {
  run::OpsRun ops;  // that some CTA came to
  judge::Assumed assumed;
  // Sizes at which one did something wrong, if there is such a CTA, and what
  // was taken for elements of inputs ("Len[cta.x]").
  std::optional<ir::Overrides> suspect;
  int64_t suspect_cluster = 0;
  // How often its loops go around then, of which that was not followed.
  std::vector<plan::TripsWanted> trips;
};

// Inputs in which all elements of such a tensor have that number. They are as
// its domain permits: what a run with them does wrong is a mistake. nullopt:
// none is named, or one with two numbers.
std::optional<run::Environment> InputsWith(const ir::Overrides& suspect,
                                           const machine::Code& code);

// nullopt: it is no such kernel. `some`: permitted sizes of it, on the GPU that
// all sizes are covered on: a grid on a smaller one has other CTAs. `known`:
// what was found in grids that were run, which here is no reason against a
// size. `order`: what is known of it, to be added to. `covered`: as it is
// without this, to be replaced.
std::optional<PerCta> CoverPerCta(const plan::Instance& some,
                                  const PerCtaOptions& options,
                                  const report::Findings& known,
                                  footprint::Fragments& fragments,
                                  GlobalOrder& order,
                                  sizes::partition::Covered& covered);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_PER_CTA_H_
