// Operands evaluated for the strand that executes an op.
#include "sim/machine/machine.h"

#include <algorithm>
#include <optional>

#include "ir/cat.h"
#include "sim/machine/start.h"

namespace tilesim::machine {
namespace {

bool EvaluateTile(const Code& code, const CompiledOperand& c,
                  const int64_t* slots, const Who& who,
                  ir::OperandValue& out) {
  for (const auto& start : c.starts) {
    std::optional<int64_t> v = Evaluate(code, start.expr, slots, who);
    if (!v) return false;
    out.tile.start[start.dim] = ClampStart(*v);
  }
  return true;
}

// The object of an array, checked against its extents.
bool EvaluateIndex(const Code& code, const CompiledOperand& c, int32_t decl,
                   const int64_t* slots, const Who& who, int32_t& out) {
  const ir::BoundDecl& d = code.bound.decls[decl];
  int64_t flat = 0;
  for (size_t i = 0; i < c.index.size(); ++i) {
    std::optional<int64_t> v = Evaluate(code, c.index[i], slots, who);
    if (!v || *v < 0 || *v >= d.array[i]) return false;
    flat = flat * d.array[i] + *v;
  }
  out = static_cast<int32_t>(flat);
  return true;
}

bool EvaluateOperand(const Code& code, const CompiledOperand& c,
                     const int64_t* slots, const Who& who,
                     ir::OperandValue& out) {
  using Kind = ir::OperandValue::Kind;
  out = c.fixed;
  out.kind = c.kind;
  if (c.cta) {
    std::optional<int64_t> rank = Evaluate(code, *c.cta, slots, who);
    int64_t size = code.bound.cluster_size();
    if (!rank || *rank < 0 || *rank >= size) return false;
    out.tile.cta = out.barrier.cta = static_cast<int8_t>(*rank);
  }
  if (c.kind == Kind::kInt) {
    std::optional<int64_t> v = Evaluate(code, c.expr, slots, who);
    if (!v) return false;
    out.number = *v;
    out.real = static_cast<double>(*v);
  } else if (c.kind == Kind::kTile) {
    return EvaluateIndex(code, c, out.tile.decl, slots, who, out.tile.index) &&
           EvaluateTile(code, c, slots, who, out);
  } else if (c.kind == Kind::kBarrier) {
    int32_t index = 0;
    if (!EvaluateIndex(code, c, out.barrier.decl, slots, who, index))
      return false;
    out.barrier.index =
        static_cast<int32_t>(code.bound.decls[out.barrier.decl].place) + index;
  }
  return true;
}

}  // namespace

bool Machine::Concrete(const State& state, const Strand& strand,
                       const CompiledOp& op, ir::ConcreteOp& out) {
  const Cta& cta = state.ctas[strand.cta];
  const Code& code = code_of(cta);
  Who who = WhoIs(state, strand);
  out.op = op.op;
  out.threads = strand.threads;
  out.cluster_rank = cta.rank;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (EvaluateOperand(code, op.operands[i], strand.slots.data(), who,
                        out.operands[i]))
      continue;
    const ir::OperandSpec& spec = op.op->info->operands[i];
    Report(state, strand.cta, &op, "bounds/index",
           ir::Cat("operand `", spec.name, "` of ", op.op->info->mnemonic,
                   " names an object or rank that does not exist"),
           "the array has fewer elements than the index");
    return false;
  }
  return true;
}

ir::ConcreteOp Machine::ConcreteOf(const State& state,
                                   const InFlight& f) const {
  ir::ConcreteOp out;
  out.op = op_of(state, f).op;
  out.operands = f.operands;
  out.threads = f.threads;
  out.cluster_rank = state.ctas[f.cta].rank;
  return out;
}

}  // namespace tilesim::machine
