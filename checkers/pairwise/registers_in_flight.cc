#include "checkers/pairwise/registers_in_flight.h"

#include <algorithm>
#include <optional>
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

// Another instruction reads what a product multiplies: an access as well
// (PTX 9.7.15.7.3). Two products may have one A.
bool ReadsTheOperand(const RegistersInFlight::InFlight& f, const Event& e,
                     bool load) {
  return !load && !f.write && !IsWgmma(e);
}

}  // namespace

void RegistersInFlight::Issued(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  for (int32_t id : e.issued) {
    ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int w) {
      const bool write = effect.kind == ir::EffectKind::kWrite;
      IntervalSet elements = context.footprints.Registers(e, effect.operand, w);
      std::vector<InFlight>& all = in_flight_[place];
      // Of a load the elements change as it is read.
      auto same = std::find_if(all.begin(), all.end(), [&](const InFlight& f) {
        return !LoadsTensor(e) && f.operand == effect.operand &&
               f.write == write && f.elements == elements;
      });
      if (same == all.end())
        same = all.insert(all.end(),
                          {effect.operand, write, std::move(elements), {}});
      same->products.push_back({id, event});
    });
  }
}

namespace {

// What `who` have waited for is no longer in flight. Waits are for the oldest
// first: while that one is in flight, nothing is to be looked for.
void Forget(const Context& context, const Agents::List& who,
            std::vector<RegistersInFlight::InFlight::Product>& products) {
  auto done = [&](const RegistersInFlight::InFlight::Product& p) {
    return std::all_of(who.begin(), who.end(), [&](int32_t agent) {
      return IsOver(context.order, p.operation, agent);
    });
  };
  if (done(products.front())) std::erase_if(products, done);
}

}  // namespace

// What an instruction reads of a tcgen05.ld is there from then on.
void RegistersInFlight::Read(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int w) {
    auto found = in_flight_.find(place);
    if (found == in_flight_.end() || effect.kind != ir::EffectKind::kRead)
      return;
    for (InFlight& f : found->second) {
      if (LoadsTensor(context.log.events[f.products.front().event]))
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
    for (InFlight& f : found->second) Forget(context, who, f.products);
    std::erase_if(found->second,
                  [](const InFlight& f) { return f.products.empty(); });
    bool write = effect.kind == ir::EffectKind::kWrite;
    IntervalSet mine = context.footprints.Registers(e, effect.operand, w);
    const InFlight* first = nullptr;
    int64_t products = 0;
    for (const InFlight& f : found->second) {
      const bool load =
          LoadsTensor(context.log.events[f.products.front().event]);
      if (!(write || (f.write && !load) || ReadsTheOperand(f, e, load)) ||
          !f.elements.Overlaps(mine) || InOneAccumulator(f, e, effect, mine))
        continue;
      products += static_cast<int64_t>(f.products.size());
      if (first == nullptr ||
          f.products.front().operation < first->products.front().operation)
        first = &f;
    }
    if (first != nullptr) Report(context, *first, products, e, effect);
  });
}

void RegistersInFlight::Report(const Context& context, const InFlight& f,
                               int64_t products, const Event& touch,
                               const ir::Effect& effect) {
  const Log& log = context.log;
  const int32_t issued = f.products.front().event;
  const Event& issue = log.events[issued];
  const bool load = LoadsTensor(issue);
  Finding* found = context.findings.AddAt(
      load ? ir::Code("tcgen05/wait") : "wgmma/wait",
      ir::Cat(DeclOf(log, touch, effect.operand), " ", MnemonicOf(touch), " ",
              RoleOf(log, touch)),
      {SpanOf(touch), SpanOf(issue)}, std::nullopt, products);
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
  PointAtEmptyCommit(log, issued,
                     static_cast<int32_t>(&touch - log.events.data()), d);
}

}  // namespace tilesim::checkers::pairwise
