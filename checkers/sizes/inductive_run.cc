#include "checkers/sizes/inductive_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "checkers/run/pace.h"
#include "checkers/sizes/dependence_window.h"
#include "checkers/sizes/exchange.h"
#include "checkers/sizes/written.h"
#include "ir/cat.h"
#include "sim/machine/targets.h"

namespace tilesim::checkers::sizes {
using run::Event;
using run::Flags;
using run::Log;
using run::StrandsOf;

namespace {

using ir::EffectKind;
using machine::State;
using machine::Strand;
using Kind = Symbolic::Kind;

// The parity of of / by, with `by` as small as it can be made, down to `least`.
Symbolic Cancelled(Symbolic parity, int64_t least) {
  if (parity.kind != Kind::kParity || parity.by % least != 0) return parity;
  auto of = parity.of.DividedBy(parity.by / least);
  return of ? Symbolic{Kind::kParity, *of, least} : parity;
}

// A parity of single turns is a remainder by 2.
Symbolic AsRemainder(const Symbolic& s) {
  Symbolic out = Cancelled(s, 1);
  bool single = out.kind == Kind::kParity && out.by == 1;
  return single ? Symbolic{Kind::kRemainder, out.of, 2} : out;
}

int32_t DeclOf(const machine::CompiledOperand& c) {
  bool barrier = c.kind == ir::OperandValue::Kind::kBarrier;
  return barrier ? c.fixed.barrier.decl : c.fixed.tile.decl;
}

// Whether the op sets a scalar here, instead of reading one.
bool Written(const machine::CompiledOp& op, size_t operand) {
  return (op.op->info->operands[operand].types & ir::kTakesVar) != 0;
}

// Memory accesses only, and the number does not say which (as `accumulate`
// does): it decides nothing but data.
bool OnlyData(const Event& e, int operand) {
  bool moves = std::all_of(
      e.effects().begin(), e.effects().end(), [](const ir::Effect& f) {
        return f.Is(ir::kAccesses);
      });
  auto effects_with = [&](int64_t number) {
    ir::ConcreteOp op = e.concrete();
    op.operands[operand].number = number;
    ir::EffectSink effects;
    ir::EffectsOf(op, effects);
    return effects.effects().size();
  };
  return moves && effects_with(0) == effects_with(1);
}

}  // namespace

void RunNotes::BackTo(int64_t turn) {
  turns.resize(turn);
  if (first.size() > static_cast<size_t>(turn)) numbers.resize(first[turn]);
  first.resize(turn);
  while (!guards.empty() && guards.back().turn >= turn) guards.pop_back();
}

std::span<const int64_t> RunNotes::NumbersOf(int64_t turn) const {
  auto next = static_cast<size_t>(turn) + 1;
  size_t end = next < first.size() ? first[next] : numbers.size();
  return std::span(numbers).subspan(first[turn], end - first[turn]);
}

InductiveRun::InductiveRun(const machine::Code& code, SymbolicState shadow,
                           std::vector<LoopSummary> repeats, Symbol fresh,
                           RunNotes* notes)
    : code_(code),
      symbolic_(std::move(shadow)),
      fresh_(fresh),
      worlds_(RingsOf(code)),
      flags_(symbolic_.family().flags),
      notes_(notes) {
  Replan(std::move(repeats));
  symbolic_.OnGuard([notes](const Guard& g) {
    notes->guards.push_back({static_cast<int64_t>(notes->turns.size()) - 1, g});
  });
}

void InductiveRun::Replan(std::vector<LoopSummary> repeats) {
  repeats_ = std::move(repeats);
  before_.resize(repeats_.size());
  worlds_before_.resize(repeats_.size());
  answers_before_.resize(repeats_.size());
}

void InductiveRun::Fail(std::string why) {
  if (!why_.empty()) return;
  why_ = std::move(why);
  if (!active_.empty()) failed_ = active_.back().repeat;
}

bool InductiveRun::Turn(const State& state, const Log& log) {
  if (symbolic_.mistaken())
    Fail("our bug: a size does what was shown that it does not");
  if (!why_.empty() || symbolic_.undecided()) return false;
  auto now = static_cast<int64_t>(turns().size());
  notes_->turns.push_back(static_cast<int32_t>(log.events.size()));
  NoteNumbers(state);
  while (!active_.empty() && repeats_[active_.back().repeat].end == now) {
    End(state, log);
    if (!why_.empty()) return false;
  }
  for (size_t i = 0; i < repeats_.size(); ++i) {
    auto repeat = static_cast<int32_t>(i);
    if (repeats_[i].begin - repeats_[i].length() == now)
      Snapshot(state, repeat);
  }
  // Of several that begin here, the longest is the outermost.
  std::vector<int32_t> here;
  for (size_t i = 0; i < repeats_.size(); ++i) {
    if (repeats_[i].begin == now) here.push_back(static_cast<int32_t>(i));
  }
  std::sort(here.begin(), here.end(), [&](int32_t a, int32_t b) {
    return repeats_[a].end > repeats_[b].end;
  });
  for (int32_t repeat : here) Begin(state, repeat);
  return why_.empty();
}

// The scalars that still matter.
InductiveRun::Scalars InductiveRun::ScalarsOf(const State& state) {
  Scalars out;
  for (int32_t i : StrandsOf(state)) {
    SymbolicState::Slots& live =
        out.emplace_back(code_.initial_slots.size(), Symbolic::Unknown());
    const SymbolicState::Slots& all = symbolic_.slots(i);
    for (int16_t slot : code_.live[state.strands[i].pc]) live[slot] = all[slot];
    for (const ir::Param& p : code_.kernel().params) live[p.slot] = all[p.slot];
  }
  return out;
}

void InductiveRun::NoteNumbers(const State& state) {
  std::vector<int64_t>& out = notes_->numbers;
  notes_->first.push_back(out.size());
  StrandsOf(state, notes_->strands);
  for (int32_t i : notes_->strands) {
    const Strand& s = state.strands[i];
    for (int16_t slot : code_.live[s.pc]) out.push_back(s.slots[slot]);
  }
}

bool InductiveRun::MovedEvenly(int64_t end, int64_t length,
                               int64_t copies) const {
  for (int64_t c = 0; c < copies && end >= (c + 2) * length; ++c) {
    auto last = notes_->NumbersOf(end - c * length);
    auto middle = notes_->NumbersOf(end - (c + 1) * length);
    auto first = notes_->NumbersOf(end - (c + 2) * length);
    if (first.size() != middle.size() || middle.size() != last.size())
      return false;
    for (size_t i = 0; i < last.size(); ++i) {
      bool even = last[i] - middle[i] == middle[i] - first[i];
      bool toggles = last[i] == first[i] && (first[i] | middle[i]) == 1 &&
                     first[i] != middle[i];
      if (!even && !toggles) return false;
    }
  }
  return true;
}

void InductiveRun::Snapshot(const State& state, int32_t repeat) {
  before_[repeat] = ScalarsOf(state);
  worlds_before_[repeat] = worlds_;
  answers_before_[repeat] = answers_;
}

void InductiveRun::Begin(const State& state, int32_t repeat) {
  const LoopSummary& r = repeats_[repeat];
  Active a{repeat, fresh_++, fresh_++, state, ScalarsOf(state),
           {},     {},       {},       {},    {}};
  const Scalars earlier = std::exchange(before_[repeat], {});
  a.moved = a.scalars;
  Polynomial done = Polynomial::Of(a.done);
  active_.push_back(std::move(a));
  Active& now = active_.back();
  if (earlier.size() != now.scalars.size())
    return Fail("threads divide or end in every repeat");
  std::vector<int32_t> strands = StrandsOf(state);
  for (size_t i = 0; i < now.scalars.size(); ++i) {
    for (size_t k = 0; k < now.scalars[i].size(); ++k) {
      bool known = k < earlier[i].size() &&
                   r.forget.count(
                       {static_cast<int32_t>(i), static_cast<int32_t>(k)}) == 0;
      auto moved =
          known ? Moved(earlier[i][k], now.scalars[i][k]) : std::nullopt;
      Symbolic& value = now.scalars[i][k];
      if (moved) {
        value = MovedOn(value, *moved, done);
        now.moved[i][k] = *moved;
      } else {
        value = Symbolic::Unknown();
        now.moved[i][k] = Symbolic::Unknown();
      }
      symbolic_.SetSlot(strands[i], static_cast<int32_t>(k), value);
    }
  }
  for (size_t d = 0; d < worlds_.size(); ++d) {
    Polynomial turned = worlds_[d] - worlds_before_[repeat][d];
    now.turned.push_back(turned);
    worlds_[d] += (turned + Polynomial(r.rotation[d].value_or(0))) * done;
  }
  now.answers_moved =
      answers_.Since(answers_before_[repeat], code_, r.rotation);
  answers_ = answers_.MovedOn(now.answers_moved, done);
  now.answers = answers_;
  words_.Forget();
  // That many are done, and those that are left make `times` in all.
  symbolic_.Push({r.times, done + Polynomial::Of(now.left)});
  now.scalars = ScalarsOf(state);
  now.worlds = worlds_;
}

void InductiveRun::Substitute(Symbol symbol, const Polynomial& value) {
  symbolic_.Replace(symbol, value);
  for (Polynomial& w : worlds_) w = w.Replace(symbol, value);
  answers_.Replace(symbol, value);
  auto in = [&](std::vector<Polynomial>& all) {
    for (Polynomial& p : all) p = p.Replace(symbol, value);
  };
  auto in_scalars = [&](Scalars& all) {
    for (SymbolicState::Slots& slots : all) {
      for (Symbolic& s : slots) s.of = s.of.Replace(symbol, value);
    }
  };
  for (Active& a : active_) {
    in(a.worlds);
    in(a.turned);
    a.answers.Replace(symbol, value);
    a.answers_moved.Replace(symbol, value);
    in_scalars(a.scalars);
    in_scalars(a.moved);
  }
}

void InductiveRun::End(const State& state, const Log& log) {
  const Active& a = active_.back();
  const LoopSummary& r = repeats_[a.repeat];
  if (!EndsAsBegun(state, a))
    return Fail("the run does not come back to where it was");
  if (!SeenOften(log, r)) return Fail("the run has too few repeats");
  auto exchanged =
      ExchangedOn(log, turns()[r.first()], turns()[r.begin], turns()[r.end]);
  if (exchanged)
    return Fail(ir::Cat("where `", *exchanged,
                        "` is written and read is not followed"));
  words_.Forget();
  Active over = std::move(active_.back());
  active_.pop_back();
  symbolic_.Pop();
  ++shown_;
  // All are done; what `times` stood for is no longer divided.
  Substitute(over.left, Polynomial());
  Substitute(over.done, r.times);
}

bool InductiveRun::EndsAsBegun(const State& state, const Active& a) {
  const LoopSummary& r = repeats_[a.repeat];
  if (!SameState(code_, a.state, state, r.rotation)) return false;
  Scalars now = ScalarsOf(state);
  if (now.size() != a.scalars.size()) return false;
  for (size_t i = 0; i < now.size(); ++i) {
    for (size_t k = 0; k < now[i].size(); ++k) {
      const Symbolic &begun = a.scalars[i][k], &ended = now[i][k];
      if (begun.unknown()) continue;  // nothing was concluded from it
      auto moved = Moved(begun, ended);
      if (!moved || !(*moved == a.moved[i][k]))
        differ_.emplace(static_cast<int32_t>(i), static_cast<int32_t>(k));
    }
  }
  if (!differ_.empty()) return false;
  for (size_t d = 0; d < worlds_.size(); ++d) {
    if (!(worlds_[d] - a.worlds[d] == a.turned[d])) return false;
  }
  return answers_.HasMoved(a.answers, a.answers_moved, code_, r.rotation);
}

// Whether the slots of a ring are memory of its own, so that one is as good as
// another.
bool InductiveRun::Alone(int32_t decl) const {
  const auto& all = code_.bound.decls;
  const ir::BoundDecl& d = all[decl];
  auto end = [](const ir::BoundDecl& b) {
    bool tmem = b.space == ir::Space::kTmem;
    return b.place + b.objects * (tmem ? b.columns : b.object_bytes);
  };
  if (d.space != ir::Space::kShared && d.space != ir::Space::kTmem) return true;
  return std::none_of(all.begin(), all.end(), [&](const ir::BoundDecl& o) {
    return &o != &d && o.space == d.space && o.pool == d.pool && !o.is_pool &&
           o.place < end(d) && d.place < end(o);
  });
}

bool InductiveRun::InMemoryOfItsOwn(const Event& event) const {
  return std::all_of(event.effects().begin(), event.effects().end(),
                     [&](const ir::Effect& f) {
                       return !event.concrete().is_tile(f.operand) ||
                              Alone(event.concrete().tile(f.operand).decl);
                     });
}

// Whether a slot is as good as another, in rings that do not turn whole rounds.
bool InductiveRun::SlotsAlike(const LoopSummary& r,
                              absl::FunctionRef<bool(int32_t, int64_t)> alike) {
  for (size_t d = 0; d < r.rotation.size(); ++d) {
    int64_t turned = r.rotation[d].value_or(0);
    int32_t decl = DeclOf(code_, static_cast<int32_t>(d));
    int64_t m = code_.bound.decls[decl].objects;
    if (turned % m == 0 || alike(decl, turned)) continue;
    whole_turns_ = m / std::gcd(m, turned);
    return false;
  }
  return true;
}

// Whether the stretch has happened before, back to where its events' partners
// are, and until its ops have returned to every slot that they use.
bool InductiveRun::SeenOften(const Log& log, const LoopSummary& r) {
  bool alone =
      SlotsAlike(r, [&](int32_t decl, int64_t) { return Alone(decl); });
  if (!alone) return false;
  int32_t begin = turns()[r.begin], end = turns()[r.end];
  int32_t partner = WindowBegin(log, begin, end, r.rotation);
  int64_t wanted = 1 + ReuseDistance(log, begin, end, r.rotation);
  int64_t at = r.begin;
  for (int64_t copies = 1; copies < wanted || turns()[at] > partner; ++copies) {
    int64_t before = at - r.length();
    Rotation rotation = r.rotation;
    bool same =
        before >= 0 && turns()[at] - turns()[before] == end - begin &&
        SameEvents(log, turns()[before], turns()[at], end - begin, rotation);
    if (!same) {
      // Each repeat more brings the partner one nearer.
      int64_t back = std::max(turns()[at] - partner, 0);
      int64_t far = (back + end - begin - 1) / (end - begin);
      lacking_ = std::max({int64_t{1}, wanted - copies, far});
      return false;
    }
    at = before;
  }
  int32_t first = turns()[at];
  return SlotsAlike(r, [&](int32_t decl, int64_t turned) {
    return WrittenAlike(log, end, decl, turned) &&
           WrittenOver(log, first, end, decl) &&
           !ReadOneByOne(log, first, end, decl);
  });
}

// --- ops ---------------------------------------------------------------------

void InductiveRun::Executed(const machine::Machine& machine, const State& state,
                            int32_t strand, const Event& event) {
  if (!why_.empty() || symbolic_.undecided()) return;
  const machine::CompiledOp& op = code_.ops[event.op];
  machine::Who who = machine.WhoIs(state, state.strands[strand]);
  symbolic_.At(op.op->span);
  if (!FollowsRings(op, event, strand, who))
    Fail(ir::Cat("what ", op.op->info->mnemonic, " on line ", op.op->span.line,
                 " works on depends on the size"));
  words_.Executed(event, [&](int operand) {
    Symbolic value = symbolic_.Evaluate(op.operands[operand].expr, strand, who);
    // A word holds no negative number as it is.
    bool natural = value.kind == Kind::kNumber &&
                   symbolic_.AtLeast0(value.of).value_or(false);
    return natural && InMemoryOfItsOwn(event) ? value : Symbolic::Unknown();
  });
  NamesElements(state, op, event, strand, who);
  Signalled(op, event, strand, who);
  Wrote(op, event, strand);
}

// The indices of an element of a global tensor.
std::vector<Symbolic> InductiveRun::ElementOf(const machine::CompiledOp& op,
                                              int operand, int32_t strand,
                                              const machine::Who& who) {
  const machine::CompiledOperand& c = op.operands[operand];
  std::vector<Symbolic> out;
  for (int d = 0; d < c.fixed.tile.rank; ++d)
    out.push_back(Symbolic::Number(c.fixed.tile.start[d]));
  for (const auto& start : c.starts)
    out[start.dim] = symbolic_.Evaluate(start.expr, strand, who);
  return out;
}

// Where one is there in some sizes and not in others, they are not alike.
void InductiveRun::NamesElements(const State& state,
                                 const machine::CompiledOp& op,
                                 const Event& event, int32_t strand,
                                 const machine::Who& who) {
  for (int i = 0; i < static_cast<int>(op.operands.size()); ++i) {
    if (!NamesElement(code_, op, i)) continue;
    const ir::TileValue& is = event.concrete().tile(i);
    const std::vector<Symbolic>& shape = symbolic_.family().shapes.at(is.decl);
    std::vector<Symbolic> element = ElementOf(op, i, strand, who);
    for (size_t d = 0; d < element.size(); ++d)
      symbolic_.Inside(state, strand, op.op->span, element[d], shape[d],
                       is.start[d] >= 0 &&
                           is.start[d] < code_.bound.decls[is.decl].shape[d]);
  }
}

// Flags that it sets and waits for.
void InductiveRun::Signalled(const machine::CompiledOp& op, const Event& event,
                             int32_t strand, const machine::Who& who) {
  const Family& family = symbolic_.family();
  for (const Flags& f : family.flags) {
    bool sets = f.sets.count(event.op) != 0;
    if (!sets && f.waits.count(event.op) == 0) continue;
    GridFlags::Place place;
    place.grid = family.grid;
    place.at_least_0 = [&](const Polynomial& p) { return AtLeast0(p); };
    for (int d = 0; d < GridFlags::kDims; ++d) {
      auto at = static_cast<int>(ir::Builtin::kCtaX) + d;
      place.at[d] =
          Polynomial(who[static_cast<ir::Builtin>(at)]) + family.cta[d];
    }
    int operand = event.effects()[0].operand;
    GridFlags::Word word{f.decl, ElementOf(op, operand, strand, who),
                         family.shapes.at(f.decl)};
    sets ? flags_.Set(word, place, !active_.empty()) : flags_.Wait(word, place);
  }
}

// What becomes of scalars that the op sets, and of answers.
void InductiveRun::Wrote(const machine::CompiledOp& op, const Event& event,
                         int32_t strand) {
  const Family& family = symbolic_.family();
  auto found = [&]() -> Symbolic {
    if (family.ticket && event.op == family.ticket->op)
      return Symbolic::Number(family.number);
    for (const Flags& f : family.flags) {
      if (f.waits.count(event.op) != 0) return Symbolic::Number(f.value);
    }
    return words_.LoadedBy(event);
  };
  for (size_t i = 0; i < op.operands.size(); ++i) {
    int32_t slot = op.operands[i].fixed.slot;
    if (!Written(op, i) || slot < 0) continue;
    symbolic_.SetSlot(strand, slot, found());
  }
  answers_.Executed(code_, event);
  const auto& handed_out = symbolic_.family().handed_out;
  for (const ir::Effect& e : event.effects()) {
    bool answers = e.kind == EffectKind::kClcQuery && handed_out &&
                   Alone(event.concrete().tile(e.operand).decl);
    if (!answers) continue;
    std::optional<Polynomial> request = answers_.NumberOf(event, e.operand);
    int32_t slot = op.operands[e.value].fixed.slot;
    if (request && slot >= 0)
      symbolic_.SetSlot(
          strand, slot,
          Symbolic::AtLeast0(*handed_out - Polynomial(1) - *request));
  }
}

bool InductiveRun::FollowsRings(const machine::CompiledOp& op,
                                const Event& event, int32_t strand,
                                const machine::Who& who) {
  using OperandKind = ir::OperandValue::Kind;
  auto known = [&](const machine::CompiledExpr& e) {
    return e.constant || symbolic_.Evaluate(e, strand, who).known().has_value();
  };
  Symbolic slot = Symbolic::Number(0);
  int barrier = -1;  // the operand before
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const machine::CompiledOperand& c = op.operands[i];
    auto operand = static_cast<int>(i);
    if (c.cta && !known(*c.cta)) return false;
    if (c.kind == OperandKind::kBarrier || c.kind == OperandKind::kTile) {
      std::optional<Symbolic> index = IndexOf(c, strand, who);
      if (!index) return false;
      for (int32_t ring : RingsMeant(event, operand)) {
        if (!FollowsRing(ring, *index)) return false;
      }
      bool global = code_.bound.decls[DeclOf(c)].space == ir::Space::kGlobal;
      for (const auto& start : c.starts) {
        bool is_known = known(start.expr);
        if (!global && !is_known) return false;
      }
      slot = *index;
      barrier = c.kind == OperandKind::kBarrier ? operand : -1;
    } else if (op.op->info->operands[i].name == "parity" && barrier >= 0) {
      Symbolic parity = symbolic_.Evaluate(c.expr, strand, who);
      int64_t at = SlotOf(code_, event.concrete().barrier(barrier).index).slot;
      for (int32_t ring : RingsMeant(event, barrier)) {
        if (!FollowsPhase(ring, slot, at, parity)) return false;
      }
    } else if (event.concrete().operands[i].kind == OperandKind::kInt &&
               !Written(op, i) && !known(c.expr) && !OnlyData(event, operand)) {
      return false;
    }
  }
  return true;
}

// Which object of an array of objects the operand is: of a[s, c], s * C + c.
std::optional<Symbolic> InductiveRun::IndexOf(const machine::CompiledOperand& c,
                                              int32_t strand,
                                              const machine::Who& who) {
  if (c.index.empty()) return Symbolic::Number(0);
  Symbolic out = symbolic_.Evaluate(c.index[0], strand, who);
  for (size_t d = 1; d < c.index.size(); ++d) {
    int64_t extent = code_.bound.decls[DeclOf(c)].array[d];
    auto next = symbolic_.Evaluate(c.index[d], strand, who).known();
    if (!next) return std::nullopt;
    if (std::optional<int64_t> so_far = out.known()) {
      out = Symbolic::Number(*so_far * extent + *next);
      continue;
    }
    out = AsRemainder(out);
    if (out.kind != Kind::kRemainder) return std::nullopt;
    out = {Kind::kRemainder, out.of * Polynomial(extent) + Polynomial(*next),
           out.by * extent};
  }
  return out;
}

// The rings that the operand is of: a multicast means several CTAs'.
absl::InlinedVector<int32_t, 2> InductiveRun::RingsMeant(const Event& event,
                                                         int operand) const {
  const ir::OperandValue& value = event.concrete().operands[operand];
  if (value.kind == ir::OperandValue::Kind::kTile)
    return {RingOf(code_, value.tile.decl, 0)};
  auto ctas = static_cast<int32_t>(code_.bound.cluster_size());
  absl::InlinedVector<int32_t, 2> out;
  for (const ir::Effect& e : event.effects()) {
    if (e.operand != operand) continue;
    for (int rank : machine::RanksMeant(e, event.concrete(), ctas))
      out.push_back(RingOf(code_, value.barrier.decl, rank));
  }
  return out;
}

// An object that the text names by a number is that one; of a ring that is
// turned, `index` must turn with it.
bool InductiveRun::FollowsRing(int32_t ring, const Symbolic& index) {
  if (worlds_[ring].constant() && index.known()) return true;
  int64_t m = code_.bound.decls[DeclOf(code_, ring)].objects;
  Polynomial rest = worlds_[ring];
  if (!index.known()) {
    Symbolic i = AsRemainder(index);
    if (i.kind != Kind::kRemainder || i.by != m) return false;
    rest -= i.of.Varying();
  }
  return Fits(rest, m);
}

bool InductiveRun::Fits(const Polynomial& number, int64_t by) {
  bool fits = number.VariesByMultiplesOf(by);
  if (!fits) unfit_ = {number.Varying(), by};
  return fits;
}

// Slot (s + w) % m is (s + w) / m turns further than slot s of the run; so must
// be the parity that is waited for.
bool InductiveRun::FollowsPhase(int32_t ring, const Symbolic& index,
                                int64_t slot, const Symbolic& parity) {
  int64_t m = code_.bound.decls[DeclOf(code_, ring)].objects;
  const Polynomial& world = worlds_[ring];
  if (parity.known()) return Fits(world, 2 * m);
  if (parity.unknown()) unfit_ = {parity.of, parity.by};
  Symbolic p = Cancelled(parity, m);
  if (p.kind == Kind::kRemainder && p.by == 2) p = {Kind::kParity, p.of, 1};
  // A barrier of the ring that has its own count of phases: n is the parity of
  // (n * m + slot) / m.
  if (p.kind == Kind::kParity && p.by == 1)
    p = {Kind::kParity, p.of * Polynomial(m) + Polynomial(slot), m};
  if (p.unknown() || index.unknown() || p.kind != Kind::kParity || p.by != m)
    return false;
  // Whole turns more than in the run: what is left over does not count.
  if (p.of.VariesByMultiplesOf(m)) p.of += Polynomial(slot - p.of.base() % m);
  return p.of.base() % m == slot && Fits(p.of.Varying() - world, 2 * m);
}

}  // namespace tilesim::checkers::sizes
