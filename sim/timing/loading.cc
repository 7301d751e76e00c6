// Engine: registers that are still being loaded, and what lies on the way to an
// op.
#include <algorithm>

#include "sim/timing/engine.h"

namespace tilesim::timing {

using machine::Signal;
using machine::StepResult;

namespace {

bool Names(const machine::CompiledOp& op, int32_t tile) {
  return std::any_of(op.operands.begin(), op.operands.end(),
                     [&](const machine::CompiledOperand& o) {
                       return o.kind == ir::OperandValue::Kind::kTile &&
                              o.fixed.tile.decl == tile;
                     });
}

}  // namespace

// A register that the next op needs is still being loaded: again when it is
// there.
bool Engine::AwaitsLoad(int32_t strand) {
  if (clocks_[strand].all_ready <= now_) return false;
  const machine::CompiledOp* next =
      machine_.op_at(state_, state_.strands[strand]);
  const Cycle ready = next != nullptr ? OperandsReady(strand, *next, now_)
                                      : ArithmeticReady(strand);
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
  const bool arithmetic = IsArithmetic(op.op->info->kind);
  for (const Ready& r : clocks_[strand].ready) {
    if (r.at <= ready || (r.goes_on && arithmetic)) continue;
    // Behind register arithmetic all of it is waited for (chains of it).
    if (r.goes_on || Names(op, r.key)) ready = r.at;
  }
  return ready;
}

// When all register arithmetic is done that others go on beside: nobody does
// behind a jump.
Cycle Engine::ArithmeticReady(int32_t strand) const {
  Cycle ready = now_;
  for (const Ready& r : clocks_[strand].ready)
    if (r.goes_on) ready = std::max(ready, r.at);
  return ready;
}

// When what register arithmetic reads is there.
void Engine::NoteReady(int32_t strand, const machine::CompiledOp& op,
                       CostContext& context) const {
  for (const Ready& r : clocks_[strand].ready) {
    if (!r.goes_on || r.at <= now_ || !Names(op, r.key)) continue;
    context.ready = std::max(context.ready, static_cast<double>(r.at));
  }
}

// When the strand has done what lies before the op that it has come to.
Cycle Engine::BehindControl(int32_t strand, const StepResult& r) {
  const Clock& c = clocks_[strand];
  const machine::Cta& cta = state_.ctas[c.cta];
  if (prices_[cta.kernel] == nullptr) return now_ + Rounded(ControlOf(r));
  Cycle from = now_;
  for (const auto& [key, at, goes_on] : c.ready) {
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

void Engine::NoteLoad(int32_t strand, const Ready& ready) {
  Clock& c = clocks_[strand];
  auto it = std::find_if(c.ready.begin(), c.ready.end(),
                         [&](const Ready& e) { return e.key == ready.key; });
  if (it == c.ready.end()) {
    c.ready.push_back(ready);
  } else {
    it->goes_on = ready.goes_on;
    it->at = std::max(it->at, ready.at);
  }
}

}  // namespace tilesim::timing
