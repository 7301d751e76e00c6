#include "checkers/grid/accesses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checkers/grid/box.h"
#include "checkers/grid/counted_while.h"
#include "checkers/grid/depends.h"
#include "checkers/grid/flips.h"
#include "checkers/grid/growth.h"
#include "checkers/grid/guards.h"
#include "checkers/grid/one_store.h"
#include "checkers/grid/operators.h"
#include "checkers/grid/query.h"
#include "checkers/grid/ranges.h"
#include "checkers/grid/reached.h"
#include "checkers/grid/renaming.h"
#include "checkers/grid/scalars.h"
#include "checkers/grid/text.h"
#include "checkers/grid/touches.h"
#include "checkers/proof/condition.h"
#include "ir/effect.h"

namespace tilesim::checkers::grid {
using ir::Expr;
using ir::Stmt;
using solver::All;
using solver::Eq;
using solver::Ge;
using solver::Le;
using solver::Lt;
using solver::Not;

namespace {

class Reader {
 public:
  Reader(const machine::Code& code, const ir::Overrides& fixed, Inputs inputs)
      : code_(code),
        kernel_(code.kernel()),
        inputs_(inputs),
        scalars_(out_, code, fixed),
        operators_(out_.operators, scalars_),
        reached_(kernel_),
        one_store_(code) {
    operators_.ReadLaunch(kernel_);
    for (const ir::Constant& c : kernel_.constants) {
      if (c.is_let)
        out_.lets.push_back({c.slot, scalars_.Of(c.slot), Formula::True()});
    }
    for (const machine::CompiledOp& op : code.ops) {
      compiled_[op.op] = &op;
      for (const ir::Effect& e : EffectsOf(*op.op))
        out_.asks_for_clusters |= e.kind == ir::EffectKind::kClcCancel;
      for (const Touch& t : TouchesOf(code, op)) {
        if (t.write) written_.insert(t.decl);
      }
    }
  }

  Accesses Run(Tensors tensors) {
    Walk(kernel_.body);
    DefineLoaded();
    if (tensors == Tensors::kWritten) KeepWritten();
    for (const Access& a : out_.all) NoteTensor(a.decl);
    return std::move(out_);
  }

 private:
  void DefineLoaded() {
    const auto used = [&](const Linear& loaded) {
      const std::set<Var> of{loaded.terms().begin()->first};
      return std::any_of(out_.all.begin(), out_.all.end(), [&](auto& a) {
        return Depends(out_.terms, a.when, of) ||
               std::any_of(a.start.begin(), a.start.end(), [&](auto& start) {
                 return Depends(out_.terms, start, of);
               });
      });
    };
    out_.small_sizes = one_store_.Define(used, out_);
  }

  void Walk(const ir::Block& block) {
    size_t when = when_.size();
    for (const Stmt& s : block) One(s);
    when_.resize(when);
  }

  void One(const Stmt& s) {
    switch (s.kind) {
      case Stmt::Kind::kLet:
      case Stmt::Kind::kVar:
      case Stmt::Kind::kAssign:
        operators_.Read(s.value, when_);
        operators_.Let(s.slot, s.value);
        scalars_.Set(s.slot, scalars_.Value(s.value));
        if (s.kind == Stmt::Kind::kLet)
          out_.lets.push_back({s.slot, scalars_.Of(s.slot), All(when_)});
        return;
      case Stmt::Kind::kFor:
        return For(s);
      case Stmt::Kind::kWhile:
        return While(s);
      case Stmt::Kind::kIf:
        return If(s);
      case Stmt::Kind::kScope:
        return InScope(s);
      case Stmt::Kind::kOp:
        return Op(*s.op);
      case Stmt::Kind::kDecl:
      case Stmt::Kind::kBreak:
      case Stmt::Kind::kContinue:
      case Stmt::Kind::kCall:
      case Stmt::Kind::kReturn:
        return;
    }
  }

  void Under(const Formula& condition, const ir::Block& block) {
    when_.push_back(condition);
    Walk(block);
    when_.pop_back();
  }

  // --- scopes and conditions -------------------------------------------------

  // Other threads keep what they had, so afterwards nothing is known of what
  // the block has set.
  void InScope(const Stmt& s) {
    size_t when = when_.size();
    size_t scopes = scopes_.size();
    bool some = some_lanes_, each = each_iteration_, guarded = guarded_;
    const int cuts = lane_cuts_;
    operators_.Read(s.scopes, when_);
    for (size_t k = 0; k < s.scopes.size();) {
      std::vector<Formula> united;
      do {
        const ir::Scope& scope = s.scopes[k];
        united.push_back(scalars_.Executes(scope));
        const bool same = SameWarps(scope);
        each_iteration_ = each_iteration_ && same;
        guarded_ = guarded_ && same;
        some_lanes_ |= scope.kind != ir::Scope::Kind::kWarps &&
                       scope.kind != ir::Scope::Kind::kWarpgroups;
        lane_cuts_ += scope.kind == ir::Scope::Kind::kLanes ||
                              scope.kind == ir::Scope::Kind::kThreads
                          ? 1
                          : 0;
      } while (++k < s.scopes.size() && s.scopes[k].also);
      scopes_.push_back(united.size() == 1 ? united[0]
                                           : solver::Any(std::move(united)));
      when_.push_back(scopes_.back());
    }
    Walk(s.body);
    when_.resize(when);
    scopes_.resize(scopes);
    some_lanes_ = some;
    lane_cuts_ = cuts;
    each_iteration_ = each;
    guarded_ = guarded;
    for (int32_t slot : SetIn(s.body)) scalars_.Forget(slot);
  }

  // Whenever it is entered: numbers, or of the warp's own number.
  bool SameWarps(const ir::Scope& scope) {
    if (scalars_.Executes(scope).is_true()) return true;
    return OfWarp(scalars_.Value(scope.low)) &&
           (!scope.range || OfWarp(scalars_.Value(scope.high)));
  }

  bool OfWarp(const Linear& number) const {
    const auto& terms = number.terms();
    return std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
      const Linear v = Linear::Of(term.first);
      return v == out_.warp || v == out_.warpgroup;
    });
  }

  void If(const Stmt& s) {
    operators_.Read(s.value, when_);
    Formula condition = scalars_.Condition(s.value);
    Scalars::Values before = scalars_.values();
    bool each = std::exchange(each_iteration_, false);
    guards_.Push(when_.size(), !iterations_.empty());
    Under(condition, s.body);
    Scalars::Values then = std::exchange(scalars_.values(), before);
    Under(Not(condition), s.orelse);
    guards_.Pop();
    each_iteration_ = each;
    std::set<int32_t> set = SetIn(s);
    for (int32_t slot : set) scalars_.Join(slot, condition, then);
    // What follows in the block is for those that have not left it.
    if (EndsInJump(s.body)) when_.push_back(Not(condition));
    if (EndsInJump(s.orelse)) when_.push_back(condition);
  }

  // --- loops -----------------------------------------------------------------

  void For(const Stmt& s) {
    Terms& t = out_.terms;
    const Var first = t.size();
    const std::set<int32_t> set = SetIn(s);
    // The end and the step are worked out anew in each iteration.
    auto value = [&](const Expr& e) {
      return Mentions(e, set) ? t.New("", false) : scalars_.Value(e);
    };
    operators_.Read(s.low, when_);
    Linear low = scalars_.Value(s.low), high = value(s.high);
    Linear step = s.step ? value(*s.step) : Linear(1);
    bool up = t.Low(step).value_or(0) >= 1;
    LoopEntry& entry = out_.loops.emplace_back(LoopEntry{&s, All(when_), {}});
    if (up && !Mentions(s.high, set)) entry.goes = Lt(low, high);
    auto last = t.High(high);
    Linear i = t.New(s.name, false, up ? t.Low(low) : std::nullopt,
                     last ? std::optional(*last - 1) : std::nullopt);
    if (up) t.SetEntered(i, Lt(low, high));
    Linear iteration = t.Usable(i - low);
    if (step != Linear(1)) {
      iteration = t.New("", false, 0);
      t.Define(i, Eq(t.Usable(low + t.Multiply(iteration, step)), i));
    }
    Formula within = All({Ge(iteration, 0), Lt(i, high)});
    t.Define(i, within);
    Loop loop{&s.body, set, step == Linear(1) ? s.slot : -1, low};
    Growth growth = GrowthIn(loop, t, scalars_);
    Scalars::Values before = scalars_.values();
    const Ranges ranges =
        RangesAround(s.body, set, growth, {s.slot, Range{t.Low(i), t.High(i)}});
    ReadBound(s.high, set);
    if (s.step) ReadBound(*s.step, set);
    EnterIteration(s, growth, ranges, iteration, nullptr);
    scalars_.Set(s.slot, i);
    const Linear of = IterationsOf(t, low, high, step);
    InIteration({iteration, of, true, i, low, high, step, &s}, within, s.body);
    std::optional<Linear> iterations;
    if (up && !Jumps(s.body, Stmt::Kind::kBreak)) iterations = of;
    Leave(set, growth, before,
          {first, JumpsAtAll(s.body), iteration, iterations});
  }

  // In each iteration, where `set` is anything.
  void ReadBound(const Expr& e, const std::set<int32_t>& set) {
    if (!Mentions(e, set)) return operators_.Read(e, when_);
    Scalars::Values before = scalars_.values();
    for (int32_t slot : set) scalars_.Forget(slot);
    operators_.Read(e, when_);
    scalars_.values() = std::move(before);
  }

  void While(const Stmt& s) {
    Terms& t = out_.terms;
    const Var first = t.size();
    Linear iteration = t.New("", false, 0);
    std::set<int32_t> set = SetIn(s.body);
    Growth growth = GrowthIn({&s.body, set, -1, Linear()}, t, scalars_);
    Scalars::Values before = scalars_.values();
    std::optional<Query> query =
        OnlyQuery(s.body, set, [&](const ir::Op& op) { return QueryOf(op); });
    out_.loops.push_back({&s, All(when_), scalars_.Condition(s.value)});
    const Ranges ranges = RangesAround(s.body, set, growth, {-1, Range()});
    EnterIteration(s, growth, ranges, iteration, query ? &*query : nullptr);
    operators_.Read(s.value, when_);
    Access::Iteration each{
        iteration, t.New("", false, 0), false, {}, {}, {}, {}, &s};
    CountUp({s.value, set, growth, before}, t, scalars_, each);
    InIteration(each, scalars_.Condition(s.value), s.body);
    std::optional<Linear> iterations;
    if (!Jumps(s.body, Stmt::Kind::kBreak)) iterations = iteration;
    Leave(set, growth, before,
          {first, JumpsAtAll(s.body), iteration, iterations});
  }

  void InIteration(const Access::Iteration& iteration, const Formula& condition,
                   const ir::Block& body) {
    const bool each = each_iteration_, guarded = guarded_;
    const bool jumps =
        Jumps(body, Stmt::Kind::kBreak) || Jumps(body, Stmt::Kind::kContinue);
    each_iteration_ = each && !jumps;
    guarded_ = guarded && !jumps;
    iterations_.push_back(iteration);
    iterations_.back().goes = condition;
    Under(condition, body);
    iterations_.pop_back();
    each_iteration_ = each;
    guarded_ = guarded;
  }

  // Of scalars that iterations hand on, and of which it is not known what each
  // adds. The counter is in its range, as long as the loop goes around.
  Ranges RangesAround(const ir::Block& body, const std::set<int32_t>& set,
                      const Growth& growth,
                      const std::pair<int32_t, Range>& counter) {
    Ranges before;
    const auto range_of = [&](const Linear& a) {
      return Range{out_.terms.Low(a), out_.terms.High(a)};
    };
    for (int32_t slot : set) {
      if (scalars_.Has(slot) && !growth.contains(slot))
        before[slot] = range_of(scalars_.Of(slot));
    }
    std::erase_if(before, [](const auto& r) { return !r.second.known(); });
    if (before.empty()) return before;
    if (counter.second.known()) before.insert(counter);
    Ranges out = RangesIn(body, set, before, [&](const Expr& name) {
      const bool known =
          name.name_kind == ir::NameKind::kBuiltin || scalars_.Has(name.slot);
      return known ? range_of(scalars_.Value(name)) : Range();
    });
    std::erase_if(out,
                  [&](const auto& r) { return !before.contains(r.first); });
    return out;
  }

  // Scalars as an iteration begins: before it as many others as
  // `iteration` says.
  void EnterIteration(const Stmt& loop, const Growth& growth,
                      const Ranges& ranges, const Linear& iteration,
                      const Query* query) {
    Terms& t = out_.terms;
    const Scalars::Values before = scalars_.values();
    const std::set<int32_t> set = SetIn(loop);
    const Flips flips(loop.body, set, growth, scalars_);
    for (int32_t slot : set) {
      auto grows = growth.find(slot);
      if (grows != growth.end()) {
        Linear begin = scalars_.Of(slot);
        scalars_.Set(
            slot,
            t.Usable(begin + SumBefore(t, scalars_, grows->second, iteration)));
      } else if (const auto in = ranges.find(slot); in != ranges.end()) {
        scalars_.SetAny(slot, in->second.low, in->second.high);
      } else {
        scalars_.Forget(slot);
      }
    }
    flips.Enter(iteration, t, scalars_);
    if (query != nullptr) EnterWithAnswer(*query, iteration, before);
  }

  static bool JumpsAtAll(const ir::Block& body) {
    return Jumps(body, Stmt::Kind::kBreak) ||
           Jumps(body, Stmt::Kind::kContinue) ||
           Jumps(body, Stmt::Kind::kReturn);
  }

  // What an iteration has left, some one: the last; or what was there before,
  // if there was `none`.
  void AsInTheLast(int32_t slot, const Scalars::Values& before, bool jumps,
                   const Formula& none, Renaming& last) {
    auto now = scalars_.values().find(slot);
    auto begin = before.find(slot);
    if (jumps || now == scalars_.values().end() || begin == before.end())
      return scalars_.Forget(slot);
    scalars_.Set(slot,
                 out_.terms.Select(none, begin->second, last.Of(now->second)));
  }

  // A loop that is over.
  struct Over {
    Var first;   // of what is made in it
    bool jumps;  // an iteration may end before its end
    Linear iteration;
    std::optional<Linear> iterations;
  };

  // docs/all_sizes.md 5.1. In the text that follows, what the loop has counted
  // has the numbers of its last iteration; where it has had none, any number.
  void Leave(const std::set<int32_t>& set, const Growth& growth,
             const Scalars::Values& before, const Over& loop) {
    Terms& t = out_.terms;
    const Linear some =
        loop.iterations ? *loop.iterations : t.New("", false, 0);
    const Formula none = Le(some, 0);
    const bool judged = proof::IsJudged(proof::Condition::kLastIteration);
    Renaming last(
        out_, [&](Var v) { return !judged || v < loop.first; }, Not(none));
    for (int32_t slot : set) {
      auto grows = growth.find(slot);
      if (grows == growth.end() || !loop.iterations) {
        AsInTheLast(slot, before, loop.jumps, none, last);
        continue;
      }
      Linear begin = before.at(slot);
      Linear sum = SumBefore(t, scalars_, grows->second, *loop.iterations);
      scalars_.Set(slot, t.Usable(begin + sum));
    }
    if (!last.names().empty() && loop.iterations) {
      const Linear number = last.Of(loop.iteration);
      for (const auto& [v, copy] : last.names()) {
        if (Has(loop.iteration, v))
          t.Define(Linear::Of(copy), solver::Any({none, Eq(number, some - 1)}));
      }
    }
    last.HandOut();
  }

  static bool Has(const Linear& l, Var v) {
    return std::any_of(l.terms().begin(), l.terms().end(),
                       [&](const auto& term) { return term.first == v; });
  }

  // --- cluster launch control ------------------------------------------------

  std::optional<Query> QueryOf(const ir::Op& op) {
    for (const ir::Effect& e : EffectsOf(op)) {
      if (e.kind != ir::EffectKind::kClcQuery) continue;
      Query out{&op, -1, {}, {}};
      out.canceled = op.operands[e.value].expr.slot;
      for (size_t i = 0; i < op.operands.size(); ++i) {
        if (IsVariable(op, i) && i != static_cast<size_t>(e.value))
          out.coordinates.push_back(op.operands[i].expr.slot);
      }
      return out;
    }
    return std::nullopt;
  }

  void Adjust(const Stmt& s) {
    if (s.kind == Stmt::Kind::kAssign)
      return scalars_.Set(s.slot, scalars_.Value(s.value));
    const Formula condition = scalars_.Condition(s.value);
    const Scalars::Values before = scalars_.values();
    for (const Stmt& inner : s.body) Adjust(inner);
    const Scalars::Values then = std::exchange(scalars_.values(), before);
    for (const Stmt& inner : s.orelse) Adjust(inner);
    for (int32_t slot : SetIn(s)) scalars_.Join(slot, condition, then);
  }

  // Of the first iteration what was there before, of others the answer to the
  // one before.
  void EnterWithAnswer(const Query& query, const Linear& iteration,
                       const Scalars::Values& before) {
    const std::map<int32_t, Linear> handed = Answer(query, iteration);
    for (const auto& [slot, value] : handed) scalars_.Set(slot, value);
    for (const Stmt* s : query.adjusts) Adjust(*s);
    for (const auto& [slot, value] : handed) {
      const Linear answer = scalars_.Of(slot);
      scalars_.Forget(slot);
      auto begin = before.find(slot);
      const Linear first =
          begin != before.end() ? begin->second : scalars_.Of(slot);
      scalars_.Set(slot, out_.terms.Select(Eq(iteration, 0), first, answer));
    }
  }

  // An answer: whether a cluster was handed out, and which.
  std::map<int32_t, Linear> Answer(const Query& query,
                                   const std::optional<Linear>& iteration) {
    Terms& t = out_.terms;
    HandedOut answer{iteration, query.op, t.New("", false, 0, 1), {}};
    std::map<int32_t, Linear> out{{query.canceled, answer.valid}};
    for (size_t i = 0; i < 3; ++i) {
      // Clusters begin at multiples of their size.
      Linear at = t.New("", false, 0), of = t.New("", false, 0);
      t.Define(at,
               All({Lt(at, out_.grid[i]), Eq(of * out_.cluster_size[i], at)}));
      answer.cta[i] = at;
      if (i < query.coordinates.size()) out[query.coordinates[i]] = at;
    }
    out_.handed_out.push_back(answer);
    return out;
  }

  // --- ops -------------------------------------------------------------------

  const std::vector<ir::Effect>& EffectsOf(const ir::Op& op) {
    sink_.Clear();
    ir::EffectsOf(machine::FixedOperands(*compiled_.at(&op)), sink_);
    return sink_.effects();
  }

  void Op(const ir::Op& op) {
    operators_.Read(op, when_);
    for (const Touch& t : TouchesOf(code_, *compiled_.at(&op))) {
      Access a = BoxOf(op, t.operand);
      a.write = t.write;
      a.atomic = t.atomic;
      a.parts = PartsOf(code_, op);
      out_.all.push_back(std::move(a));
    }
    if (std::optional<Query> query = QueryOf(op)) {
      for (const auto& [slot, value] : Answer(*query, std::nullopt))
        scalars_.Set(slot, value);
      return;
    }
    const machine::CompiledOp& compiled = *compiled_.at(&op);
    if (std::optional<int> stored = one_store_.StoredBy(compiled))
      one_store_.Stored(compiled, scalars_.Value(op.operands[*stored].expr));
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!IsVariable(op, i)) continue;
      const int32_t slot = op.operands[i].expr.slot;
      scalars_.Forget(slot);
      if (auto element = InDomain(op)) scalars_.Set(slot, *element);
      if (auto decl = one_store_.LoadedBy(compiled)) {
        scalars_.Set(slot, out_.terms.New("", false));
        one_store_.Loaded(*decl, scalars_.Of(slot));
      }
    }
  }

  // What the op loads, if that is an element of an input and no more.
  std::optional<Linear> InDomain(const ir::Op& op) {
    if (inputs_ == Inputs::kAny) return std::nullopt;
    const std::vector<ir::Effect>& effects = EffectsOf(op);
    const bool loads =
        effects.size() == 1 && effects[0].kind == ir::EffectKind::kRead &&
        effects[0].sem == ir::Sem::kWeak && effects[0].operand >= 0;
    if (!loads) return std::nullopt;
    const int32_t id = op.operands[effects[0].operand].ref.decl;
    const ir::Decl& decl = kernel_.decls[id];
    if (decl.space != ir::Space::kGlobal || written_.contains(id) ||
        !decl.domain_low || !decl.domain_high)
      return std::nullopt;
    Terms& t = out_.terms;
    Linear low = scalars_.Value(*decl.domain_low);
    Linear high = scalars_.Value(*decl.domain_high);
    Linear element = t.New("", false, t.Low(low), t.High(high));
    t.Define(element, All({Ge(element, low), Le(element, high)}));
    return element;
  }

  Access BoxOf(const ir::Op& op, int operand) {
    const ir::Ref& ref = op.operands[operand].ref;
    const ir::Decl& decl = kernel_.decls[ref.decl];
    Access out{ref.decl,
               &op,
               operand,
               false,
               ir::Atomic::kNot,
               {},
               {},
               All(when_),
               iterations_,
               each_iteration_,
               guarded_ ? std::optional(guards_.Split(when_)) : std::nullopt,
               scopes_,
               some_lanes_,
               lane_cuts_ > 1,
               Together::kNoOthers,
               {}};
    if (const Path* path = reached_.PathOf(op)) {
      std::vector<Formula> all = ConditionsOf(*path, scalars_);
      for (const Access::Iteration& loop : iterations_)
        all.push_back(FirstIterationOf(out_.loops, loop.loop));
      out.reached = All(std::move(all));
    }
    PlaceBox(ref, decl, scalars_, out);
    return out;
  }

  void KeepWritten() {
    std::set<int32_t> written;
    for (const Access& a : out_.all)
      if (a.write) written.insert(a.decl);
    std::erase_if(out_.all, [&](auto& a) { return !written.contains(a.decl); });
  }

  void NoteTensor(int32_t decl) {
    auto [at, fresh] = out_.tensors.try_emplace(decl);
    if (!fresh) return;
    const ir::Decl& d = kernel_.decls[decl];
    for (const Expr& e : d.shape) at->second.shape.push_back(scalars_.Value(e));
    at->second.per_byte = std::max(1, 8 / values::BitsOf(d.dtype));
    for (const Expr& e : d.strides)
      at->second.strides.push_back(scalars_.Value(e));
  }

  const machine::Code& code_;
  const ir::Kernel& kernel_;
  const Inputs inputs_;
  std::set<int32_t> written_;
  Accesses out_;
  Scalars scalars_;
  OperatorReader operators_;
  const Reached reached_;
  OneStore one_store_;
  std::map<const ir::Op*, const machine::CompiledOp*> compiled_;
  ir::EffectSink sink_;
  std::vector<Formula> when_;
  std::vector<Access::Iteration> iterations_;
  std::vector<Formula> scopes_;
  bool some_lanes_ = false;
  int lane_cuts_ = 0;  // scopes around that let some lanes of a warp pass
  bool each_iteration_ = true;
  bool guarded_ = true;  // Access::guarded
  Guards guards_;
};

}  // namespace

Accesses AccessesOf(const machine::Code& code, const ir::Overrides& fixed,
                    Tensors tensors, Inputs inputs) {
  return Reader(code, fixed, inputs).Run(tensors);
}

}  // namespace tilesim::checkers::grid
