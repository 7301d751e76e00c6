#include "checkers/order/exits.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "checkers/order/stored_loads.h"
#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::order {
using report::Finding;
using report::Findings;
using report::HowToWait;
using report::MnemonicOf;
using report::NthOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::Log;
using run::Operation;

namespace {

void Report(const Log& log, const Event& issue, int32_t holder, bool stored,
            Findings& findings) {
  ir::Span span = SpanOf(issue);
  Finding* found = findings.Add(
      "exit/in-flight",
      ir::Cat(span.line, " ", span.column, stored ? " stored" : ""));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat(
      MnemonicOf(issue), " may be in flight when ",
      holder == issue.cta ? "its CTA ends" : "a CTA ends that it copies to",
      stored ? ", but for what it loads, which was stored" : "");
  d.span = span;
  d.span_text = ir::Cat(WhoOf(log, issue), ": issued here", NthOf(issue));
  d.help =
      ir::Cat("wait for it before the kernel's end: ", HowToWait(issue, false));
}

// Every warp that issued an operation together with others waited for its own
// part of it, or did what the marks say.
bool EveryPart(const Order& order, int32_t operation,
               std::span<const Mark> waited) {
  const Event& issue = order.log().issue_of(operation);
  const Agents::List& who = order.agents().Of(issue);
  return std::all_of(who.begin(), who.end(), [&](int32_t agent) {
    return std::any_of(waited.begin(), waited.end(),
                       [=](Mark m) { return m.agent == agent; });
  });
}

// All that was stored by the end.
StoredLoads StoredIn(const Order& order) {
  StoredLoads out(order.log());
  for (const Event& e : order.log().events) {
    if (e.kind != Event::Kind::kOp) continue;
    for (int32_t agent : order.agents().Of(e)) out.Add(e, {agent, 0});
  }
  return out;
}

// The CTA whose shared memory the operation needs. Of a multicast that is the
// one it serves; the CTA that issued it, which has waited for its own copy
// alone, may have ended.
int32_t HolderOf(const Operation& o, const Event& issue) {
  return o.destination < 0 ? issue.cta : issue.cluster + o.destination;
}

// Of a load into a peer, on a barrier of that peer, and of st.async, which has
// its registers as soon as it is issued, nothing of the CTA that issued it is
// touched later. PTX asks for the shared memory of the CTA that is accessed,
// which must be there (lifetimes.h): not for the issuer's.
bool LeavesTheCta(const Event& issue) {
  const ir::ConcreteOp& op = issue.concrete();
  const auto away = [&](int8_t cta) {
    return cta != ir::kOwnCta && issue.cluster + cta != issue.cta;
  };
  bool leaves = false;
  for (int i = 0; i < ir::kMaxOperands; ++i) {
    const auto& operand = op.operands[i];
    if (operand.kind == ir::OperandValue::Kind::kBarrier &&
        !away(operand.barrier.cta))
      return false;
    if (!op.is_tile(i)) continue;
    const ir::TileValue& t = op.tile(i);
    if (t.space == ir::Space::kGlobal || t.space == ir::Space::kReg) continue;
    if (!away(t.cta)) return false;
    leaves = true;
  }
  return leaves;
}

}  // namespace

void CheckExits(const Order& order, Findings& findings) {
  const Log& log = order.log();
  std::vector<Clock> ends(log.ctas);
  for (int32_t i = 0; i < order.agents().size(); ++i)
    ends[order.agents()[i].cta].Join(order.Final(i));
  std::optional<StoredLoads> stored;
  for (size_t i = 0; i < log.operations.size(); ++i) {
    const Operation& o = log.operations[i];
    if (o.is_track) continue;
    const Event& issue = log.events[o.issue];
    if (LeavesTheCta(issue)) continue;
    bool loads = log.code->ops[issue.op].moves_data == ir::Milestone::kDone ||
                 o.unit == ir::AsyncUnit::kStAsync;
    Reached needed = loads ? Reached::kDone : Reached::kRead;
    auto id = static_cast<int32_t>(i);
    const int32_t holder = HolderOf(o, issue);
    bool over = ends[holder].Knows(id, needed) ||
                (HasParts(o.unit) && EveryPart(order, id, order.waited(id)));
    if (over) continue;
    if (!stored) stored = StoredIn(order);
    Report(log, issue, holder, EveryPart(order, id, stored->Of(id)), findings);
  }
}

}  // namespace tilesim::checkers::order
