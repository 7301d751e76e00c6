#include "checkers/pipeline/large_numbers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;

namespace {

// Constants, and parameters with an end not far off, count for nothing: what is
// large is a product of others. A quotient or a remainder counts as one of
// these, as tiles are counted by products that are taken apart again.
constexpr int kMostFactors = 2;
constexpr int64_t kSmall = 1 << 20;

class Factors {
 public:
  Factors(const machine::Code& code, const ir::Overrides& given) {
    const ir::Kernel& kernel = code.kernel();
    for (const ir::Param& p : kernel.params)
      slots_[p.slot] =
          (p.high && *p.high <= kSmall) || given.contains(p.name) ? 0 : 1;
    for (const ir::Constant& c : kernel.constants)
      slots_[c.slot] = c.is_let ? Of(c.value) : 0;
    for (size_t d = 0; d < kernel.grid.size(); ++d)
      grid_[d] = std::min(1, Of(kernel.grid[d]));
    Read(kernel.body);
  }

  bool pass() const { return pass_; }

 private:
  void Read(const ir::Block& block) {
    for (Stmt s : block) {
      ir::ForEachExpr(s, [this](Expr& e) { Of(e); });
      if (s.slot >= 0)
        slots_[s.slot] = s.kind == Stmt::Kind::kLet ? Of(s.value) : 1;
      Read(s.body);
      Read(s.orelse);
    }
  }

  // How many there are in a product that it is, or has.
  int Of(const Expr& e) {
    if (e.kind == ExprKind::kName) return OfName(e);
    std::vector<int> of;
    for (const Expr& arg : e.args) of.push_back(Of(arg));
    const int most = of.empty() ? 0 : *std::max_element(of.begin(), of.end());
    if (e.kind != ExprKind::kBinary) return most;
    if (e.op == ExprOp::kDiv || e.op == ExprOp::kRem) return std::min(most, 1);
    if (e.op != ExprOp::kMul) return most;
    pass_ |= of[0] + of[1] > kMostFactors;
    return of[0] + of[1];
  }

  int OfName(const Expr& e) const {
    using ir::Builtin;
    if (e.name_kind == ir::NameKind::kBuiltin) {
      const int dim = e.slot - static_cast<int32_t>(Builtin::kGridX);
      const int cta = e.slot - static_cast<int32_t>(Builtin::kCtaX);
      return dim >= 0 && dim < 3   ? grid_[dim]
             : cta >= 0 && cta < 3 ? grid_[cta]
                                   : 0;
    }
    auto at = slots_.find(ir::SlotOf(e));
    return at == slots_.end() ? 0 : at->second;
  }

  std::array<int, 3> grid_{};
  std::map<int32_t, int> slots_;
  bool pass_ = false;
};

}  // namespace

bool MayPass64Bits(const machine::Code& code, const ir::Overrides& given) {
  return Factors(code, given).pass();
}

}  // namespace tilesim::checkers::pipeline
