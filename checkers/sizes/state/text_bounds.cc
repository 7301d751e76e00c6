#include "checkers/sizes/state/text_bounds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "checkers/sizes/state/launch.h"
#include "checkers/sizes/state/launch_shape.h"
#include "checkers/sizes/state/text_multiple.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::state {
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;

namespace {

// Every parameter is anything from its lowest value on, step by step.
Family AnySizes(const ir::Kernel& kernel) {
  Family out;
  Symbol next = 0;
  for (const ir::Param& p : kernel.params)
    out.params[p.slot] = Polynomial(p.low) + Polynomial::Of(next++, p.step);
  out.grid.fill(Symbolic::Unknown());
  return out;
}

class Prover {
 public:
  explicit Prover(const machine::Code& code)
      : code_(code), launch_(code, AnySizes(code.kernel())) {
    for (const ir::Constant& c : code.kernel().constants)
      values_[c.slot] = &c.value;
    Note(code.kernel().body);
  }

  std::set<BoxSide> Run() {
    std::set<BoxSide> out;
    for (size_t op = 0; op < code_.ops.size(); ++op) {
      const machine::CompiledOp& c = code_.ops[op];
      for (size_t i = 0; i < c.operands.size(); ++i) {
        if (MustBeThere(code_, c, i) == ir::There::kNothing) continue;
        for (int d = 0; d < c.operands[i].fixed.tile.rank; ++d) {
          if (Inside(c, i, d))
            out.insert({static_cast<int32_t>(op), static_cast<int32_t>(i), d});
        }
      }
    }
    return out;
  }

 private:
  // Counters and names of values; no name has two meanings.
  void Note(const ir::Block& block) {
    for (const ir::Stmt& s : block) {
      if (s.kind == ir::Stmt::Kind::kLet) values_[s.slot] = &s.value;
      if (s.kind == ir::Stmt::Kind::kFor) loops_[s.slot] = &s;
      Note(s.body);
      Note(s.orelse);
    }
  }

  bool Inside(const machine::CompiledOp& op, size_t operand, int dim) {
    const ir::TileValue& box = op.operands[operand].fixed.tile;
    const ir::Decl& tensor = code_.kernel().decls[box.decl];
    std::optional<Polynomial> extent = Size(tensor.shape[dim]);
    const Expr* start = StartOf(op.op->operands[operand].ref, dim);
    // Past the end nothing is asked of it.
    if (ir::MustBeThere(*op.op, operand) == ir::There::kStart)
      return start == nullptr || Natural(*start);
    return extent && start != nullptr && Natural(*start) &&
           Below(*start, box.extent[dim] - 1, *extent);
  }

  std::optional<Polynomial> Size(const Expr& e) {
    std::optional<Polynomial> size = algebra::NumberOf(launch_.Evaluate(e));
    return size && !size->bad() ? size : std::nullopt;
  }

  const Expr* ValueOf(const Expr& e) const {
    auto found = values_.find(ir::SlotOf(e));
    return found == values_.end() ? nullptr : found->second;
  }

  const ir::Stmt* LoopOf(const Expr& e) const {
    auto found = e.kind == ExprKind::kName && e.name_kind == NameKind::kLoop
                     ? loops_.find(e.slot)
                     : loops_.end();
    return found == loops_.end() ? nullptr : found->second;
  }

  static bool IsBinary(const Expr& e, ExprOp op) {
    return e.kind == ExprKind::kBinary && e.op == op;
  }

  // Never negative.
  bool Natural(const Expr& e) {
    if (e.kind == ExprKind::kInt) return e.value >= 0;
    if (e.kind == ExprKind::kName && e.name_kind == NameKind::kBuiltin)
      return true;
    if (const Expr* value = ValueOf(e)) return Natural(*value);
    if (const ir::Stmt* loop = LoopOf(e))
      return Natural(loop->low) && (!loop->step || Natural(*loop->step));
    if (std::optional<Polynomial> size = Size(e)) return size->Grows();
    // A remainder has the sign of what is divided.
    if (IsBinary(e, ExprOp::kRem)) return Natural(e.args[0]);
    bool keeps =
        e.kind == ExprKind::kBinary &&
        (e.op == ExprOp::kAdd || e.op == ExprOp::kMul || e.op == ExprOp::kDiv);
    return keeps && Natural(e.args[0]) && Natural(e.args[1]);
  }

  // e + more < end, where e is natural.
  bool Below(const Expr& e, int64_t more, const Polynomial& end) {
    if (std::optional<Polynomial> size = Size(e))
      return (end - *size - Polynomial(more + 1)).Grows();
    if (const Expr* value = ValueOf(e)) return Below(*value, more, end);
    if (const ir::Stmt* loop = LoopOf(e)) {
      std::optional<Polynomial> high = Size(loop->high);
      return high && (end - *high - Polynomial(more)).Grows();
    }
    if (e.kind != ExprKind::kBinary) return false;
    if (e.op == ExprOp::kAdd) return SumBelow(e, more, end);
    if (e.op == ExprOp::kMul) return MultipleBelow(e, more, end);
    std::optional<Polynomial> by = Size(e.args[1]);
    if (!by || more != 0) return false;
    // By less than 0, a remainder may be anything up to -by.
    if (by->AtLeast(1) != true || !Natural(e.args[0])) return false;
    if (e.op == ExprOp::kRem) return (end - *by).Grows();
    // x / by < end where x < by * end.
    return e.op == ExprOp::kDiv && Below(e.args[0], 0, *by * end);
  }

  bool SumBelow(const Expr& e, int64_t more, const Polynomial& end) {
    for (int i : {0, 1}) {
      std::optional<Polynomial> size = Size(e.args[i]);
      if (!size || !size->constant() || size->base() < 0) continue;
      return Below(e.args[1 - i], more + size->base(), end);
    }
    return false;
  }

  // x * c + more < c * rest where more < c and x < rest.
  bool MultipleBelow(const Expr& e, int64_t more, const Polynomial& end) {
    for (int i : {0, 1}) {
      std::optional<Polynomial> size = Size(e.args[i]);
      if (!size || !size->constant() || size->base() <= more) continue;
      std::optional<Polynomial> rest = end.DividedBy(size->base());
      return rest && Below(e.args[1 - i], 0, *rest);
    }
    return false;
  }

  const machine::Code& code_;
  Launch launch_;
  std::map<int32_t, const Expr*> values_;     // by slot
  std::map<int32_t, const ir::Stmt*> loops_;  // likewise
};

}  // namespace

std::set<BoxSide> InsideByText(const machine::Code& code) {
  return Prover(code).Run();
}

}  // namespace tilesim::checkers::sizes::state
