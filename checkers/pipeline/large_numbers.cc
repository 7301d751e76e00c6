#include "checkers/pipeline/large_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ir/op.h"
#include "ir/values/dtype.h"
#include "ir/values/seeded.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;

namespace {

constexpr double kSize = 2147483647;            // of a parameter, of a grid
constexpr double kWord = 9223372036854775807.;  // what fits
constexpr double kTurns = 1099511627776.;       // of loops, all in all
constexpr double kWarps = 32;                   // of a CTA
constexpr double kSms = 1024;
constexpr double kBeyond = 1e300;

// Real numbers: what has left 64 bits is still compared. Of a double, whose
// rounding is of one part in 2^53, an end may be off by less than that.
struct Range {
  double low = 0, high = 0;
  double most() const { return std::max(-low, high); }
};

Range Hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Range Product(const Range& a, const Range& b) {
  const Range x = {a.low * b.low, a.low * b.high},
              y = {a.high * b.low, a.high * b.high};
  const auto [low, high] = std::minmax({x.low, x.high, y.low, y.high});
  return {low, high};
}

// A divisor is never 0, so that no quotient is larger than what is divided.
Range Quotient(const Range& a, const Range& b) {
  if (b.low < 1) return {-a.most(), a.most()};
  return Product(a, {1 / b.high, 1 / b.low});
}

Range Remainder(const Range& a, const Range& b) {
  const double most = std::min(a.most(), std::max(b.most() - 1, 0.0));
  return {a.low < 0 ? -most : 0, a.high > 0 ? most : 0};
}

// By numbers of bits, whatever these are.
Range OfBits(const Range& a, const Range& b, ExprOp op) {
  if (op == ExprOp::kBitAnd && (a.low >= 0 || b.low >= 0)) {
    const double most = a.low < 0   ? b.high
                        : b.low < 0 ? a.high
                                    : std::min(a.high, b.high);
    return {0, most};
  }
  const double above =
      std::exp2(std::ceil(std::log2(std::max(a.most(), b.most()) + 1)));
  return {a.low < 0 || b.low < 0 ? -above : 0, above - 1};
}

Range PowersOf(const Range& by) {
  return {std::exp2(std::clamp(by.low, 0.0, 63.0)),
          std::exp2(std::clamp(by.high, 0.0, 63.0))};
}

Range Applied(ExprOp op, const Range& a, const Range& b) {
  switch (op) {
    case ExprOp::kMul:
      return Product(a, b);
    case ExprOp::kAdd:
      return {a.low + b.low, a.high + b.high};
    case ExprOp::kSub:
      return {a.low - b.high, a.high - b.low};
    case ExprOp::kDiv:
      return Quotient(a, b);
    case ExprOp::kRem:
      return Remainder(a, b);
    case ExprOp::kShl:
      return Product(a, PowersOf(b));
    case ExprOp::kShr:
      return Hull(Quotient(a, PowersOf(b)), {a.low < 0 ? -1.0 : 0.0, 0});
    case ExprOp::kBitAnd:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
      return OfBits(a, b, op);
    default:
      return {0, 1};  // whether something is so
  }
}

class Numbers {
 public:
  Numbers(const machine::Code& code, const ir::Overrides& given)
      : kernel_(code.kernel()),
        cluster_(static_cast<double>(code.bound.cluster_size())) {
    for (const ir::Param& p : kernel_.params) {
      const double low = static_cast<double>(p.low);
      slots_[p.slot] = {
          low, p.high ? static_cast<double>(*p.high) : std::max(low, kSize)};
      auto value = given.find(p.name);
      if (value == given.end()) continue;
      const auto at = static_cast<double>(value->second);
      slots_[p.slot] = {at, at};
    }
    for (const ir::Constant& c : kernel_.constants)
      slots_[c.slot] = Of(c.value);
    for (size_t d = 0; d < kernel_.grid.size() && d < 3; ++d)
      grid_[d] = std::min(Of(kernel_.grid[d]).high, kSize);
    Settle();
  }

  bool pass() const { return pass_; }

 private:
  // What loops change grows with each round: by a step that stays the same, or
  // by more and more.
  void Settle() {
    constexpr int kRounds = 6;
    std::map<int32_t, Range> before, first;
    for (int round = 0; round < kRounds; ++round) {
      first = std::exchange(before, slots_);
      Read(kernel_.body, 1);
    }
    for (auto& [slot, now] : slots_) {
      const Range &last = before[slot], &earlier = first[slot];
      const double up = now.high - last.high, down = last.low - now.low;
      const bool faster =
          up > last.high - earlier.high || down > earlier.low - last.low;
      const double turns = faster ? kBeyond : turns_[slot];
      if (up > 0) now.high += up * turns;
      if (down > 0) now.low -= down * turns;
    }
    settled_ = true;
    for (const ir::Constant& c : kernel_.constants) Of(c.value);
    for (const auto& r : kernel_.requirements) Of(r.condition);
    Read(kernel_.body, 1);
  }

  // `turns`: how often the block is executed, at most.
  void Read(const ir::Block& block, double turns) {
    for (Stmt s : block) {
      ir::ForEachExpr(s, [this](Expr& e) { Of(e); });
      double inside = turns;
      switch (s.kind) {
        case Stmt::Kind::kLet:
        case Stmt::Kind::kVar:
        case Stmt::Kind::kAssign:
          Set(s.slot, Of(s.value), turns);
          break;
        case Stmt::Kind::kFor: {
          const Range low = Of(s.low), high = Of(s.high);
          Set(s.slot, Hull(low, high), turns);
          inside *= std::max(1.0, Hull(low, high).high - Hull(low, high).low);
          break;
        }
        case Stmt::Kind::kWhile:
          inside = kTurns;
          break;
        default:
          if (s.op) SetBy(*s.op, turns);
      }
      Read(s.body, std::min(inside, kTurns));
      Read(s.orelse, turns);
    }
  }

  void Set(int32_t slot, const Range& to, double turns) {
    if (slot < 0 || settled_) return;
    auto [at, fresh] = slots_.try_emplace(slot, to);
    if (!fresh) at->second = Hull(at->second, to);
    turns_[slot] = std::max(turns_[slot], turns);
  }

  void SetBy(const ir::Op& op, double turns) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if ((op.info->operands[i].types & ir::kTakesVar) != 0)
        Set(op.operands[i].expr.slot, OfMemory(op), turns);
    }
  }

  // What an op gives: what it read, whether something is so, or a place in the
  // grid.
  Range OfMemory(const ir::Op& op) {
    for (const ir::Operand& o : op.operands) {
      if (o.kind != ir::Operand::Kind::kRef) continue;
      const ir::Decl& d = kernel_.decls[o.ref.decl];
      if (d.space == ir::Space::kMbarrier || values::IsFloat(d.dtype))
        return {0, 1};
      if (op.info->kind == ir::OpKind::kLd && d.domain_low && d.domain_high)
        return Hull(Of(*d.domain_low), Of(*d.domain_high));
      const values::IntegerRange holds = values::RangeOf(d.dtype);
      return {static_cast<double>(holds.lo), static_cast<double>(holds.hi)};
    }
    return {0, kSize};
  }

  Range Of(const Expr& e) {
    const Range r = Unchecked(e);
    pass_ |= settled_ && r.most() > kWord;
    return r;
  }

  Range Unchecked(const Expr& e) {
    if (e.kind == ExprKind::kName) return OfName(e);
    std::vector<Range> of;
    for (const Expr& arg : e.args) of.push_back(Of(arg));
    switch (e.kind) {
      case ExprKind::kInt:
        return {static_cast<double>(e.value), static_cast<double>(e.value)};
      case ExprKind::kUnary:
        return e.op == ExprOp::kNot   ? Range{0, 1}
               : e.op == ExprOp::kNeg ? Range{-of[0].high, -of[0].low}
                                      : Range{-1 - of[0].high, -1 - of[0].low};
      case ExprKind::kBinary:
        return Applied(e.op, of[0], of[1]);
      case ExprKind::kSelect:
        return Hull(of[1], of[2]);
      case ExprKind::kCall:
        return Called(e.name, of);
      default:
        return {};
    }
  }

  static Range Called(std::string_view name, const std::vector<Range>& of) {
    if (of.size() < 2) return {0, kSize};  // bytes of a tile
    const Range &a = of[0], &b = of[1];
    if (name == "min")
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    if (name == "max")
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    // cdiv adds the divisor less one first.
    return Quotient({a.low - b.most(), a.high + b.most()}, b);
  }

  Range OfName(const Expr& e) const {
    using ir::Builtin;
    if (e.name_kind != ir::NameKind::kBuiltin) {
      auto at = slots_.find(ir::SlotOf(e));
      return at == slots_.end() ? Range{} : at->second;
    }
    switch (static_cast<Builtin>(e.slot)) {
      case Builtin::kCtaX:
      case Builtin::kGridX:
      case Builtin::kClusterIdX:
        return {0, grid_[0]};
      case Builtin::kCtaY:
      case Builtin::kGridY:
      case Builtin::kClusterIdY:
        return {0, grid_[1]};
      case Builtin::kCtaZ:
      case Builtin::kGridZ:
        return {0, grid_[2]};
      case Builtin::kClusterRank:
        return {0, cluster_ - 1};
      case Builtin::kClusterSize:
        return {1, cluster_};
      case Builtin::kWarp:
      case Builtin::kWarpgroup:
        return {0, kWarps - 1};
      case Builtin::kSmCount:
        return {1, kSms};
    }
    return {};
  }

  const ir::Kernel& kernel_;
  const double cluster_;  // CTAs of one
  double grid_[3] = {1, 1, 1};
  std::map<int32_t, Range> slots_;
  std::map<int32_t, double> turns_;
  bool settled_ = false, pass_ = false;
};

}  // namespace

bool MayPass64Bits(const machine::Code& code, const ir::Overrides& given) {
  return Numbers(code, given).pass();
}

}  // namespace tilesim::checkers::pipeline
