#include "checkers/pairwise/register_counts.h"

#include <algorithm>

#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using order::Clock;
using order::Mark;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"registers/order"};

void Report(const Context& context, int32_t before, int32_t now) {
  const Log& log = context.log;
  const Event &b = log.events[before], &e = log.events[now];
  Finding* found = context.findings.Add(
      "registers/order", ir::Cat(b.op, " ", e.op, " ", RoleOf(log, e)));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message =
      ir::Cat(MnemonicOf(e),
              " again, and the warps of the warpgroup have not synchronised "
              "since the ",
              MnemonicOf(b), " before");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), ": ", MnemonicOf(e), NthOf(e));
  d.labels.push_back(
      {SpanOf(b), ir::Cat(WhoOf(log, b), ": ", MnemonicOf(b), NthOf(b))});
  d.help = "a bar.sync of all four warps between the two";
}

}  // namespace

std::span<const ir::Code> RegisterCounts::codes() const { return kCodes; }

void RegisterCounts::OnOp(const Context& context, int32_t event) {
  const Log& log = context.log;
  const Event& e = log.events[event];
  if (!e.instance->Has(ir::EffectKind::kRegisters)) return;
  int32_t first = e.threads().first_warp / ir::kWarpgroupWarps;
  int32_t end =
      (e.threads().first_warp + e.threads().warps + ir::kWarpgroupWarps - 1) /
      ir::kWarpgroupWarps;
  for (int32_t g = first; g < end; ++g) {
    Change now{event, {}};
    ir::ThreadSet group;
    group.first_warp = static_cast<uint16_t>(g * ir::kWarpgroupWarps);
    group.warps = ir::kWarpgroupWarps;
    for (int32_t agent : context.order.agents().Of(e.cta, group))
      now.marks.push_back(context.order.mark(agent));
    auto [found, fresh] = last_.try_emplace({e.cta, g}, now);
    if (fresh) continue;
    // The order of control, blind to what memory a barrier publishes.
    const order::Order& order = context.enforced.At(event);
    bool synchronised = std::all_of(
        now.marks.begin(), now.marks.end(), [&, found = found](Mark n) {
          const Clock& clock = order.clock(n.agent);
          return std::all_of(found->second.marks.begin(),
                             found->second.marks.end(),
                             [&](Mark m) { return clock.Knows(m); });
        });
    if (!synchronised) Report(context, found->second.event, event);
    found->second = std::move(now);
  }
}

}  // namespace tilesim::checkers::pairwise
