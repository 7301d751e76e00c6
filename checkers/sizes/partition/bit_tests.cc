#include "checkers/sizes/partition/bit_tests.h"

#include <bit>
#include <optional>
#include <utility>

#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;

namespace {

class Shifting {
 public:
  Shifting(const ir::Overrides& defines, ir::Kernel& kernel)
      : kernel_(kernel), known_(defines, kernel) {}

  bool Shift() {
    ir::ForEachStmt(kernel_.body, [&](Stmt& s) {
      ir::ForEachExpr(s, [&](Expr& e) { Inside(e); });
      const bool tests =
          s.kind == Stmt::Kind::kIf || s.kind == Stmt::Kind::kWhile;
      if (tests) AsTruth(s.value);
    });
    return changed_;
  }

 private:
  void Inside(Expr& e) {
    for (Expr& arg : e.args) Inside(arg);
    if (e.kind == ExprKind::kSelect || e.op == ExprOp::kNot)
      return AsTruth(e.args[0]);
    if (e.kind != ExprKind::kBinary) return;
    switch (e.op) {
      case ExprOp::kAnd:
      case ExprOp::kOr:
        AsTruth(e.args[0]);
        return AsTruth(e.args[1]);
      case ExprOp::kEq:
      case ExprOp::kNe:
      case ExprOp::kGt:
        return Compared(e);
      case ExprOp::kShr:
        return ShiftedRight(e);
      case ExprOp::kDiv:
        return Divided(e);
      case ExprOp::kBitAnd:
        return Masked(e);
      default:
        return;
    }
  }

  // a op c: what else there is, and the number; `of` is & ^ or |.
  struct ByNumber {
    Expr of;
    int64_t number;
  };
  std::optional<ByNumber> ByNumberOf(const Expr& e, ExprOp op) const {
    if (e.kind != ExprKind::kBinary || e.op != op) return std::nullopt;
    for (int i : {1, 0}) {
      const auto number = known_.Of(e.args[i]);
      if (number && !known_.Of(e.args[1 - i]))
        return ByNumber{e.args[1 - i], *number};
    }
    return std::nullopt;
  }

  // x & 2^n, for n that is not 0: x, and n.
  std::optional<ByNumber> BitOf(const Expr& e) const {
    auto out = ByNumberOf(e, ExprOp::kBitAnd);
    if (!out || out->number < 2 ||
        !std::has_single_bit(static_cast<uint64_t>(out->number)))
      return std::nullopt;
    out->number = std::countr_zero(static_cast<uint64_t>(out->number));
    return out;
  }

  void Become(Expr& e, Expr other) {
    const ir::Span span = e.span;
    e = std::move(other);
    e.span = span;
    changed_ = true;
  }

  static Expr Bit(ByNumber b) {
    return Binary(ExprOp::kBitAnd,
                  Binary(ExprOp::kShr, std::move(b.of), b.number), 1);
  }

  // x & 2^n is not 0 where x >> n & 1 is not.
  void AsTruth(Expr& e) {
    if (auto bit = BitOf(e)) Become(e, Bit(*std::move(bit)));
  }

  // With 0, or with 2^n itself.
  void Compared(Expr& e) {
    auto bit = BitOf(e.args[0]);
    const auto with = known_.Of(e.args[1]);
    if (!bit || !with) return;
    const bool whole = *with == int64_t{1} << bit->number;
    if (*with != 0 && !(whole && e.op != ExprOp::kGt)) return;
    e.args[1] = Expr::Int(whole ? 1 : 0, e.args[1].span);
    Become(e.args[0], Bit(*std::move(bit)));
  }

  // Bits are shifted each by itself, that of the sign among them.
  void ShiftedRight(Expr& e) {
    const auto by = known_.Of(e.args[1]);
    if (!by || *by < 1 || *by > 62) return;
    for (ExprOp op : {ExprOp::kBitAnd, ExprOp::kBitXor}) {
      auto inner = ByNumberOf(e.args[0], op);
      if (!inner) continue;
      const int64_t number = inner->number >> *by;
      Become(e, Binary(op, Binary(ExprOp::kShr, std::move(inner->of), *by),
                       number));
      return Masked(e);
    }
  }

  void Divided(Expr& e) {
    auto bit = BitOf(e.args[0]);
    if (bit && known_.Of(e.args[1]) == int64_t{1} << bit->number)
      Become(e, Bit(*std::move(bit)));
  }

  // (x ^ c) & m is (x & m) ^ (c & m).
  void Masked(Expr& e) {
    auto outer = ByNumberOf(e, ExprOp::kBitAnd);
    auto inner = outer ? ByNumberOf(outer->of, ExprOp::kBitXor) : std::nullopt;
    if (!inner) return;
    const int64_t flipped = inner->number & outer->number;
    Expr kept = Binary(ExprOp::kBitAnd, std::move(inner->of), outer->number);
    if (flipped != 0) kept = Binary(ExprOp::kBitXor, std::move(kept), flipped);
    Become(e, std::move(kept));
  }

  ir::Kernel& kernel_;
  KnownNumbers known_;
  bool changed_ = false;
};

}  // namespace

bool ShiftBits(const ir::Overrides& defines, ir::Kernel& kernel) {
  return Shifting(defines, kernel).Shift();
}

}  // namespace tilesim::checkers::sizes::partition
