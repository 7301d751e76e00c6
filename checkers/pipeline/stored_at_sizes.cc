#include "checkers/pipeline/stored_at_sizes.h"

#include "checkers/pipeline/every_cta.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {

// Sizes that were run, small ones of all parameters together, where a number of
// the text begins to count, and far above.
StoredAtSizes StoresAtSizes(
    const KernelPlan& plan,
    const std::set<std::pair<ir::Overrides, int64_t>>& run,
    const Judging& judging) {
  int64_t ctas = 40'000;  // in all: 10 us each
  std::set<std::pair<ir::Overrides, int64_t>> sizes = run;
  const auto& [smallest, sms] = *run.begin();
  const std::vector<ir::Overrides> all = EverySize(plan, smallest);
  for (const auto& more :
       {SmallSizes(plan, smallest), SizesAtNumbers(plan, smallest),
        FarSizes(plan, smallest), all}) {
    for (const ir::Overrides& s : more) sizes.emplace(s, sms);
  }
  StoredAtSizes out;
  out.at_every_size = !all.empty() && !plan.asks_for_sms;
  for (const auto& [at, sm_count] : sizes) {
    auto instance = plan::InstanceAt(*plan.kernel, at, sm_count);
    if (!instance) continue;
    if (instance->code->bound.ctas() > ctas) {
      out.at_every_size = false;
      continue;
    }
    ctas -= instance->code->bound.ctas();
    EveryCta here = LookAtEveryCta(plan, *instance, judging);
    for (const auto& [tensor, stored] : here.whole)
      out.at_every_size &= stored.where != Whole::Where::kNowhere;
    if (here.holes.empty()) continue;
    out.at_every_size = false;
    out.holes = std::move(here.holes);
    out.at = std::move(*instance);
    return out;
  }
  return out;
}

Whole NotAsLaunched() {
  Whole out;
  out.why =
      "cluster launch control hands out clusters, and it is not shown that "
      "those that get one store what its own CTAs would have stored";
  return out;
}

std::optional<std::string> WhyNotWhole(const std::string& tensor,
                                       const Whole& whole) {
  const std::string open =
      ir::Cat("it is not shown that all of `", tensor, "` is stored");
  switch (whole.where) {
    case Whole::Where::kAllSizes:
      return std::nullopt;
    case Whole::Where::kOwnSizes:
      return ir::Cat(open,
                     " at all sizes: at those of the text, and others "
                     "that were tried, it is");
    case Whole::Where::kNowhere:
      break;
  }
  return ir::Cat(open, ": ", whole.why);
}

}  // namespace tilesim::checkers::pipeline
