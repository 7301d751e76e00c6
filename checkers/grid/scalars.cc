#include "checkers/grid/scalars.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "checkers/grid/accesses.h"
#include "checkers/grid/question.h"
#include "checkers/grid/text.h"
#include "checkers/proof/condition.h"
#include "ir/apply.h"
#include "ir/walk.h"
#include "ir/warp.h"

namespace tilesim::checkers::grid {
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using solver::All;
using solver::Any;
using solver::Eq;
using solver::Ge;
using solver::Gt;
using solver::Le;
using solver::Lt;
using solver::Ne;
using solver::Not;

namespace {

constexpr Builtin kGrid[] = {Builtin::kGridX, Builtin::kGridY, Builtin::kGridZ};

bool IsCondition(ExprOp op) {
  return (op >= ExprOp::kLt && op <= ExprOp::kNe) || op == ExprOp::kAnd ||
         op == ExprOp::kOr;
}

}  // namespace

Scalars::Scalars(Accesses& launch, const machine::Code& code,
                 const ir::Overrides& fixed)
    : launch_(launch),
      terms_(launch.terms),
      code_(code),
      kernel_(code.kernel()) {
  SetPlace();
  SetParams(fixed);
  SetGrid();
}

void Scalars::SetParams(const ir::Overrides& fixed) {
  for (const ir::Param& p : kernel_.params) {
    auto given = fixed.find(p.name);
    if (given != fixed.end()) {
      Set(p.slot, given->second);
      continue;
    }
    Linear value = terms_.New(p.name, true, p.low, p.high);
    if (p.step != 1) {
      Linear steps = terms_.New("", true, 0);
      terms_.Define(value, Eq(value, steps * p.step + p.low));
    }
    Set(p.slot, value);
    launch_.params.emplace_back(p.name, value);
  }
  for (const ir::Constant& c : kernel_.constants)
    if (!c.is_let) Set(c.slot, Value(c.value));
}

// Who executes: CTA, cluster, warp. The grid is not known yet.
void Scalars::SetPlace() {
  static constexpr std::pair<Builtin, const char*> kCta[] = {
      {Builtin::kCtaX, "cta.x"},
      {Builtin::kCtaY, "cta.y"},
      {Builtin::kCtaZ, "cta.z"}};
  Linear rank = 0;
  int64_t stride = 1;
  for (size_t d = 0; d < 3; ++d) {
    int64_t of = code_.bound.cluster[d];
    Linear cta = terms_.New(kCta[d].second, false, 0);
    builtins_[kCta[d].first] = launch_.cta[d] = cta;
    builtins_[kGrid[d]] = 1;
    launch_.cluster_size[d] = of;
    launch_.cluster[d] = terms_.Divide(cta, of);
    rank += terms_.Remainder(cta, of) * stride;
    stride *= of;
  }
  builtins_[Builtin::kClusterRank] = rank;
  builtins_[Builtin::kClusterSize] = stride;
  builtins_[Builtin::kClusterIdX] = launch_.cluster[0];
  builtins_[Builtin::kClusterIdY] = launch_.cluster[1];
  builtins_[Builtin::kSmCount] = launch_.sm_count =
      terms_.New("sm.count", true, 1);
  int64_t warps = OfConstants(kernel_.block) ? ir::WarpsOf(code_.bound.block)
                                             : ir::kMaxWarps;
  Linear warp = terms_.New("warp", false, 0, warps - 1);
  builtins_[Builtin::kWarp] = launch_.warp = warp;
  builtins_[Builtin::kWarpgroup] = launch_.warpgroup =
      terms_.Divide(warp, ir::kWarpgroupWarps);
  launch_.warps = ir::WarpsOf(code_.bound.block);
}

// What the grid is made of cannot ask for the grid; other constants can, and
// are worked out once it is known: what is divided is often natural only as the
// place of a CTA is in the grid.
void Scalars::SetGrid() {
  SetLetsOfGrid();
  for (size_t d = 0; d < 3; ++d)
    launch_.grid[d] = d < kernel_.grid.size() ? Value(kernel_.grid[d]) : 1;
  for (size_t d = 0; d < 3; ++d) {
    builtins_[kGrid[d]] = launch_.grid[d];
    terms_.Define(launch_.cta[d], Lt(launch_.cta[d], launch_.grid[d]));
  }
  SetLets();
  for (const Expr& e : kernel_.cluster) {
    if (!Value(e).is_constant())
      launch_.limit = "the number of CTAs in a cluster depends on a parameter";
  }
  std::vector<Formula> required;
  for (const ir::Requirement& r : kernel_.requirements)
    required.push_back(Condition(r.condition));
  launch_.launch = All(std::move(required));
}

void Scalars::SetLetsOfGrid() {
  std::set<std::string> names;
  const auto add = [&](const std::string& name) { names.insert(name); };
  for (const Expr& e : kernel_.grid) ir::ForEachName(e, add);
  const auto& all = kernel_.constants;
  for (auto c = all.rbegin(); c != all.rend(); ++c)
    if (names.contains(c->name)) ir::ForEachName(*c, add);
  for (const ir::Constant& c : all)
    if (c.is_let && names.contains(c.name)) Set(c.slot, Value(c.value));
}

void Scalars::SetLets() {
  for (const ir::Constant& c : kernel_.constants)
    if (c.is_let) Set(c.slot, Value(c.value));
}

Linear Scalars::Unknown() {
  launch_.unknown.push_back(terms_.New("", false));
  return launch_.unknown.back();
}

void Scalars::SetAny(int32_t slot, std::optional<int64_t> low,
                     std::optional<int64_t> high) {
  launch_.unknown.push_back(terms_.New("", false, low, high));
  Set(slot, launch_.unknown.back());
}

Linear Scalars::Of(int32_t slot) {
  auto [at, fresh] = values_.try_emplace(slot);
  if (fresh) at->second = Unknown();
  return at->second;
}

void Scalars::Join(int32_t slot, const Formula& condition, const Values& then) {
  auto a = then.find(slot);
  auto b = values_.find(slot);
  if (a == then.end() || b == values_.end()) return Forget(slot);
  b->second = terms_.Select(condition, a->second, b->second);
}

Linear Scalars::Value(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kInt:
      return e.value;
    case ExprKind::kFloat:
      return Unknown();
    case ExprKind::kName:
      return e.name_kind == ir::NameKind::kBuiltin
                 ? builtins_.at(static_cast<Builtin>(e.slot))
                 : Of(e.slot);
    case ExprKind::kUnary:
      if (e.op == ExprOp::kNeg) return terms_.Usable(-Value(e.args[0]));
      if (e.op == ExprOp::kBitNot) return terms_.Usable(-Value(e.args[0]) - 1);
      return terms_.Select(Condition(e), 1, 0);
    case ExprKind::kBinary:
      return Binary(e);
    case ExprKind::kSelect: {
      Formula condition = Condition(e.args[0]);
      return terms_.Select(condition, Value(e.args[1]), Value(e.args[2]));
    }
    case ExprKind::kCall:
      return Called(e);
  }
  return Unknown();
}

Linear Scalars::Binary(const Expr& e) {
  if (IsCondition(e.op)) return terms_.Select(Condition(e), 1, 0);
  Linear a = Value(e.args[0]), b = Value(e.args[1]);
  switch (e.op) {
    case ExprOp::kAdd:
      return terms_.Usable(a + b);
    case ExprOp::kSub:
      return terms_.Usable(a - b);
    case ExprOp::kMul:
      return terms_.Multiply(a, b);
    case ExprOp::kDiv:
      return Divided(a, b, true);
    case ExprOp::kRem:
      return Divided(a, b, false);
    default:
      return Bits(e.op, a, b);
  }
}

// The quotient, or the remainder. (m * b + rest) / b is m + rest / b, where
// both what is divided and the rest are natural. What has been divided before
// is taken apart only where the rest is at most b: else that quotients grow is
// not seen.
Linear Scalars::Divided(const Linear& a, const Linear& b, bool quotient) {
  auto of = [&](const Linear& x) {
    return quotient ? terms_.Divide(x, b) : terms_.Remainder(x, b);
  };
  if (terms_.IsDivided(a, b)) return of(a);
  ShowAtLeast(a, 0);
  ShowAtLeast(b, 1);
  if (b.is_constant() || !IsAtLeast(a, 0) || !IsAtLeast(b, 1)) return of(a);
  for (bool divided : {true, false}) {
    auto [multiple, rest] = terms_.PartsOf(a, b, divided);
    if (multiple == Linear(0)) continue;
    Linear room = terms_.Usable(b - rest);
    ShowAtLeast(rest, 0);
    if (!IsAtLeast(rest, 0)) continue;
    ShowAtLeast(room, 0);
    if (divided && !IsAtLeast(room, 0)) continue;
    return quotient ? terms_.Usable(multiple + of(rest)) : of(rest);
  }
  return of(a);
}

bool Scalars::IsAtLeast(const Linear& a, int64_t low) const {
  return terms_.Low(a).value_or(low - 1) >= low;
}

// What is divided is natural as a rule, and by what is positive; often that
// takes a proof.
void Scalars::ShowAtLeast(const Linear& a, int64_t low) {
  if (!a.is_constant() && !IsAtLeast(a, low) && !MayHold(Lt(a, low)))
    terms_.SetLow(a, low);
}

bool Scalars::MayHold(const Formula& f) {
  if (f.is_true() || f.is_false()) return f.is_true();
  Question question(terms_);
  question.Require(f, Question::Cta::kFirst);
  constexpr solver::Effort kLittle{.points = 100, .refute_only = true};
  return question.Answer(kLittle).answer != solver::Answer::kNone;
}

// Shifts by a constant and masks of low bits are arithmetic, of numbers that
// are not negative.
Linear Scalars::Bits(ExprOp op, const Linear& a, const Linear& b) {
  if (a.is_constant() && b.is_constant()) {
    auto exact = ir::Apply(op, a.constant(), b.constant());
    return exact ? Linear(*exact) : Unknown();
  }
  if (op == ExprOp::kBitAnd && a.is_constant()) return Bits(op, b, a);
  if (op == ExprOp::kShl && a.is_constant() && a.constant() > 0)
    return PowerOf2(a.constant(), b);
  if (op == ExprOp::kShr && !b.is_constant()) return Halved(a, b);
  bool plain =
      b.is_constant() && b.constant() >= 0 && terms_.Low(a).value_or(-1) >= 0;
  int64_t n = plain ? b.constant() : 0;
  if (plain && op == ExprOp::kShl && n < 62)
    return terms_.Multiply(a, int64_t{1} << n);
  if (plain && op == ExprOp::kShr && n < 62)
    return terms_.Divide(a, int64_t{1} << n);
  if (plain && op == ExprOp::kBitAnd && (n & (n + 1)) == 0)
    return terms_.Remainder(a, n + 1);
  const bool bitwise =
      op == ExprOp::kBitAnd || op == ExprOp::kBitOr || op == ExprOp::kBitXor;
  return bitwise ? BitByBit(op, a, b) : Unknown();
}

// docs/all_sizes.md 6.11. Of natural numbers, one of which has few bits.
Linear Scalars::BitByBit(ExprOp op, const Linear& a, const Linear& b) {
  constexpr int64_t kMost = 255;
  ShowAtLeast(a, 0);
  ShowAtLeast(b, 0);
  if (!IsAtLeast(a, 0) || !IsAtLeast(b, 0)) return Unknown();
  const int64_t high = std::min(terms_.High(a).value_or(INT64_MAX),
                                terms_.High(b).value_or(INT64_MAX));
  if (high > kMost) return Unknown();
  Linear both = 0, left = a, right = b;
  for (int64_t place = 1; place <= high; place *= 2) {
    const Linear x = terms_.Remainder(left, 2), y = terms_.Remainder(right, 2);
    both += BothBits(x, y) * place;
    left = terms_.Divide(left, 2);
    right = terms_.Divide(right, 2);
  }
  if (op == ExprOp::kBitAnd) return terms_.Usable(both);
  const int64_t times = op == ExprOp::kBitXor ? 2 : 1;
  const Linear out = terms_.Usable(a + b - both * times);
  if (!IsAtLeast(out, 0)) terms_.SetLow(out, 0);
  return out;
}

// 1 where both of two bits are.
Linear Scalars::BothBits(const Linear& x, const Linear& y) {
  if (x.is_constant()) return x.constant() == 0 ? Linear(0) : y;
  if (y.is_constant() || x == y) return BothBits(y, x == y ? Linear(1) : x);
  const Linear out = terms_.NewOf({x, y}, 0, 1);
  terms_.Define(out, All({Le(out, x), Le(out, y), Ge(out, x + y - 1)}));
  return out;
}

// first * 2^by, where that is a number: it grows with `by`.
Linear Scalars::PowerOf2(int64_t first, const Linear& by) {
  const auto at = [&](const std::optional<int64_t>& n) {
    return n ? ir::Apply(ExprOp::kShl, first, *n) : std::nullopt;
  };
  const int64_t least = at(terms_.Low(by)).value_or(first);
  return terms_.NewOf({by}, least, at(terms_.High(by)));
}

// a / 2^by, of a natural number, by what is known to be a shift: the less, the
// greater `by` is. docs/all_sizes.md 5.6.
Linear Scalars::Halved(const Linear& a, const Linear& by) {
  ShowAtLeast(a, 0);
  const auto least = terms_.Low(a), most = terms_.High(a);
  const auto few = terms_.Low(by), many = terms_.High(by);
  if (least.value_or(-1) < 0 || few.value_or(-1) < 0) return Unknown();
  const auto at = [](const std::optional<int64_t>& n, int64_t shift) {
    return n ? ir::Apply(ExprOp::kShr, *n, shift) : std::nullopt;
  };
  const auto low = many ? at(least, *many) : std::nullopt;
  return terms_.NewOf({a, by}, low.value_or(0), at(most, *few));
}

Linear Scalars::Called(const Expr& e) {
  if (e.name == "bytes") {
    if (code_.sized_by_params) return Unknown();
    for (size_t i = 0; i < kernel_.decls.size(); ++i) {
      if (kernel_.decls[i].name == e.args[0].name)
        return code_.bound.decls[i].object_bytes;
    }
    return Unknown();
  }
  Linear a = Value(e.args[0]), b = Value(e.args[1]);
  for (const Linear* x : {&a, &b}) ShowAtLeast(*x, 0);
  if (e.name == "min") return terms_.Min(a, b);
  if (e.name == "max") return terms_.Max(a, b);
  if (e.name == "cdiv") return RoundedUp(a, b);
  return Unknown();
}

// Of what is not positive `/` rounds up: from 1 - b on that is 0, as the other.
Linear Scalars::RoundedUp(const Linear& a, const Linear& b) {
  ShowAtLeast(b, 1);
  if (!IsAtLeast(b, 1)) return Unknown();
  const Linear sum = terms_.Usable(a + b - 1);
  if (IsAtLeast(a, 0) && !IsAtLeast(sum, 0)) terms_.SetLow(sum, 0);
  ShowAtLeast(sum, 0);
  Linear up = terms_.Divide(sum, b);
  return IsAtLeast(sum, 0) ? up
                           : terms_.Select(Gt(a, 0), up, terms_.Divide(a, b));
}

namespace {

// How a difference compares with 0.
Formula Compared(ExprOp op, const Linear& difference) {
  switch (op) {
    case ExprOp::kLt:
      return Lt(difference, 0);
    case ExprOp::kLe:
      return Le(difference, 0);
    case ExprOp::kGt:
      return Gt(difference, 0);
    case ExprOp::kGe:
      return Ge(difference, 0);
    case ExprOp::kEq:
      return Eq(difference, 0);
    default:
      return Ne(difference, 0);
  }
}

}  // namespace

Formula Scalars::Condition(const Expr& e) {
  if (e.kind == ExprKind::kUnary && e.op == ExprOp::kNot)
    return Not(Condition(e.args[0]));
  if (e.kind == ExprKind::kBinary && IsCondition(e.op)) {
    if (e.op == ExprOp::kAnd)
      return All({Condition(e.args[0]), Condition(e.args[1])});
    if (e.op == ExprOp::kOr)
      return Any({Condition(e.args[0]), Condition(e.args[1])});
    return Compared(e.op, terms_.Usable(Value(e.args[0]) - Value(e.args[1])));
  }
  return Ne(Value(e), 0);
}

// That it lets some lane of the warp pass. docs/all_sizes.md 5.4.
Formula Scalars::Executes(const ir::Scope& scope) {
  using Kind = ir::Scope::Kind;
  const bool some = scope.kind == Kind::kElect ||
                    (scope.kind == Kind::kLanes &&
                     !proof::IsJudged(proof::Condition::kLetsPass));
  if (some) return Formula::True();
  Linear low = Value(scope.low);
  Linear high = scope.range ? Value(scope.high) : low + 1;
  Linear warp = builtins_.at(Builtin::kWarp);
  const auto one_of = [&](const Linear& first, int64_t count) {
    return All({Lt(low, high), Gt(first + count, low), Lt(first, high)});
  };
  switch (scope.kind) {
    case Kind::kWarps:
      return All({Ge(warp, low), Lt(warp, high)});
    case Kind::kWarpgroups: {
      Linear group = builtins_.at(Builtin::kWarpgroup);
      return All({Ge(group, low), Lt(group, high)});
    }
    case Kind::kLanes:
      return one_of(Linear(0), ir::kWarpThreads);
    default:
      return one_of(warp * ir::kWarpThreads, ir::kWarpThreads);
  }
}

}  // namespace tilesim::checkers::grid
