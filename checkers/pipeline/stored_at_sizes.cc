#include "checkers/pipeline/stored_at_sizes.h"

#include "checkers/pipeline/every_cta.h"

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

}  // namespace tilesim::checkers::pipeline
