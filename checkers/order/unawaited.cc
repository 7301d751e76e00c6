#include "checkers/order/unawaited.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ir/cat.h"
#include "ir/effect.h"

namespace tilesim::checkers::order {
using report::Finding;
using report::Findings;

namespace {

// It asks for a phase, or counts in one, now or when operations are over.
struct Part {
  bool asks = false, counts = false;
};

Part PartOf(const machine::CompiledOp& op, ir::EffectSink& sink) {
  sink.Clear();
  ir::EffectsOf(machine::FixedOperands(op), sink);
  Part out;
  for (const ir::Effect& e : sink.effects()) {
    out.asks |= ir::Is(e.kind, ir::kAsks);
    out.counts |=
        ir::Is(e.kind, ir::kContributes) || e.kind == ir::EffectKind::kTrack;
  }
  return out;
}

}  // namespace

const ir::Ref* BarrierIn(const ir::Op& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    bool barrier = (op.info->operands[i].types & ir::kTakesBarrier) != 0;
    if (barrier && op.operands[i].kind == ir::Operand::Kind::kRef)
      return &op.operands[i].ref;
  }
  return nullptr;
}

std::vector<Unawaited> UnawaitedIn(const machine::Code& code) {
  if (code.guide != nullptr) return {};
  ir::EffectSink sink;
  std::set<int32_t> awaited;
  std::map<int32_t, std::vector<const ir::Op*>> signals;
  for (const machine::CompiledOp& op : code.ops) {
    const ir::Ref* barrier = BarrierIn(*op.op);
    if (barrier == nullptr) continue;
    const Part part = PartOf(op, sink);
    if (part.asks) awaited.insert(barrier->decl);
    if (part.counts) signals[barrier->decl].push_back(op.op);
  }
  std::vector<Unawaited> out;
  for (auto& [decl, ops] : signals) {
    if (!awaited.contains(decl)) out.push_back({decl, std::move(ops)});
  }
  return out;
}

Finding* Tell(const machine::Code& code, const Unawaited& barriers,
              Findings& findings) {
  const std::string& name = code.kernel().decls[barriers.decl].name;
  Finding* found =
      findings.Add("parity/unconsumed", ir::Cat("no wait for ", name));
  if (found == nullptr) return nullptr;
  ir::Diagnostic& d = found->diagnostic;
  d.span = barriers.signals[0]->span;
  d.message = ir::Cat("nothing waits for `", name,
                      "`, so what arrives there orders nothing");
  return found;
}

}  // namespace tilesim::checkers::order
