// Engine: registers that are still being loaded, and what lies on the way to an
// op.
#include <algorithm>
#include <optional>

#include "sim/timing/engine.h"

namespace tilesim::timing {

using machine::Signal;
using machine::StepResult;

namespace {

// Which of an array of tiles it is; nullopt: that is computed.
std::optional<int32_t> ElementOf(const machine::Code& code,
                                 const machine::CompiledOperand& o) {
  const ir::BoundDecl& d = code.bound.decls[o.fixed.tile.decl];
  int64_t element = 0;
  for (size_t i = 0; i < o.index.size(); ++i) {
    if (!o.index[i].constant) return std::nullopt;
    element = element * d.array[i] + o.index[i].value;
  }
  return static_cast<int32_t>(element);
}

bool Names(const machine::Code& code, const machine::CompiledOp& op,
           int32_t tile, int32_t element) {
  return std::any_of(op.operands.begin(), op.operands.end(),
                     [&](const machine::CompiledOperand& o) {
                       return o.kind == ir::OperandValue::Kind::kTile &&
                              o.fixed.tile.decl == tile &&
                              ElementOf(code, o).value_or(element) == element;
                     });
}

}  // namespace

// A register that the next op needs is still being loaded, or worked out: again
// when it is there.
bool Engine::AwaitsLoad(int32_t strand) {
  if (AllReady(strand)) return false;
  const machine::CompiledOp* next =
      machine_.op_at(state_, state_.strands[strand]);
  const Coming* last = next != nullptr ? LastOperand(strand, *next, now_)
                                       : LastArithmetic(strand);
  if (last == nullptr) return false;
  const Coming coming = *last;
  const bool words = next != nullptr && TakesWords(next->op->info->kind) &&
                     !IsColumn(strand, coming.key) && coming.first > now_;
  const Cycle ready = words ? coming.first : coming.at;
  // Loads through L1 are priced as issue, and what they wait for.
  const Cause cause = coming.cause == Cause::kIssue ? Cause::kL2 : coming.cause;
  const bool loaded = cause == Cause::kL2 || cause == Cause::kShared;
  int32_t cta = state_.strands[strand].cta;
  Clock& c = clocks_[strand];
  c.at_op = OpOf(strand);
  if (coming.goes_on) {
    SpendOnResults(strand, ready);
    return true;
  }
  Spend(strand, c.at_op, cause, ready);
  Signal load{Signal::Kind::kPoll, cta, loaded ? kLoad : kEarlierResult};
  WaitSum& w = waits_[KeyOf(c, load, SourceOf(strand, coming.op))];
  w.cycles += static_cast<double>(ready - now_);
  ++w.count;
  if (watched_[cta])
    options_.observer->OnWait(state_, strand, load, {}, now_, ready);
  c.since = ready;
  Push(ready, Event::Kind::kStrand, strand, c.version);
  return true;
}

// Whether nothing is on its way any more. What others have put off is there
// later.
bool Engine::AllReady(int32_t strand) {
  Clock& c = clocks_[strand];
  if (!c.working) return c.all_ready <= now_;
  c.working = false;
  for (Coming& r : c.ready) {
    if (!r.work.some()) continue;
    const double late = r.work.Late();
    r.at += Rounded(late) - Rounded(std::exchange(r.late, late));
    c.all_ready = std::max(c.all_ready, r.at);
    c.working |= r.at > now_;
  }
  c.ready.erase(
      std::remove_if(c.ready.begin(), c.ready.end(),
                     [this](const Coming& r) { return r.at <= now_; }),
      c.ready.end());
  return c.all_ready <= now_;
}

// The strand waits for results of register arithmetic until `ready`: each op
// that is under way has the time until it is done.
void Engine::SpendOnResults(int32_t strand, Cycle ready) {
  Clock& c = clocks_[strand];
  std::vector<std::pair<Cycle, int32_t>> done;
  for (const Coming& r : c.ready) {
    if (r.goes_on && r.at > now_ && r.at <= ready)
      done.emplace_back(r.at, r.op);
  }
  std::sort(done.begin(), done.end());
  const int kernel = state_.ctas[c.cta].kernel;
  Cycle from = now_;
  for (const auto& [at, op] : done) {
    if (at == from) continue;
    Spend(strand, op, Cause::kArithmetic, at);
    op_stats_[kernel][op].busy += static_cast<double>(at - from);
    if (watched_[c.cta])
      options_.observer->OnWork(state_, strand, &machine_.code(kernel).ops[op],
                                from, at);
    from = at;
  }
  RoleOf(kernel, c.role).busy += static_cast<double>(ready - now_);
  c.since = ready;
  Push(ready, Event::Kind::kStrand, strand, c.version);
}

// Whether it is one number a row.
bool Engine::IsColumn(int32_t strand, int32_t tile) const {
  const ir::BoundKernel& bound =
      machine_.code_of(state_.ctas[clocks_[strand].cta]).bound;
  if (tile < 0) return false;
  const ir::BoundDecl& d = bound.decls[tile];
  return d.rank == 0 || d.shape[static_cast<size_t>(d.rank) - 1] == 1;
}

// Of what the op needs and is not there yet, what comes last.
const Engine::Coming* Engine::LastOperand(int32_t strand,
                                          const machine::CompiledOp& op,
                                          Cycle now) const {
  const Coming* last = nullptr;
  const machine::Code& code =
      machine_.code_of(state_.ctas[clocks_[strand].cta]);
  const bool words = TakesWords(op.op->info->kind);
  for (const Coming& c : clocks_[strand].ready) {
    if (c.at <= (last == nullptr ? now : last->at)) continue;
    const bool names = Names(code, op, c.key, c.element);
    if (words && !(names && IsColumn(strand, c.key)) &&
        (c.goes_on || c.first <= now))
      continue;
    // Behind register arithmetic all of it is waited for (chains of it).
    if (c.goes_on || names) last = &c;
  }
  return last;
}

// Of register arithmetic that others go on beside, what is done last: nobody
// goes on behind a jump.
const Engine::Coming* Engine::LastArithmetic(int32_t strand) const {
  const Coming* last = nullptr;
  for (const Coming& c : clocks_[strand].ready) {
    if (c.goes_on && c.at > (last == nullptr ? now_ : last->at)) last = &c;
  }
  return last;
}

// When what register arithmetic reads is there.
void Engine::NoteReady(int32_t strand, const machine::CompiledOp& op,
                       CostContext& context) const {
  const machine::Code& code =
      machine_.code_of(state_.ctas[clocks_[strand].cta]);
  for (const Coming& r : clocks_[strand].ready) {
    if (r.at <= now_ || !Names(code, op, r.key, r.element)) continue;
    context.ready = std::max(context.ready, static_cast<double>(r.at));
  }
}

// When the strand has done what lies before the op that it has come to.
Cycle Engine::BehindControl(int32_t strand, const StepResult& r) {
  const Clock& c = clocks_[strand];
  const machine::Cta& cta = state_.ctas[c.cta];
  if (prices_[cta.kernel] == nullptr) return now_ + Rounded(ControlOf(r));
  Cycle from = now_;
  for (const Coming& coming : c.ready) {
    for (int32_t op : r.awaits) {
      if (coming.key == -2 - op) from = std::max(from, coming.at);
    }
  }
  if (r.passed == machine::Passed()) return from;
  ir::ConcreteOp next;  // who comes to it is all that counts
  next.op = machine_.code_of(cta).ops[std::max(r.op, 0)].op;
  next.threads = state_.strands[strand].threads;
  return from +
         Rounded(CostOfPassed(ContextOf(next, c.cta, 0, from), r.passed));
}

// When a load that ends its issue at `end`, and alone were there at `at`, is
// there if it was issued right behind those before it: of other iterations, or
// of the same block.
Cycle Engine::LoadedAhead(int32_t strand, int32_t op, Cycle end, Cycle at) {
  const auto& kernel = loads_ahead_[state_.ctas[clocks_[strand].cta].kernel];
  if (kernel.empty()) return at;
  const LoadAhead& load = kernel[op];
  if (load.iterations <= 1 && load.behind < 0 && !load.leads) return at;
  const int32_t first = load.behind < 0 ? op : load.behind;
  auto& all = clocks_[strand].ahead;
  auto it = std::find_if(all.begin(), all.end(),
                         [=](const Ahead& a) { return a.op == first; });
  if (it == all.end()) it = all.insert(all.end(), {.op = first});
  if (load.behind >= 0) {  // it was issued behind the last, before what waited
    const Cycle waited = now_ - it->issued;
    it->issued = end - waited;
    return std::max(end, at - waited);
  }
  const int32_t place = it->made++ % load.iterations;
  it->issued = end;
  if (place == 0) {
    it->first = at;
    it->issue = end - now_;
    return at;
  }
  return std::clamp(it->first + place * it->issue, end, std::max(end, at));
}

void Engine::NoteLoad(int32_t strand, const Coming& coming) {
  Clock& c = clocks_[strand];
  auto it = std::find_if(c.ready.begin(), c.ready.end(), [&](const Coming& e) {
    return e.key == coming.key && e.element == coming.element;
  });
  if (coming.key >= 0) c.all_ready = std::max(c.all_ready, coming.at);
  c.working |= coming.work.some();
  if (it == c.ready.end()) {
    c.ready.push_back(coming);
  } else if (coming.goes_on) {
    // Nobody names what it was any more, but it is still under way.
    it->key = kNoTile;
    c.ready.push_back(coming);
  } else if (coming.at >= it->at) {
    *it = coming;
  }
}

}  // namespace tilesim::timing
