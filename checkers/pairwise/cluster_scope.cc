#include "checkers/pairwise/cluster_scope.h"

#include <string>
#include <string_view>

#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using report::BarrierOf;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::SpanOf;
using report::WhoOf;
using run::BarrierUse;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"cluster/scope"};

// Of compiled code one that is written `.cta` is taken as one that is not,
// which mean the same there (ptx/machine/fill_barrier.cc).
std::string_view HowItIs(const Context& context, const BarrierUse& use) {
  if (use.scope_written) return "";
  return context.log.code->guide != nullptr ? ", written or by default"
                                            : ", as no scope is written";
}

// One finding an op.
Finding* Add(const Context& context, const Event& e) {
  Finding* found = context.findings.Add("cluster/scope", ir::Cat(e.op));
  if (found == nullptr) return nullptr;
  found->diagnostic.span = SpanOf(e);
  found->diagnostic.span_text = ir::Cat(WhoOf(context.log, e), NthOf(e));
  return found;
}

}  // namespace

std::span<const ir::Code> ClusterScope::codes() const { return kCodes; }

void ClusterScope::OnEvent(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  if (e.kind != Event::Kind::kDone) return;
  for (const BarrierUse& use : e.uses) {
    if (use.Is(ir::kContributes) && use.barrier.cta != e.cta)
      by_peers_.try_emplace({use.barrier, use.phase}, event);
  }
}

void ClusterScope::OnOp(const Context& context, int32_t event) {
  for (const BarrierUse& use : context.log.events[event].uses) {
    if (use.Is(ir::kArrives)) Arrives(context, event, use);
    if (use.Is(ir::kAsks)) Waits(context, event, use);
  }
}

void ClusterScope::Arrives(const Context& context, int32_t event,
                           const BarrierUse& use) {
  const Log& log = context.log;
  const Event& e = log.events[event];
  if (use.barrier.cta == e.cta) return;
  by_peers_.try_emplace({use.barrier, use.phase}, event);
  if (use.scope >= ir::MemScope::kCluster) return;
  Finding* found = Add(context, e);
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  if (!use.scope_written) d.severity = ir::Severity::kWarning;
  d.message = ir::Cat(MnemonicOf(e), " on ", BarrierOf(log, use.barrier),
                      " is of .cta scope", HowItIs(context, use),
                      ": it hands nothing over to that CTA");
  d.help = ir::Cat(MnemonicOf(e), ".release.cluster");
}

void ClusterScope::Waits(const Context& context, int32_t event,
                         const BarrierUse& use) {
  const Log& log = context.log;
  const Event& e = log.events[event];
  if (use.scope_written || use.scope >= ir::MemScope::kCluster) return;
  auto arrival = by_peers_.find({use.barrier, use.phase});
  if (arrival == by_peers_.end()) return;
  Finding* found = Add(context, e);
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  const Event& by = log.events[arrival->second];
  const bool completes = by.kind == Event::Kind::kDone;
  const Event& a = completes ? log.issue_of(by.operation) : by;
  d.severity = ir::Severity::kWarning;
  d.message = ir::Cat(MnemonicOf(e), " for ", BarrierOf(log, use.barrier),
                      " is of .cta scope", HowItIs(context, use),
                      ": it is handed nothing by CTA ", a.cta);
  d.labels.push_back(
      {SpanOf(a), ir::Cat(WhoOf(log, a),
                          completes ? ": what completes there is issued here"
                                    : ": arrives here",
                          NthOf(a))});
  d.help = ir::Cat(MnemonicOf(e), ".acquire.cluster");
}

}  // namespace tilesim::checkers::pairwise
