#include "checkers/pipeline/stored_at_sizes.h"

#include "checkers/grid/touches.h"
#include "checkers/pipeline/every_cta.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
namespace {

// A line on which `code` stores to the tensor and to which no run came.
std::optional<int32_t> StoreWithoutRun(const machine::Code& code,
                                       std::string_view tensor,
                                       const run::OpsRun& ops) {
  for (const machine::CompiledOp& op : code.ops) {
    const ir::Span& span = op.op->span;
    if (ops.Executed({span.line, span.column})) continue;
    for (const grid::Touch& t : grid::TouchesOf(code, op)) {
      if (t.write && code.kernel().decls[t.decl].name == tensor)
        return span.text_line();
    }
  }
  return std::nullopt;
}

}  // namespace

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

std::optional<std::string> WhyNotWhole(const std::string& tensor,
                                       const Whole& whole,
                                       const machine::Code& code,
                                       const run::OpsRun& ops) {
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
  if (!whole.by_memory) return ir::Cat(open, ": ", whole.why);
  // The verdict line says what memory decides, where some run stored.
  const auto line = StoreWithoutRun(code, tensor, ops);
  if (!line) return std::nullopt;
  return ir::Cat(open, ": no run came to the store on line ", *line);
}

}  // namespace tilesim::checkers::pipeline
