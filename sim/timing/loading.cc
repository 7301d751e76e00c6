// Engine: registers that are still being loaded, and what lies on the way to an
// op.
#include <algorithm>

#include "sim/timing/engine.h"

namespace tilesim::timing {

using machine::Signal;
using machine::StepResult;

// A register that the next op needs is still being loaded: again when it is
// there.
bool Engine::AwaitsLoad(int32_t strand) {
  if (clocks_[strand].all_ready <= now_) return false;
  const machine::CompiledOp* next =
      machine_.op_at(state_, state_.strands[strand]);
  if (next == nullptr) return false;
  Cycle ready = OperandsReady(strand, *next, now_);
  if (ready <= now_) return false;
  int32_t cta = state_.strands[strand].cta;
  Clock& c = clocks_[strand];
  c.at_op = OpOf(strand);
  Spend(strand, c.at_op, Cause::kL2, ready);
  Signal load{Signal::Kind::kPoll, cta, 0};
  WaitSum& w = waits_[KeyOf(c, load, {})];
  w.cycles += static_cast<double>(ready - now_);
  ++w.count;
  if (watched_[cta])
    options_.observer->OnWait(state_, strand, load, {}, now_, ready);
  c.since = ready;
  Push(ready, Event::Kind::kStrand, strand, c.version);
  return true;
}

Cycle Engine::OperandsReady(int32_t strand, const machine::CompiledOp& op,
                            Cycle now) const {
  Cycle ready = now;
  for (const auto& [decl, at] : clocks_[strand].ready) {
    if (at <= ready) continue;
    for (const machine::CompiledOperand& o : op.operands) {
      if (o.kind == ir::OperandValue::Kind::kTile && o.fixed.tile.decl == decl)
        ready = at;
    }
  }
  return ready;
}

// When the strand has done what lies before the op that it has come to.
Cycle Engine::BehindControl(int32_t strand, const StepResult& r) {
  const Clock& c = clocks_[strand];
  const machine::Cta& cta = state_.ctas[c.cta];
  if (prices_[cta.kernel] == nullptr) return now_ + Rounded(ControlOf(r));
  Cycle from = now_;
  for (const auto& [key, at] : c.ready) {
    for (int32_t op : r.awaits) {
      if (key == -2 - op) from = std::max(from, at);
    }
  }
  if (r.passed == machine::Passed()) return from;
  ir::ConcreteOp next;  // who comes to it is all that counts
  next.op = machine_.code_of(cta).ops[std::max(r.op, 0)].op;
  next.threads = state_.strands[strand].threads;
  return from +
         Rounded(CostOfPassed(ContextOf(next, c.cta, 0, from), r.passed));
}

void Engine::NoteLoad(int32_t strand, int32_t key, Cycle at) {
  Clock& c = clocks_[strand];
  auto it = std::find_if(c.ready.begin(), c.ready.end(),
                         [&](const auto& e) { return e.first == key; });
  if (it == c.ready.end()) {
    c.ready.push_back({key, at});
  } else {
    it->second = std::max(it->second, at);
  }
}

}  // namespace tilesim::timing
