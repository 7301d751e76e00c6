#include "checkers/grid/range_arithmetic.h"

#include <algorithm>
#include <bit>

#include "ir/apply.h"

namespace tilesim::checkers::grid {
using ir::ExprOp;
using End = std::optional<int64_t>;

namespace {

End Exact(ExprOp op, const End& a, const End& b) {
  if (!a || !b) return std::nullopt;
  return ir::Apply(op, *a, *b);
}

End Lower(const End& a, const End& b) {
  if (!a || !b) return std::nullopt;
  return std::min(*a, *b);
}
End Higher(const End& a, const End& b) {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

bool Natural(const Range& a) { return a.low && *a.low >= 0; }
bool Positive(const Range& a) { return a.low && *a.low >= 1; }

Range Multiplied(const Range& a, const Range& b) {
  if (Natural(a) && Natural(b))
    return {Exact(ExprOp::kMul, a.low, b.low),
            Exact(ExprOp::kMul, a.high, b.high)};
  Range out;
  bool first = true;
  for (const End& x : {a.low, a.high}) {
    for (const End& y : {b.low, b.high}) {
      const End product = Exact(ExprOp::kMul, x, y);
      if (!product) return {};
      out.low = first ? *product : std::min(*out.low, *product);
      out.high = first ? *product : std::max(*out.high, *product);
      first = false;
    }
  }
  return out;
}

Range Divided(const Range& a, const Range& b) {
  if (!Natural(a) || !Positive(b)) return {};
  return {b.high ? *a.low / *b.high : 0, Exact(ExprOp::kDiv, a.high, b.low)};
}

Range Remainder(const Range& a, const Range& b) {
  if (!Positive(b)) return {};
  if (Natural(a) && a.high && *a.high < *b.low) return a;
  const End most = b.high ? End(*b.high - 1) : End();
  if (!Natural(a)) return {most ? End(-*most) : End(), most};
  return {0, most && a.high ? End(std::min(*most, *a.high))
                            : (most ? most : a.high)};
}

Range BothBits(const Range& a, const Range& b) {
  if (!Natural(a) && !Natural(b)) return {};
  End high;
  for (const Range* x : {&a, &b}) {
    if (Natural(*x) && x->high)
      high = high ? std::min(*high, *x->high) : *x->high;
  }
  return {0, high};
}

// Of `|` and `^`: no higher bit than both have.
Range EitherBits(const Range& a, const Range& b) {
  if (!Natural(a) || !Natural(b)) return {};
  const End most = Higher(a.high, b.high);
  if (!most) return {0, {}};
  const int bits = std::bit_width(static_cast<uint64_t>(*most));
  return {0, static_cast<int64_t>((uint64_t{1} << bits) - 1)};
}

// By 0 to 62, else nobody goes on.
Range Shifted(ExprOp op, const Range& a, const Range& b) {
  if (!Natural(a)) return {};
  const int64_t least = std::clamp<int64_t>(b.low.value_or(0), 0, 62);
  const int64_t most = std::clamp<int64_t>(b.high.value_or(62), 0, 62);
  if (op == ExprOp::kShr)
    return {*a.low >> most, a.high ? End(*a.high >> least) : End()};
  return {ir::Apply(op, *a.low, least), Exact(op, a.high, most)};
}

}  // namespace

Range United(const Range& a, const Range& b) {
  return {Lower(a.low, b.low), Higher(a.high, b.high)};
}

Range Negated(const Range& a) {
  return {Exact(ExprOp::kSub, 0, a.high), Exact(ExprOp::kSub, 0, a.low)};
}

Range Applied(ExprOp op, const Range& a, const Range& b) {
  switch (op) {
    case ExprOp::kAdd:
      return {Exact(op, a.low, b.low), Exact(op, a.high, b.high)};
    case ExprOp::kSub:
      return {Exact(op, a.low, b.high), Exact(op, a.high, b.low)};
    case ExprOp::kMul:
      return Multiplied(a, b);
    case ExprOp::kDiv:
      return Divided(a, b);
    case ExprOp::kRem:
      return Remainder(a, b);
    case ExprOp::kShl:
    case ExprOp::kShr:
      return Shifted(op, a, b);
    case ExprOp::kBitAnd:
      return BothBits(a, b);
    case ExprOp::kBitXor:
    case ExprOp::kBitOr:
      return EitherBits(a, b);
    default:
      return {0, 1};  // a truth value
  }
}

Range Called(std::string_view name, const Range& a, const Range& b) {
  if (name == "min") {
    End high = Lower(a.high, b.high);
    if (!high) high = a.high ? a.high : b.high;
    return {Lower(a.low, b.low), high};
  }
  if (name == "max") {
    End low = Higher(a.low, b.low);
    if (!low) low = a.low ? a.low : b.low;
    return {low, Higher(a.high, b.high)};
  }
  if (name == "cdiv" && Natural(a) && Positive(b))
    return {*a.low > 0 ? 1 : 0, a.high};
  return {};
}

Range Where(ExprOp op, const Range& a, const Range& b) {
  Range out = a;
  const auto at_least = [&](const End& low) {
    if (low) out.low = out.low ? std::max(*out.low, *low) : *low;
  };
  const auto at_most = [&](const End& high) {
    if (high) out.high = out.high ? std::min(*out.high, *high) : *high;
  };
  const bool one = b.low && b.low == b.high;
  switch (op) {
    case ExprOp::kLt:
      at_most(Exact(ExprOp::kSub, b.high, 1));
      break;
    case ExprOp::kLe:
      at_most(b.high);
      break;
    case ExprOp::kGt:
      at_least(Exact(ExprOp::kAdd, b.low, 1));
      break;
    case ExprOp::kGe:
      at_least(b.low);
      break;
    case ExprOp::kEq:
      at_most(b.high);
      at_least(b.low);
      break;
    case ExprOp::kNe:
      if (one && a.low == b.low) at_least(Exact(ExprOp::kAdd, b.low, 1));
      if (one && a.high == b.high) at_most(Exact(ExprOp::kSub, b.high, 1));
      break;
    default:
      break;
  }
  return out;
}

bool IsEmpty(const Range& a) { return a.low && a.high && *a.low > *a.high; }

ExprOp Turned(ExprOp op) {
  switch (op) {
    case ExprOp::kLt:
      return ExprOp::kGt;
    case ExprOp::kLe:
      return ExprOp::kGe;
    case ExprOp::kGt:
      return ExprOp::kLt;
    case ExprOp::kGe:
      return ExprOp::kLe;
    default:
      return op;
  }
}

ExprOp Opposite(ExprOp op) {
  switch (op) {
    case ExprOp::kLt:
      return ExprOp::kGe;
    case ExprOp::kLe:
      return ExprOp::kGt;
    case ExprOp::kGt:
      return ExprOp::kLe;
    case ExprOp::kGe:
      return ExprOp::kLt;
    case ExprOp::kEq:
      return ExprOp::kNe;
    case ExprOp::kNe:
      return ExprOp::kEq;
    default:
      return ExprOp::kNone;
  }
}

}  // namespace tilesim::checkers::grid
