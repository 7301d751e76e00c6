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

// Compiled code alone comes this far (machine::RegistersApart).
void ReportLines(const Context& context, int32_t one, int32_t other) {
  const Log& log = context.log;
  const Event &b = log.events[one], &e = log.events[other];
  Finding* found = context.findings.Add("registers/order", "several lines");
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat("warps of one warpgroup execute ", MnemonicOf(e),
                      " on several lines");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), ": ", MnemonicOf(e), NthOf(e));
  d.labels.push_back(
      {SpanOf(b), ir::Cat(WhoOf(log, b), ": ", MnemonicOf(b), NthOf(b))});
  d.help = "one setmaxnreg for all four, before their ways part";
}

uint32_t WarpsOf(const Event& e) {
  const uint64_t all = (uint64_t{1} << e.threads().warps) - 1;
  return static_cast<uint32_t>(all << e.threads().first_warp);
}

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

// Whether others of the warpgroup have executed the same on another line, and
// these warps not yet.
bool RegisterCounts::JoinsIn(const Log& log, const Change& change,
                             int32_t event, uint32_t warps) {
  const Event &b = log.events[change.event], &e = log.events[event];
  return b.op != e.op && (change.warps & warps) == 0 &&
         b.concrete().info().kind == e.concrete().info().kind &&
         b.concrete().operands[0] == e.concrete().operands[0];
}

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
    group.first_warp = std::max(e.threads().first_warp,
                                static_cast<uint16_t>(g * ir::kWarpgroupWarps));
    group.warps = std::min<uint16_t>(e.threads().warps, ir::kWarpgroupWarps);
    for (int32_t agent : context.order.agents().Of(e.cta, group))
      now.marks.push_back(context.order.mark(agent));
    auto [found, fresh] = last_.try_emplace({e.cta, g}, now);
    const uint32_t warps = WarpsOf(e) & (0xfu << g * ir::kWarpgroupWarps);
    if (!fresh && JoinsIn(log, found->second, event, warps)) {
      ReportLines(context, found->second.event, event);
      found->second.warps |= warps;
      found->second.marks.insert(found->second.marks.end(), now.marks.begin(),
                                 now.marks.end());
      continue;
    }
    found->second.warps |= warps;
    now.warps = warps;
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
