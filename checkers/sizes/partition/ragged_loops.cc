#include "checkers/sizes/partition/ragged_loops.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/element_load.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/launch_values.h"
#include "checkers/sizes/partition/word_kinds.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Expr;
using ir::NameKind;
using ir::Stmt;

namespace {

// The counter of the outer loop, in what is written.
constexpr char kCount = '#';

class Evening {
 public:
  Evening(const KnownOfKernel& known, ir::Kernel& kernel)
      : kernel_(kernel),
        entered_(known.entered),
        values_(known.defines, known.inputs, kernel) {}

  std::optional<EvenLoops> Make() {
    values_.Walk(kernel_.body, [this](Stmt& s, const Known&) {
      if (s.kind == Stmt::Kind::kFor) Note(s);
    });
    const Nest* ragged = nullptr;
    for (const Nest& nest : nests_) {
      if (nest.inner != nullptr) ragged = &nest;
    }
    if (ragged == nullptr) return std::nullopt;
    const std::string outer = ragged->says, inner = ragged->inner_says;
    bool entered = true;
    for (const Nest& nest : nests_) {
      if (nest.inner == nullptr) continue;
      const bool same = nest.says == outer && nest.inner_says == inner;
      if (!same && proof::IsJudged(proof::Condition::kSameText))
        return std::nullopt;
      entered &= entered_ && entered_(*nest.inner);
    }
    return Rewrite(outer, ragged->outer->span, ragged->inner->span, entered);
  }

 private:
  using Known = LaunchValues::Known;

  // A loop with the same ends all through a launch, and one in its body that
  // has others in each iteration. What is said of two that is the same text is
  // the same.
  struct Nest {
    Stmt* outer;
    std::string says;
    Stmt* inner = nullptr;
    std::string inner_says;
  };

  void Note(Stmt& s) {
    const auto says = Said(s, -1, {});
    if (!says) return;
    Nest nest{&s, *says, nullptr, {}};
    const Known before = values_.known();
    std::set<int32_t> moving;
    int ragged = 0;
    for (Stmt& in : s.body) {
      Follow(in, s.slot, moving);
      if (in.kind != Stmt::Kind::kFor) continue;
      const auto inner = Said(in, s.slot, moving);
      if (inner && inner->find(kCount) == inner->npos)
        continue;  // equally often
      ++ragged;
      if (!inner) continue;
      nest.inner = &in;
      nest.inner_says = *inner;
    }
    values_.known() = before;
    if (ragged <= 1) nests_.push_back(std::move(nest));
  }

  // begin, end, step
  std::optional<std::string> Said(const Stmt& s, int32_t counter,
                                  const std::set<int32_t>& moving) const {
    const Expr step = s.step ? *s.step : Expr::Int(1, s.span);
    const auto low = values_.Written(s.low, counter, moving);
    const auto high = values_.Written(s.high, counter, moving);
    const auto by = values_.Written(step);
    if (!low || !high || !by || !values_.positive().Is(step))
      return std::nullopt;
    return ir::Cat(ir::ToString(*low), "; ", ir::ToString(*high), "; ",
                   ir::ToString(*by));
  }

  // What scalars of an iteration are, as far as it can be written.
  void Follow(const Stmt& s, int32_t counter, std::set<int32_t>& moving) {
    std::optional<Expr> value;
    int32_t slot = s.slot;
    if (s.kind == Stmt::Kind::kLet || s.kind == Stmt::Kind::kVar) {
      moving.insert(slot);
      value = values_.Written(s.value, counter, moving);
    } else if (const auto load = ElementLoadOf(s)) {
      slot = ir::SlotOf(*load->to);
      if (moving.contains(slot))
        value = values_.Element(*load->from, counter, moving);
    } else {
      std::erase_if(values_.known(),
                    [&](const auto& k) { return Assigns(s, k.first); });
      return;
    }
    values_.known().erase(slot);
    if (value) values_.known().emplace(slot, *std::move(value));
  }

  EvenLoops Rewrite(const std::string& outer, ir::Span outer_span,
                    ir::Span inner_span, bool entered) {
    const Expr rounds = NewParam("tiles", 0, outer_span);
    const Expr trips = NewParam("trips", entered ? 1 : 0, inner_span);
    for (Nest& nest : nests_) {
      if (nest.says != outer && nest.inner == nullptr) continue;
      if (nest.inner != nullptr) CountTo(*nest.inner, trips);
      CountTo(*nest.outer, rounds);
    }
    kernel_.items.clear();  // they count statements
    return {rounds.name, trips.name, !entered};
  }

  // `for v in low..high step by { .. }` becomes
  // `for trip in 0..count { let v = low + trip * by .. }`.
  void CountTo(Stmt& s, const Expr& count) {
    const std::string name = ir::Cat("turn#", s.span.text_line());
    const Expr trip = NameOf(NameKind::kLoop, name, Fresh(name), s.span);
    const Expr step = s.step ? *s.step : Expr::Int(1, s.span);
    Stmt let;
    let.kind = Stmt::Kind::kLet;
    let.name = std::exchange(s.name, trip.name);
    let.slot = std::exchange(s.slot, trip.slot);
    let.span = s.span;
    let.value =
        Binary(ir::ExprOp::kAdd, s.low, Binary(ir::ExprOp::kMul, trip, step));
    s.body.insert(s.body.begin(), std::move(let));
    s.low = Expr::Int(0, s.span);
    s.high = count;
    s.step.reset();
  }

  Expr NewParam(std::string_view what, int64_t low, ir::Span span) {
    ir::Param param;
    param.name =
        ir::Cat("the trip count of line ", span.text_line(), " (", what, ")");
    param.low = param.value = low;
    param.slot = Fresh(param.name);
    param.span = span;
    kernel_.params.push_back(param);
    return NameOf(NameKind::kParam, param.name, param.slot, span);
  }

  int32_t Fresh(const std::string& name) {
    kernel_.slot_names.push_back(name);
    return kernel_.slots++;
  }

  ir::Kernel& kernel_;
  const IsEntered& entered_;
  LaunchValues values_;
  std::vector<Nest> nests_;
};

// `if c { for j in 0..n { .. } }` as `for j in 0..c ? n : 0 { .. }`.
void EndWhereGuarded(ir::Block& block) {
  for (Stmt& s : block) {
    const bool guards =
        s.kind == Stmt::Kind::kIf && s.orelse.empty() && s.body.size() == 1 &&
        s.body[0].kind == Stmt::Kind::kFor && s.body[0].low.is_int(0);
    if (guards) {
      Expr end;
      end.kind = ir::ExprKind::kSelect;
      end.span = s.span;
      end.args = {s.value, s.body[0].high, Expr::Int(0, s.span)};
      Stmt loop = std::move(s.body[0]);
      loop.high = std::move(end);
      s = std::move(loop);
    }
    EndWhereGuarded(s.body);
    EndWhereGuarded(s.orelse);
  }
}

}  // namespace

void EndWhereGuarded(ir::Kernel& kernel) { EndWhereGuarded(kernel.body); }

std::optional<EvenLoops> MakeEven(const KnownOfKernel& known,
                                  ir::Kernel& kernel) {
  auto out = Evening(known, kernel).Make();
  if (!out) return std::nullopt;
  if (!DependOnOneCount(known.defines, known.inputs, *out, kernel))
    return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::sizes::partition
