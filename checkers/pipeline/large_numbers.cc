#include "checkers/pipeline/large_numbers.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;

namespace {

// Of a parameter without an end, an extent of the grid, a variable.
constexpr int kBits = 31;
constexpr int kMost = 63;

int BitsOf(int64_t number) {
  const auto magnitude = number < 0 ? ~static_cast<uint64_t>(number)
                                    : static_cast<uint64_t>(number);
  return static_cast<int>(std::bit_width(magnitude));
}

class Widths {
 public:
  Widths(const machine::Code& code, const ir::Overrides& given) {
    const ir::Kernel& kernel = code.kernel();
    for (const ir::Param& p : kernel.params) {
      auto at = given.find(p.name);
      slots_[p.slot] = at != given.end() ? BitsOf(at->second)
                       : p.high          ? BitsOf(*p.high)
                                         : kBits;
    }
    for (const ir::Constant& c : kernel.constants) {
      const auto& value = code.bound.slots[c.slot];
      slots_[c.slot] = c.is_let                    ? Of(c.value)
                       : value && !value->is_float ? BitsOf(value->number)
                                                   : kBits;
    }
    Read(kernel.body);
  }

  bool pass() const { return pass_; }

 private:
  void Read(const ir::Block& block) {
    for (Stmt s : block) {
      ir::ForEachExpr(s, [this](Expr& e) { Of(e); });
      const bool known = s.kind == Stmt::Kind::kLet;
      if (s.slot >= 0) slots_[s.slot] = known ? Of(s.value) : kBits;
      Read(s.body);
      Read(s.orelse);
    }
  }

  // How many bits the magnitude of its value takes at most.
  int Of(const Expr& e) {
    if (e.kind == ExprKind::kInt) return BitsOf(e.value);
    if (e.kind == ExprKind::kName) {
      auto at = slots_.find(ir::SlotOf(e));
      return at == slots_.end() ? kBits : at->second;
    }
    std::vector<int> of;
    for (const Expr& arg : e.args) of.push_back(Of(arg));
    const int most = of.empty() ? 0 : *std::max_element(of.begin(), of.end());
    return std::min(kMost, Binary(e, of, most));
  }

  int Binary(const Expr& e, const std::vector<int>& of, int most) {
    if (e.kind != ExprKind::kBinary) return most;
    int bits = most;
    switch (e.op) {
      case ExprOp::kMul:
        bits = of[0] == 0 || of[1] == 0 ? 0 : of[0] + of[1];
        break;
      case ExprOp::kAdd:
      case ExprOp::kSub:
        bits = std::min(kMost, most + 1);
        break;
      case ExprOp::kShl:
        bits = e.args[1].kind == ExprKind::kInt
                   ? of[0] + static_cast<int>(e.args[1].value)
                   : most;
        break;
      case ExprOp::kDiv:
        bits = e.args[1].kind == ExprKind::kInt ? of[0] - of[1] + 1 : of[0];
        break;
      case ExprOp::kRem:
        bits = std::min(of[0], of[1]);
        break;
      default:
        break;
    }
    pass_ |= bits > kMost;
    return std::max(bits, 0);
  }

  std::map<int32_t, int> slots_;
  bool pass_ = false;
};

}  // namespace

bool MayPass64Bits(const machine::Code& code, const ir::Overrides& given) {
  return Widths(code, given).pass();
}

}  // namespace tilesim::checkers::pipeline
