#include "checkers/pairwise/registers_in_flight.h"

#include <algorithm>
#include <string>

#include "checkers/pairwise/empty_commit.h"
#include "checkers/pairwise/registers.h"
#include "checkers/report/names.h"
#include "ir/cat.h"
#include "ir/ops/wgmma.h"

namespace tilesim::checkers::pairwise {
using footprint::IntervalSet;
using footprint::Place;
using order::Agents;
using order::Order;
using order::Reached;
using report::DeclOf;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::TileOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"wgmma/wait", "tcgen05/wait"};

bool LoadsTensor(const Event& e) {
  return e.concrete().info().async == ir::AsyncUnit::kTmemLd;
}

// For the agent: of a load each warp waits for its own part.
bool IsOver(const Order& order, int32_t operation, int32_t agent) {
  const auto& waited = order.waited(operation);
  return order.clock(agent).Knows(operation, Reached::kDone) ||
         std::any_of(waited.begin(), waited.end(),
                     [=](order::Mark m) { return m.agent == agent; });
}

}  // namespace

std::span<const ir::Code> RegistersInFlight::codes() const { return kCodes; }

void RegistersInFlight::OnOp(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  // Registers of compiled code are known as far as a wgmma has them.
  const bool load = LoadsTensor(e) && context.log.code->guide == nullptr;
  const bool product = IsWgmma(e) || load;
  if ((product || e.concrete().info().async == ir::AsyncUnit::kNone) &&
      !in_flight_.empty())
    Touched(context, event);
  if (product) Issued(context, event);
}

namespace {

// Products that go on with one accumulator run one after another; not those of
// another shape, nor one that multiplies what the other writes
// (PTX 9.7.15.7.1).
bool InOneAccumulator(const RegistersInFlight::InFlight& f, const Event& e,
                      const ir::Effect& effect, const IntervalSet& elements) {
  return IsWgmma(e) && f.operand == ir::ops::WgmmaMmaAsync::kD &&
         effect.operand == ir::ops::WgmmaMmaAsync::kD && f.elements == elements;
}

}  // namespace

void RegistersInFlight::Issued(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  for (int32_t id : e.issued) {
    ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int w) {
      in_flight_[place].push_back(
          {id, event, effect.operand, effect.kind == ir::EffectKind::kWrite,
           context.footprints.Registers(e, effect.operand, w)});
    });
  }
}

// What an instruction reads of a tcgen05.ld is there from then on.
void RegistersInFlight::Read(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int w) {
    auto found = in_flight_.find(place);
    if (found == in_flight_.end() || effect.kind != ir::EffectKind::kRead)
      return;
    for (InFlight& f : found->second) {
      if (LoadsTensor(context.log.events[f.event]))
        f.elements.Subtract(context.footprints.Registers(e, effect.operand, w));
    }
  });
}

void RegistersInFlight::Touched(const Context& context, int32_t event) {
  Read(context, event);
  const Event& e = context.log.events[event];
  ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int w) {
    auto found = in_flight_.find(place);
    if (found == in_flight_.end()) return;
    ir::ThreadSet warp = e.threads();
    warp.first_warp = static_cast<uint16_t>(w);
    warp.warps = 1;
    const Agents::List& who = context.order.agents().Of(e.cta, warp);
    std::erase_if(found->second, [&](const InFlight& f) {
      return std::all_of(who.begin(), who.end(), [&](int32_t agent) {
        return IsOver(context.order, f.operation, agent);
      });
    });
    bool write = effect.kind == ir::EffectKind::kWrite;
    IntervalSet mine = context.footprints.Registers(e, effect.operand, w);
    for (const InFlight& f : found->second) {
      const bool load = LoadsTensor(context.log.events[f.event]);
      if ((write || (f.write && !load)) && f.elements.Overlaps(mine) &&
          !InOneAccumulator(f, e, effect, mine))
        Report(context, f, e, effect);
    }
  });
}

void RegistersInFlight::Report(const Context& context, const InFlight& f,
                               const Event& touch, const ir::Effect& effect) {
  const Log& log = context.log;
  const Event& issue = log.events[f.event];
  const bool load = LoadsTensor(issue);
  Finding* found =
      context.findings.Add(load ? ir::Code("tcgen05/wait") : "wgmma/wait",
                           ir::Cat(DeclOf(log, touch, effect.operand), " ",
                                   MnemonicOf(touch), " ", RoleOf(log, touch)));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  found->lack = {issue.op, touch.op, false};
  std::string tile = TileOf(log, touch, effect.operand);
  bool write = effect.kind == ir::EffectKind::kWrite;
  d.message = ir::Cat(tile, " is ", write ? "written" : "read", " while the ",
                      MnemonicOf(issue), " that ", f.write ? "writes" : "reads",
                      " it is in flight");
  d.span = SpanOf(touch);
  d.span_text = ir::Cat(WhoOf(log, touch), ": touched here", NthOf(touch));
  d.labels.push_back(
      {SpanOf(issue), ir::Cat(WhoOf(log, issue), ": ", MnemonicOf(issue),
                              " issued here", NthOf(issue),
                              load ? "; no wait::ld since"
                                   : "; no wait_group since covers it")});
  if (load) {
    d.help =
        "tcgen05.wait::ld before it: what is loaded may come later, and "
        "overwrite it";
    return;
  }
  d.help = "wgmma.commit_group, then wgmma.wait_group 0 before it";
  PointAtEmptyCommit(log, f.event,
                     static_cast<int32_t>(&touch - log.events.data()), d);
}

}  // namespace tilesim::checkers::pairwise
