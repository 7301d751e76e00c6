#include "checkers/grid/terms.h"

#include <algorithm>
#include <utility>

#include "ir/apply.h"

namespace tilesim::checkers::grid {
using solver::All;
using solver::Any;
using solver::Eq;
using solver::Ge;
using solver::Gt;
using solver::Le;
using solver::Lt;
using solver::Not;

namespace {

std::optional<int64_t> Times(std::optional<int64_t> a,
                             std::optional<int64_t> b) {
  if (!a || !b) return std::nullopt;
  return ir::Apply(ir::ExprOp::kMul, *a, *b);
}

std::optional<int64_t> Plus(std::optional<int64_t> a,
                            std::optional<int64_t> b) {
  if (!a || !b) return std::nullopt;
  return ir::Apply(ir::ExprOp::kAdd, *a, *b);
}

Linear Over(const Linear& a, int64_t divisor) {
  Linear out;
  for (const auto& [v, c] : a.terms()) out += Linear::Of(v) * (c / divisor);
  return out;
}

void AddLinears(const Formula& f, std::vector<Linear>& out) {
  bool compares = f.kind == Formula::Kind::kGe || f.kind == Formula::Kind::kEq;
  if (compares) out.push_back(f.linear);
  for (const Formula& part : f.parts) AddLinears(part, out);
}

}  // namespace

Linear Terms::New(std::string name, bool of_launch, std::optional<int64_t> low,
                  std::optional<int64_t> high) {
  all_.push_back(
      {std::move(name), of_launch, low, high, {}, {}, {}, {}, {}, {}});
  return Linear::Of(static_cast<Var>(all_.size()) - 1);
}

Linear Terms::NewOf(std::vector<Linear> arguments, std::optional<int64_t> low,
                    std::optional<int64_t> high) {
  const bool of_launch = std::all_of(arguments.begin(), arguments.end(),
                                     [&](auto& a) { return OfLaunch(a); });
  Linear out = New("", of_launch, low, high);
  SetArguments(out, std::move(arguments));
  return out;
}

void Terms::Define(const Linear& v, Formula definition) {
  Formula& known = all_[*v.variable()].definition;
  known = All({known, std::move(definition)});
}

void Terms::SetEntered(const Linear& v, Formula entered) {
  all_[*v.variable()].entered = std::move(entered);
}

void Terms::Complete(Var v, Term parts) {
  Term& t = all_[v];
  parts.name = std::move(t.name);
  parts.of_launch = t.of_launch;
  parts.low = t.low;
  parts.high = t.high;
  t = std::move(parts);
}

void Terms::SetArguments(const Linear& v, std::vector<Linear> arguments) {
  all_[*v.variable()].arguments = std::move(arguments);
}

std::optional<int64_t> Terms::Low(const Linear& a) const {
  auto shown = lows_.find(a);
  if (shown != lows_.end()) return shown->second;
  std::optional<int64_t> sum = a.constant();
  for (const auto& [v, c] : a.terms())
    sum = Plus(sum, Times(c > 0 ? all_[v].low : all_[v].high, c));
  return sum;
}

std::optional<int64_t> Terms::High(const Linear& a) const {
  std::optional<int64_t> low = Low(-a);
  return low ? std::optional(-*low) : std::nullopt;
}

bool Terms::OfLaunch(const Linear& a) const {
  return std::all_of(a.terms().begin(), a.terms().end(),
                     [&](const auto& t) { return all_[t.first].of_launch; });
}

bool Terms::OfLaunch(const Formula& f) const {
  return OfLaunch(f.linear) &&
         std::all_of(f.parts.begin(), f.parts.end(),
                     [&](const Formula& part) { return OfLaunch(part); });
}

Linear Terms::Usable(Linear a) {
  constexpr int64_t kMost = int64_t{1} << 61;
  auto small = [](int64_t c) { return -kMost < c && c < kMost; };
  bool usable = !a.overflowed() && small(a.constant()) &&
                std::all_of(a.terms().begin(), a.terms().end(),
                            [&](const auto& t) { return small(t.second); });
  return usable ? a : New("", OfLaunch(a));
}

// Negative of what is seen not to vary above 0: products are of its opposite,
// which grow with their factors.
int64_t Terms::SignedContent(const Linear& a) const {
  const Linear varies = a - a.constant();
  bool falls = Low(varies).value_or(-1) < 0 && Low(-varies).value_or(-1) >= 0;
  return falls ? -a.Content() : a.Content();
}

// Of what varies only, without common factors: constants are multiplied out.
Linear Terms::Multiply(const Linear& a, const Linear& b) {
  if (a.is_constant()) return Usable(b * a.constant());
  if (b.is_constant()) return Usable(a * b.constant());
  int64_t of_a = SignedContent(a), of_b = SignedContent(b);
  Linear x = Over(a - a.constant(), of_a), y = Over(b - b.constant(), of_b);
  int64_t scale = 1;
  if (__builtin_mul_overflow(of_a, of_b, &scale)) return New("", false);
  Linear scaled = y < x ? ProductOf(y, x, scale) : ProductOf(x, y, scale);
  return Usable(scaled + Usable(x * of_a) * b.constant() +
                Usable(y * of_b) * a.constant() +
                Linear(a.constant()) * b.constant());
}

// x * y * scale. The solver is told of that as of a product as well: that 8 * g
// rows of n are not beyond m * n says nothing of g.
Linear Terms::ProductOf(const Linear& x, const Linear& y, int64_t scale) {
  if (scale != 1) {
    Linear one = ProductOf(x, y, 1);
    Linear scaled = Usable(one * scale);
    auto& views = all_[*one.variable()].products;
    bool known = std::any_of(views.begin(), views.end(),
                             [&](const auto& p) { return p.value == scaled; });
    if (known) return scaled;
    views.push_back({scaled, x * scale, y});
    views.push_back({scaled, x, y * scale});
    return scaled;
  }
  auto [at, fresh] = calls_.try_emplace({Function::kMultiply, x, y});
  if (!fresh) return at->second;
  bool natural = Low(x).value_or(-1) >= 0 && Low(y).value_or(-1) >= 0;
  std::optional<int64_t> low, high;
  if (natural) {
    low = Times(Low(x), Low(y));
    high = Times(High(x), High(y));
  }
  Linear v = New("", OfLaunch(x) && OfLaunch(y), low, high);
  all_.back().products.push_back({v, x, y});
  SetArguments(v, {x, y});
  return at->second = v;
}

const Terms::Division& Terms::DivisionOf(const Linear& a, const Linear& b) {
  auto at = divisions_.find({a, b});
  if (at != divisions_.end()) return at->second;
  std::optional<Division> twice = DividedTwice(a, b);
  at = divisions_
           .emplace(std::pair(a, b), twice ? *std::move(twice) : Divided(a, b))
           .first;
  LinkToProducts(a, b);
  return at->second;
}

// By which factor the product is divided by the other; nullopt: it is none.
std::optional<Linear> Terms::OtherFactor(const Linear& product,
                                         const Linear& factor) const {
  const bool one = product.terms().size() == 1;
  if (!one || Low(factor).value_or(0) < 1) return std::nullopt;
  for (const solver::Product& p : all_[product.terms()[0].first].products) {
    if (p.value != product || (p.a != factor && p.b != factor)) continue;
    const Linear& other = p.a == factor ? p.b : p.a;
    if (Low(other).value_or(0) >= 1) return other;
  }
  return std::nullopt;
}

// a / (x * y) is a / x / y, of natural numbers, where a / x has been asked for.
// docs/all_sizes.md 6.10.
std::optional<Terms::Division> Terms::DividedTwice(const Linear& a,
                                                   const Linear& b) {
  if (Low(a).value_or(-1) < 0) return std::nullopt;
  for (const auto& [of, division] : divisions_) {
    if (of.first != a) continue;
    const auto other = OtherFactor(b, of.second);
    if (!other) continue;
    const Linear once = division.quotient;
    const Linear quotient = DivisionOf(once, *other).quotient;
    if (!quotient.variable()) return std::nullopt;
    const Linear rest = Usable(a - Multiply(quotient, b));
    Define(quotient, All({Ge(rest, 0), Lt(rest, b)}));
    return Division{quotient, rest};
  }
  return std::nullopt;
}

// Likewise where a / (b * y) has been asked for before: that is a / b / y.
void Terms::LinkToProducts(const Linear& a, const Linear& b) {
  if (Low(a).value_or(-1) < 0) return;
  const Linear once = divisions_.at({a, b}).quotient;
  for (const auto& [of, division] : divisions_) {
    if (of.first != a || !division.quotient.variable()) continue;
    const auto other = OtherFactor(of.second, b);
    if (!other || IsDivided(once, *other)) continue;
    const Linear quotient = division.quotient;
    const Linear rest = Usable(once - Multiply(quotient, *other));
    Define(quotient, All({Ge(rest, 0), Lt(rest, *other)}));
    divisions_.emplace(std::pair(once, *other), Division{quotient, rest});
    return;
  }
}

// Of a natural number whose variable part is a multiple of the constant b.
std::optional<Terms::Division> Terms::WholeQuotient(const Linear& a,
                                                    const Linear& b) const {
  int64_t by = b.constant();
  bool whole = b.is_constant() && by > 0 && a.Content() % by == 0 &&
               Low(a).value_or(-1) >= 0;
  if (!whole) return std::nullopt;
  int64_t rest = a.constant() % by;
  if (rest < 0) rest += by;
  return Division{Over(a, by) + (a.constant() - rest) / by, rest};
}

// Of a natural number that is seen to be at most b: `(n - i % n) % n`.
std::optional<Terms::Division> Terms::QuotientToOne(const Linear& a,
                                                    const Linear& b) {
  bool natural = Low(a).value_or(-1) >= 0 && Low(b).value_or(0) >= 1;
  std::optional<int64_t> more = Low(Usable(b - a));
  if (!natural || more.value_or(-1) < 0) return std::nullopt;
  if (*more > 0) return Division{0, a};
  Division out{Select(Eq(a, b), 1, 0), Select(Eq(a, b), 0, a)};
  if (auto q = out.quotient.variable())
    all_[*q].products.push_back({a - out.remainder, out.quotient, b});
  return out;
}

// a = quotient * b + remainder, the remainder smaller than b and of a's sign.
// By 0 it is anything: what is said of it must not say of b that it is not 0.
Terms::Division Terms::Divided(const Linear& a, const Linear& b) {
  if (auto exact = WholeQuotient(a, b)) return *exact;
  if (auto exact = QuotientToOne(a, b)) return *exact;
  bool of_launch = OfLaunch(a) && OfLaunch(b);
  std::optional<int64_t> a_low = Low(a), a_high = High(a);
  std::optional<int64_t> b_low = Low(b), b_high = High(b);
  bool natural = a_low && *a_low >= 0;
  bool positive = b_low && *b_low >= 1;
  Division out;
  if (positive && natural) {
    std::optional<int64_t> high, rest_high;
    if (a_high) high = *a_high / *b_low;
    if (b_high) rest_high = *b_high - 1;
    // A divisor with no value at all is of code that nobody executes.
    const bool bounded = b_high && *b_high >= 1;
    out.quotient = New("", of_launch, bounded ? *a_low / *b_high : 0, high);
    out.remainder = New("", of_launch, 0, rest_high);
    all_[*out.quotient.variable()].quotient = {a, b, out.remainder};
  } else {
    out.quotient = New("", of_launch);
    out.remainder = New("", of_launch);
  }
  const Linear &q = out.quotient, &r = out.remainder;
  // The remainder is smaller than `size`, which is b or -b.
  auto rest = [&](const Linear& size, const Linear& up) {
    Formula above = All({Ge(up, 0), Ge(r, 0), Lt(r, size)});
    Formula below = All({Le(up, 0), Le(r, 0), Lt(-r, size)});
    return natural ? above
                   : Any({All({Ge(a, 0), above}), All({Lt(a, 0), below})});
  };
  Formula of_positive = All({Ge(b, 1), rest(b, q)});
  Formula of_negative = All({Lt(b, 0), rest(-b, -q)});
  Define(q, Eq(Multiply(q, b) + r, a));
  Define(q, positive ? of_positive : Any({of_positive, of_negative, Eq(b, 0)}));
  SetArguments(q, {a, b});
  SetArguments(r, {a, b});
  all_[*r.variable()].with = *q.variable();
  return out;
}

Terms::Division Terms::PartsOf(const Linear& a, const Linear& b, bool divided) {
  Division out{0, a.constant()};
  for (const auto& [v, c] : a.terms()) {
    const Linear of = Linear::Of(v);
    const auto& products = all_[v].products;
    auto product = std::find_if(
        products.begin(), products.end(), [&](const solver::Product& p) {
          return p.value == of && (p.a == b || p.b == b);
        });
    auto before = divided ? divisions_.find({of, b}) : divisions_.end();
    if (of == b) {
      out.quotient += c;
    } else if (product != products.end()) {
      out.quotient += (product->b == b ? product->a : product->b) * c;
    } else if (before != divisions_.end()) {
      out.quotient += before->second.quotient * c;
      out.remainder += before->second.remainder * c;
    } else {
      out.remainder += of * c;
    }
  }
  return {Usable(out.quotient), Usable(out.remainder)};
}

Linear Terms::Divide(const Linear& a, const Linear& b) {
  if (a.is_constant() && b.is_constant()) {
    auto exact = ir::Apply(ir::ExprOp::kDiv, a.constant(), b.constant());
    return exact ? Linear(*exact) : New("", true);
  }
  if (b == Linear(1)) return a;
  return DivisionOf(a, b).quotient;
}

Linear Terms::Remainder(const Linear& a, const Linear& b) {
  if (a.is_constant() && b.is_constant()) {
    auto exact = ir::Apply(ir::ExprOp::kRem, a.constant(), b.constant());
    return exact ? Linear(*exact) : New("", true);
  }
  if (b == Linear(1)) return 0;
  return DivisionOf(a, b).remainder;
}

Linear Terms::Extreme(Function f, const Linear& a, const Linear& b) {
  bool min = f == Function::kMin;
  Linear less = Usable(min ? b - a : a - b);  // natural: it is `a`
  if (Low(less).value_or(-1) >= 0) return a;
  if (High(less).value_or(1) <= 0) return b;
  if (b < a) return Extreme(f, b, a);
  auto [at, fresh] = calls_.try_emplace({f, a, b});
  if (!fresh) return at->second;
  std::optional<int64_t> low, high;
  for (const Linear* x : {&a, &b}) {
    auto l = Low(*x), h = High(*x);
    bool first = x == &a;
    // Of a minimum: not below the lower of both, not above either that is
    // known.
    if (min) {
      low = first
                ? l
                : (low && l ? std::optional(std::min(*low, *l)) : std::nullopt);
      if (h) high = high ? std::min(*high, *h) : *h;
    } else {
      high = first ? h
                   : (high && h ? std::optional(std::max(*high, *h))
                                : std::nullopt);
      if (l) low = low ? std::max(*low, *l) : *l;
    }
  }
  Linear v = New("", OfLaunch(a) && OfLaunch(b), low, high);
  Define(v, Any({All({Eq(v, a), Ge(less, 0)}), All({Eq(v, b), Lt(less, 0)})}));
  SetArguments(v, {a, b});
  calls_[{f, a, b}] = v;
  return v;
}

Linear Terms::Min(const Linear& a, const Linear& b) {
  return Extreme(Function::kMin, a, b);
}

Linear Terms::Max(const Linear& a, const Linear& b) {
  return Extreme(Function::kMax, a, b);
}

Linear Terms::Select(const Formula& condition, const Linear& a,
                     const Linear& b) {
  if (condition.is_true() || a == b) return a;
  if (condition.is_false()) return b;
  std::optional<int64_t> low, high;
  auto la = Low(a), lb = Low(b), ha = High(a), hb = High(b);
  if (la && lb) low = std::min(*la, *lb);
  if (ha && hb) high = std::max(*ha, *hb);
  Linear v =
      New("", OfLaunch(condition) && OfLaunch(a) && OfLaunch(b), low, high);
  Define(v, Any({All({condition, Eq(v, a)}), All({Not(condition), Eq(v, b)})}));
  std::vector<Linear> arguments{a, b};
  AddLinears(condition, arguments);
  SetArguments(v, std::move(arguments));
  return v;
}

}  // namespace tilesim::checkers::grid
