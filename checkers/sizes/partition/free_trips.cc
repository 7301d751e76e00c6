#include "checkers/sizes/partition/free_trips.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "checkers/proof/condition.h"
#include "checkers/sizes/algebra/symbolic.h"
#include "checkers/sizes/partition/element_load.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/launch_values.h"
#include "checkers/sizes/partition/next_trip.h"
#include "checkers/sizes/partition/positive.h"
#include "checkers/sizes/partition/trip_count.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;

namespace {

// The number itself, of which the symbolic state knows nothing: it follows no
// complement. So nothing may be decided by it.
Expr Unfollowed(Expr e) {
  return Unary(ExprOp::kBitNot, Unary(ExprOp::kBitNot, std::move(e)));
}

class Freeing {
 public:
  Freeing(const KnownOfKernel& known, ir::Kernel& kernel)
      : kernel_(kernel),
        entered_(known.entered),
        elements_(known.elements),
        values_(known.defines, known.inputs, kernel),
        positive_(values_.positive()) {}

  std::vector<FreeTrip> Free() {
    values_.Walk(kernel_.body, [this](Stmt& s, const Known& before) {
      if (s.kind == Stmt::Kind::kFor) For(s);
      if (s.kind == Stmt::Kind::kWhile) While(s, before);
    });
    values_.Walk(kernel_.body, [this](Stmt& s, const Known&) {
      if (s.kind == Stmt::Kind::kIf) AskForFirst(s);
      if (s.kind == Stmt::Kind::kIf) AskForLater(s, -1);
      if (s.kind == Stmt::Kind::kFor) AskForEach(s);
    });
    for (const auto& [says, shared] : params_) {
      ir::Param& trips = kernel_.params[shared.param];
      trips.low = trips.value = shared.may_be_0 ? 0 : 1;
    }
    if (!freed_.empty()) kernel_.items.clear();  // they count statements
    return std::move(freed_);
  }

 private:
  // --- loops -------------------------------------------------------------

  using Known = LaunchValues::Known;

  // From CTA to CTA: with its place, or with an element of an input.
  bool Varies(const Expr& e) const {
    return AsksForPlace(e) ||
           std::any_of(elements_.begin(), elements_.end(),
                       [&](int32_t slot) { return Mentions(e, slot); });
  }

  std::optional<Expr> Written(const Expr& e, int32_t counter = -1,
                              const std::set<int32_t>& moving = {}) const {
    return values_.Written(e, counter, moving);
  }

  // What decides at the front of an iteration whether the rest of it is
  // executed.
  struct Entry {
    std::optional<Expr> condition;
    bool filters = false;  // iterations that do nothing may lie between others
  };

  // Takes it away, if there is one.
  Entry TakeEntry(Block& body, int32_t counter) {
    const Known before = values_.known();
    std::set<int32_t> moving;
    size_t at = 0;
    while (at < body.size() && IsFront(body[at], counter, moving)) ++at;
    Entry out;
    if (at < body.size()) out = EntryAt(body, at, counter, moving);
    values_.known() = before;
    return out;
  }

  // A let, or a variable of the iteration, or what sets that to an element of
  // an input: where the iteration is passed over nothing comes of it.
  bool IsFront(const Stmt& s, int32_t counter, std::set<int32_t>& moving) {
    std::optional<Expr> value;
    int32_t slot = s.slot;
    if (s.kind == Stmt::Kind::kLet || s.kind == Stmt::Kind::kVar) {
      moving.insert(slot);
      value = Written(s.value, counter, moving);
    } else if (const auto load = ElementLoadOf(s)) {
      slot = ir::SlotOf(*load->to);
      const bool own = moving.contains(slot) ||
                       !proof::IsJudged(proof::Condition::kOwnInFront);
      if (own) value = values_.Element(*load->from, counter, moving);
      if (!value) return false;
    } else {
      return false;
    }
    values_.known().erase(slot);
    if (value) values_.known().emplace(slot, *std::move(value));
    return true;
  }

  Entry EntryAt(Block& body, size_t at, int32_t counter,
                const std::set<int32_t>& moving) const {
    Stmt& test = body[at];
    if (test.kind != Stmt::Kind::kIf || !test.orelse.empty()) return {};
    auto condition = Written(test.value, counter, moving);
    if (!condition || !Counts(*condition)) return {};
    auto only = [&](Stmt::Kind kind) {
      return test.body.size() == 1 && test.body[0].kind == kind;
    };
    const bool leaves = only(Stmt::Kind::kBreak);
    const bool skips = only(Stmt::Kind::kContinue);
    if (!leaves && !skips && at + 1 != body.size()) return {};
    Block rest = leaves || skips ? Block() : std::move(test.body);
    body.erase(body.begin() + static_cast<ptrdiff_t>(at));
    std::move(rest.begin(), rest.end(), std::back_inserter(body));
    if (leaves || skips) condition = Unary(ExprOp::kNot, *std::move(condition));
    return {std::move(condition), !leaves};
  }

  // for v in low..high step by
  void For(Stmt& s) {
    const Expr step = s.step ? *s.step : Expr::Int(1, s.span);
    auto low = Written(s.low), high = Written(s.high), by = Written(step);
    if (!low || !high || !by || !positive_.Is(step)) return;
    Block body = s.body;
    const Entry entry = TakeEntry(body, s.slot);
    if (!Varies(*low) && !Varies(*high) && !Varies(*by) &&
        !(entry.condition && Varies(*entry.condition)))
      return;
    const GoesOn goes_on{LessThan(*high), *by};
    if (!entry.condition && low->is_int(0) && by->is_int(1)) {
      const Expr count = TripCount(*high);
      CountUpTo(s, count);
      NoteFirsts(*low, *high, count, s.high);
      const Expr trip = NameOf(NameKind::kLoop, s.name, s.slot, s.span);
      AskForNext(s.body, {goes_on, s.slot, IsNext(trip, s.high), trip});
      return;
    }
    Expr value = s.low;
    const Expr counter = Count(
        s, Said(*low, goes_on.condition, *by) + Said(entry), !entry.condition);
    if (!entry.condition) {
      NoteFirst(*low, goes_on.condition, s.high);
      begun_.push_back({*low, goes_on, s.high});
      AskForNext(body, {goes_on, s.slot, IsNext(counter, s.high), counter});
    }
    value = Binary(ExprOp::kAdd, std::move(value),
                   Binary(ExprOp::kMul, counter, step));
    Stmt let;
    let.kind = Stmt::Kind::kLet;
    let.name = std::exchange(s.name, counter.name);
    let.slot = std::exchange(s.slot, counter.slot);
    let.span = s.span;
    const bool known =
        !entry.filters || !proof::IsJudged(proof::Condition::kPassedOver);
    let.value = known ? std::move(value) : Unfollowed(std::move(value));
    body.insert(body.begin(), std::move(let));
    s.body = std::move(body);
  }

  // A condition of a first iteration, and what it is here.
  struct First {
    Expr condition, is_first;
    std::optional<Expr> end;  // of a loop that begins with 0
  };

  // What takes the place of conditions that say whether there is another
  // iteration.
  struct Next {
    GoesOn loop;
    int32_t counter;
    Expr is_next;
    std::optional<Expr> trip;  // of a `for`: which iteration it is
  };
  static Expr IsNext(const Expr& trip, const Expr& trips) {
    return Binary(ExprOp::kLt, Binary(ExprOp::kAdd, trip, 1), trips);
  }

  // Whether there is a first iteration is asked for in front of loops.
  void NoteFirst(const Expr& begin, const Expr& goes_on, const Expr& trips) {
    Expr first = goes_on;
    first.args[0] = begin;
    firsts_.push_back(
        {std::move(first), Binary(ExprOp::kGt, trips, 0), std::nullopt});
  }

  // Likewise of a loop from 0 to `high`, which goes around as often as `count`
  // says: in all ways in which that is asked.
  void NoteFirsts(const Expr& begin, const Expr& high, const Expr& count,
                  const Expr& trips) {
    const size_t noted = firsts_.size();
    NoteFirst(begin, LessThan(high), trips);
    NoteFirst(begin, LessThan(count), trips);
    const bool share = count.kind == ExprKind::kCall && count.name == "cdiv";
    const Expr& span = share ? count.args[0] : count;
    NoteFirst(begin, LessThan(span), trips);
    if (span.kind == ExprKind::kBinary && span.op == ExprOp::kSub)
      NoteFirst(span.args[1], LessThan(span.args[0]), trips);
    for (size_t i = noted; i < firsts_.size(); ++i) firsts_[i].end = high;
  }

  void AskForFirst(Stmt& s) {
    const bool all_hold = HoldTogether(s.value);
    EachPart(s.value, [&](Expr& part) {
      const auto condition = Written(part);
      if (!condition) return;
      for (const First& first : firsts_) {
        const auto says = SaysSame(*condition, first.condition);
        if (!says) continue;
        part = *says ? first.is_first : Unary(ExprOp::kNot, first.is_first);
        MayBe0(first.is_first.args[0]);
        if (*says && all_hold && first.end) NameEnd(first, s.body);
        return;
      }
    });
  }

  static bool HoldTogether(const Expr& e) {
    if (e.op == ExprOp::kOr) return false;
    return e.op != ExprOp::kAnd ||
           (HoldTogether(e.args[0]) && HoldTogether(e.args[1]));
  }

  // Where there is a first iteration, the end is not below 0: it is as many as
  // there are. Of lets, which are not set in between.
  void NameEnd(const First& first, Block& body) {
    const std::string end = ir::ToString(*first.end);
    const auto name = [&](const auto& self, Expr& e) -> void {
      if (e.kind == ExprKind::kName && e.name_kind == NameKind::kLet) {
        const auto written = Written(e);
        if (written && ir::ToString(*written) == end)
          e = first.is_first.args[0];
        return;
      }
      for (Expr& arg : e.args) self(self, arg);
    };
    ir::ForEachStmt(body, [&](Stmt& inner) {
      ir::ForEachExpr(inner, [&](Expr& e) { name(name, e); });
    });
  }

  // Where threads pass it by, a loop that they enter says nothing of the CTA.
  // docs/all_sizes.md 3.11.
  void MayBe0(const Expr& trips) {
    for (auto& [says, shared] : params_) {
      const bool is_it = Mentions(trips, kernel_.params[shared.param].slot);
      if (is_it && proof::IsJudged(proof::Condition::kPassedBy))
        shared.may_be_0 = true;
    }
  }

  // Of `a && b` and `a || b` both, else all of it.
  template <typename Ask>
  static void EachPart(Expr& e, const Ask& ask) {
    if (e.op != ExprOp::kAnd && e.op != ExprOp::kOr) return ask(e);
    for (Expr& part : e.args) EachPart(part, ask);
  }

  // In the body of the loop, whose only statement that assigns the counter, if
  // there is one, is not inside another.
  void AskForNext(Block& body, const Next& next) const {
    bool advanced = false;
    std::set<int32_t> lets;  // that have what the counter is now
    for (Stmt& s : body) {
      AskForNext(s, next, advanced, lets);
      if (!Assigns(s, next.counter)) continue;
      advanced = true;
      lets.clear();
    }
  }

  void AskForNext(Stmt& s, const Next& next, bool advanced,
                  std::set<int32_t>& lets) const {
    if (s.kind == Stmt::Kind::kLet) lets.insert(s.slot);
    if (s.kind == Stmt::Kind::kIf) {
      EachPart(s.value, [&](Expr& part) {
        const auto condition = Written(part, next.counter, lets);
        const auto says = condition ? SaysNext(*condition, next.loop, advanced)
                                    : std::nullopt;
        if (says)
          part = *says ? next.is_next : Unary(ExprOp::kNot, next.is_next);
        else if (condition && next.trip)
          AskForStepsOn(part, *condition, next);
      });
    }
    for (Block* block : {&s.body, &s.orelse}) {
      for (Stmt& inner : *block) AskForNext(inner, next, advanced, lets);
    }
  }

  // t + n * step < end is trip + n < R.
  void AskForStepsOn(Expr& part, const Expr& condition,
                     const Next& next) const {
    const auto on =
        SaysStepsOn(condition, next.loop.condition.args[0], next.loop);
    if (!on || Counts(on->steps) || !positive_.IsNatural(on->steps)) return;
    Expr there =
        Binary(ExprOp::kLt, Binary(ExprOp::kAdd, *next.trip, on->steps),
               next.is_next.args[1]);
    part = on->says ? std::move(there) : Unary(ExprOp::kNot, std::move(there));
  }

  // A loop whose iterations are counted: where it begins, and as many as it
  // has.
  struct Begun {
    Expr begin;
    GoesOn loop;
    Expr trips;
  };

  // In front of loops: begin + n * step < end is n < R. `counter`: of a loop
  // from a natural number on, which n may be.
  void AskForLater(Stmt& s, int32_t counter) {
    EachPart(s.value, [&](Expr& part) {
      const auto condition = Written(part, counter);
      if (!condition) return;
      for (const Begun& loop : begun_) {
        const auto on = SaysStepsOn(*condition, loop.begin, loop.loop);
        if (!on) continue;
        Expr steps = on->steps;
        if (steps.slot == kCounter)
          steps = NameOf(NameKind::kLoop, kernel_.slot_names[counter], counter,
                         part.span);
        else if (Counts(steps) || !positive_.IsNatural(steps))
          continue;
        Expr there = Binary(ExprOp::kLt, std::move(steps), loop.trips);
        part =
            on->says ? std::move(there) : Unary(ExprOp::kNot, std::move(there));
        MayBe0(loop.trips);
        return;
      }
    });
  }

  // for i in 0..STAGES - 1 { if cta.x + i * grid.x < T { .. } }
  void AskForEach(Stmt& s) {
    const bool natural =
        positive_.IsNatural(s.low) && (!s.step || positive_.IsNatural(*s.step));
    if (!natural) return;
    ir::ForEachStmt(s.body, [&](Stmt& inner) {
      if (inner.kind == Stmt::Kind::kIf) AskForLater(inner, s.slot);
    });
  }

  // An iteration for which it is false is passed over, or the last one.
  static std::string Said(const Entry& entry) {
    if (!entry.condition) return "";
    return ir::Cat(ir::ToString(*entry.condition),
                   entry.filters ? " or passed over" : " or left");
  }

  // 0..cdiv(end - begin, step) goes around as often as begin..end step step;
  // and 0..a * b as 0..a does, b times as often.
  void CountUpTo(Stmt& s, const Expr& high) {
    if (high.kind == ExprKind::kBinary && high.op == ExprOp::kMul) {
      const bool first = Varies(high.args[0]);
      const Expr& times = high.args[first ? 1 : 0];
      if (!Varies(times) && positive_.IsNatural(times)) {
        CountUpTo(s, high.args[first ? 0 : 1]);
        s.high = Binary(ExprOp::kMul, s.high, times);
        return;
      }
    }
    if (CountUpToLeast(s, high)) return;
    const bool share = high.kind == ExprKind::kCall && high.name == "cdiv" &&
                       high.args[0].kind == ExprKind::kBinary &&
                       high.args[0].op == ExprOp::kSub;
    if (share) {
      const std::vector<Expr>& ends = high.args[0].args;
      Count(s, Said(ends[1], LessThan(ends[0]), high.args[1]));
    } else {
      Count(s, Said(Expr::Int(0), LessThan(high), Expr::Int(1)));
    }
  }

  // 0..min(a, 3) goes around as often as 0..a does, but no more than 3 times.
  // (Of a number that is none of the text's, min(a, b) is one number more.)
  bool CountUpToLeast(Stmt& s, const Expr& high) {
    if (high.kind != ExprKind::kCall || high.name != "min") return false;
    for (size_t i : {0, 1}) {
      const Expr& most = high.args[1 - i];
      if (!Varies(high.args[i]) || positive_.known().Of(most).value_or(-1) < 0)
        continue;
      CountUpTo(s, TripCount(high.args[i]));
      Expr least = high;
      least.args = {std::move(s.high), most};
      s.high = std::move(least);
      return true;
    }
    return false;
  }

  static Expr LessThan(const Expr& end) {
    return Binary(ExprOp::kLt, NameOf(NameKind::kLoop, "#", kCounter, {}), end);
  }
  static std::string Said(const Expr& begin, const Expr& goes_on,
                          const Expr& step) {
    return ir::Cat(ir::ToString(begin), "; ", ir::ToString(goes_on), "; ",
                   ir::ToString(step), "; ");
  }

  // var t = begin; while t < end { ... t = t + step ... }
  void While(Stmt& s, const Known& begins) {
    const std::optional<int64_t> always = positive_.known().Of(s.value);
    if (always == 0) return;
    for (const auto& [slot, begin] : begins) {
      Block body = s.body;
      std::optional<Expr> goes_on;
      if (always) {
        Entry entry = TakeEntry(body, slot);
        if (!entry.filters) goes_on = std::move(entry.condition);
      } else {
        goes_on = Written(s.value, slot);
      }
      if (!goes_on) continue;
      goes_on = Direct(*std::move(goes_on));
      auto step = StepOf(body, slot);
      if (!step || Continues(body) || !Ends(*goes_on, *step)) continue;
      const Expr counter = Count(s, Said(begin, *goes_on, step->by), !always);
      NoteFirst(begin, *goes_on, s.high);
      AskForNext(
          body,
          {{*goes_on, step->by, step->up}, slot, IsNext(counter, s.high), {}});
      s.kind = Stmt::Kind::kFor;
      s.name = counter.name;
      s.slot = counter.slot;
      s.value = Expr();
      s.body = std::move(body);
      return;
    }
  }

  struct Step {
    Expr by;
    bool up = true;
  };

  // The only statement that assigns the variable, in every iteration, by as
  // much.
  std::optional<Step> StepOf(const Block& body, int32_t slot) const {
    std::optional<Step> out;
    for (const Stmt& s : body) {
      if (!Assigns(s, slot)) continue;
      const Expr& e = s.value;
      const bool moves = s.kind == Stmt::Kind::kAssign &&
                         e.kind == ExprKind::kBinary &&
                         (e.op == ExprOp::kAdd || e.op == ExprOp::kSub) &&
                         ir::SlotOf(e.args[0]) == slot;
      if (out || !moves || !positive_.Is(e.args[1])) return std::nullopt;
      auto by = Written(e.args[1]);
      if (!by) return std::nullopt;
      out = Step{*std::move(by), e.op == ExprOp::kAdd};
    }
    return out;
  }

  // It is a comparison of the counter that fails some day.
  static bool Ends(const Expr& e, const Step& step) {
    if (e.kind != ExprKind::kBinary || e.args[0].slot != kCounter ||
        Counts(e.args[1]))
      return false;
    return step.up ? e.op == ExprOp::kLt || e.op == ExprOp::kLe
                   : e.op == ExprOp::kGt || e.op == ExprOp::kGe;
  }
  static bool Counts(const Expr& e) { return Mentions(e, kCounter); }

  // --- parameters ----------------------------------------------------------

  // Makes the loop one from 0 up to the parameter that belongs to what is said
  // of it; the caller moves the body there. Returns its counter.
  // docs/all_sizes.md 3.11: of loops of which the same is said. `every`: it has
  // all iterations that its bounds say.
  Expr Count(Stmt& loop, std::string says, bool every = true) {
    if (!proof::IsJudged(proof::Condition::kSameTrips)) says.clear();
    const bool may_be_0 = !every || !entered_ || !entered_(loop);
    auto [at, fresh] = params_.try_emplace(says);
    if (fresh) at->second = NewParam(loop);
    if (fresh || proof::IsJudged(proof::Condition::kAllEntered))
      at->second.may_be_0 |= may_be_0;
    freed_[at->second.index].lines.insert(loop.span.text_line());
    loop.low = Expr::Int(0, loop.span);
    loop.step.reset();
    loop.high = at->second.name;
    const int32_t slot = Fresh(ir::Cat("trip#", loop.span.text_line()));
    return NameOf(NameKind::kLoop, kernel_.slot_names[slot], slot, loop.span);
  }

  // Of loops of which the same is said.
  struct Trips {
    Expr name;
    size_t param = 0;
    size_t index = 0;  // among those freed
    bool may_be_0 = false;
  };

  Trips NewParam(const Stmt& loop) {
    ir::Param param;
    // Of one line there are several where a function is called several times.
    std::string name =
        ir::Cat("the trip count of line ", loop.span.text_line());
    const auto same =
        std::count_if(params_.begin(), params_.end(), [&](const auto& other) {
          return other.second.name.span.text_line() == loop.span.text_line();
        });
    if (same > 0) ir::Append(&name, " (", same + 1, ")");
    param.name = std::move(name);
    param.slot = Fresh(param.name);
    param.span = loop.span;
    freed_.push_back({param.name, {}});
    kernel_.params.push_back(param);
    return {NameOf(NameKind::kParam, param.name, param.slot, loop.span),
            kernel_.params.size() - 1, freed_.size() - 1};
  }

  int32_t Fresh(const std::string& name) {
    kernel_.slot_names.push_back(name);
    return kernel_.slots++;
  }

  ir::Kernel& kernel_;
  const IsEntered& entered_;
  const std::set<int32_t>& elements_;
  LaunchValues values_;
  const Positive& positive_;
  std::map<std::string, Trips> params_;  // by what is said of loops
  std::vector<FreeTrip> freed_;
  std::vector<First> firsts_;
  std::vector<Begun> begun_;
};

}  // namespace

std::vector<FreeTrip> FreeTrips(const KnownOfKernel& known,
                                ir::Kernel& kernel) {
  return Freeing(known, kernel).Free();
}

}  // namespace tilesim::checkers::sizes::partition
