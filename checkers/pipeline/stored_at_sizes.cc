#include "checkers/pipeline/stored_at_sizes.h"

#include "checkers/grid/touches.h"
#include "checkers/pipeline/every_cta.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
namespace {

// Lines on which `code` stores to the tensor, by whether some run came there.
struct StoreLines {
  std::optional<int32_t> run, not_run;
};

StoreLines StoresTo(const machine::Code& code, std::string_view tensor,
                    const run::OpsRun& ops) {
  StoreLines out;
  for (const machine::CompiledOp& op : code.ops) {
    const ir::Span& span = op.op->span;
    const bool run = ops.Executed({span.line, span.column});
    for (const grid::Touch& t : grid::TouchesOf(code, op)) {
      if (t.write && code.kernel().decls[t.decl].name == tensor)
        (run ? out.run : out.not_run) = span.text_line();
    }
  }
  return out;
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

std::set<std::string> NotStored(const machine::Code& code,
                                const run::OpsRun& ops) {
  std::set<std::string> out;
  for (const ir::Computes& line : code.kernel().computes) {
    const std::string& tensor = code.kernel().decls[line.decl].name;
    const StoreLines stores = StoresTo(code, tensor, ops);
    if (stores.not_run && !stores.run) out.insert(tensor);
  }
  return out;
}

std::string NobodyStores(const std::string& tensor,
                         const ir::Overrides& sizes) {
  std::string at;
  for (const auto& [name, value] : sizes)
    ir::Append(&at, at.empty() ? " at " : ", ", name, " = ", value);
  return ir::Cat("it is not shown that all of `", tensor,
                 "` is stored: no run came to a store of it", at);
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
  const auto line = StoresTo(code, tensor, ops).not_run;
  if (!line) return std::nullopt;
  return ir::Cat(open, ": no run came to the store on line ", *line);
}

}  // namespace tilesim::checkers::pipeline
