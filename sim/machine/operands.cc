#include "sim/machine/operands.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ir/cat.h"
#include "ir/operand_rules.h"
#include "sim/machine/machine.h"
#include "sim/machine/no_value.h"
#include "sim/machine/start.h"
#include "sim/machine/tile_guide.h"

namespace tilesim::machine {
namespace {

bool EvaluateTile(const Code& code, const CompiledOperand& c,
                  const int64_t* slots, const Who& who, ir::OperandValue& out) {
  for (const auto& start : c.starts) {
    std::optional<int64_t> v = ValueOf(code, start.expr, slots, who);
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
    std::optional<int64_t> v = ValueOf(code, c.index[i], slots, who);
    if (!v || *v < 0 || *v >= d.array[i]) return false;
    flat = flat * d.array[i] + *v;
  }
  out = static_cast<int32_t>(flat);
  return true;
}

bool IsConstant(const CompiledOperand& c) {
  return c.expr.constant && c.starts.empty() && (!c.cta || c.cta->constant) &&
         std::all_of(c.index.begin(), c.index.end(),
                     [](const CompiledExpr& e) { return e.constant; });
}

bool ReadsNoValue(const Code& code, const CompiledOperand& c,
                  const int64_t* slots) {
  auto reads = [&](const CompiledExpr& e) {
    return machine::ReadsNoValue(code, e, slots);
  };
  return reads(c.expr) || (c.cta && reads(*c.cta)) ||
         std::any_of(c.index.begin(), c.index.end(), reads) ||
         std::any_of(c.starts.begin(), c.starts.end(),
                     [&](const auto& start) { return reads(start.expr); });
}

// Whether each of its expressions has a value.
bool HasValues(const Code& code, const CompiledOperand& c, const int64_t* slots,
               const Who& who) {
  auto has = [&](const CompiledExpr& e) {
    return Evaluate(code, e, slots, who).has_value();
  };
  return (!c.cta || has(*c.cta)) && has(c.expr) &&
         std::all_of(c.index.begin(), c.index.end(), has) &&
         std::all_of(c.starts.begin(), c.starts.end(),
                     [&](const auto& start) { return has(start.expr); });
}

}  // namespace

// Writes what a run decides; the rest of `out` is `c.fixed` already.
bool EvaluateOperand(const Code& code, const CompiledOperand& c,
                     const int64_t* slots, const Who& who,
                     ir::OperandValue& out) {
  using Kind = ir::OperandValue::Kind;
  if (c.cta) {
    std::optional<int64_t> rank = ValueOf(code, *c.cta, slots, who);
    int64_t size = code.bound.cluster_size();
    if (!rank || *rank < 0 || *rank >= size) return false;
    out.tile.cta = out.barrier.cta = static_cast<int8_t>(*rank);
  }
  if (c.kind == Kind::kInt) {
    std::optional<int64_t> v = ValueOf(code, c.expr, slots, who);
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

int64_t Who::operator[](ir::Builtin builtin) const {
  const ir::BoundKernel& b = *kernel_;
  switch (builtin) {
    case ir::Builtin::kCtaX:
      return cta_->id[0];
    case ir::Builtin::kCtaY:
      return cta_->id[1];
    case ir::Builtin::kCtaZ:
      return cta_->id[2];
    case ir::Builtin::kGridX:
      return b.grid[0];
    case ir::Builtin::kGridY:
      return b.grid[1];
    case ir::Builtin::kGridZ:
      return b.grid[2];
    case ir::Builtin::kClusterRank:
      return cta_->rank;
    case ir::Builtin::kClusterSize:
      return b.cluster_size();
    case ir::Builtin::kClusterIdX:
      return cta_->id[0] / b.cluster[0];
    case ir::Builtin::kClusterIdY:
      return cta_->id[1] / b.cluster[1];
    case ir::Builtin::kWarp:
      return first_warp_;
    case ir::Builtin::kWarpgroup:
      return first_warp_ / ir::kWarpgroupWarps;
    case ir::Builtin::kSmCount:
      return b.sm_count;
  }
  return 0;
}

// Whoever reads registers that a tcgen05.ld writes waits for it, so they have
// their values from its issue on (PTX 9.7.16.6.4.5).
ir::Milestone MovesData(const ir::OpInfo& info) {
  bool at_issue = info.async == ir::AsyncUnit::kNone ||
                  info.async == ir::AsyncUnit::kTmemSt ||
                  info.async == ir::AsyncUnit::kTmemLd ||
                  info.async == ir::AsyncUnit::kStAsync;
  if (at_issue) return ir::Milestone::kIssue;
  return info.IntoGlobal() ? ir::Milestone::kRead : ir::Milestone::kDone;
}

void FixOperands(const Code& code, CompiledOp& op) {
  const Cta nowhere;  // constants do not ask
  Who nobody(code.bound, nowhere, 0);
  op.fixed.op = op.op;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const CompiledOperand& c = op.operands[i];
    ir::OperandValue& value = op.fixed.operands[i];
    value = c.fixed;
    value.kind = c.kind;
    // One that names nothing is reported when it is executed.
    if (!IsConstant(c) || !EvaluateOperand(code, c, nullptr, nobody, value))
      op.varying.push_back(static_cast<int8_t>(i));
  }
}

ir::ConcreteOp ConcreteOf(const CompiledOp& op, const InFlight& f,
                          uint8_t cluster_rank) {
  ir::ConcreteOp out = op.fixed;
  Restore(op, f, cluster_rank, out);
  return out;
}

void Restore(const CompiledOp& op, const InFlight& f, uint8_t cluster_rank,
             ir::ConcreteOp& out) {
  out.threads = f.threads;
  out.cluster_rank = cluster_rank;
  for (size_t i = 0; i < f.varying.size(); ++i)
    out.operands[op.varying[i]] = f.varying[i];
}

// It names nothing.
void TileGuide::ReportOperand(Machine& machine, const State& state,
                              const Strand& strand, const CompiledOp& op,
                              int operand) const {
  const ir::OperandSpec& spec = op.op->info->operands[operand];
  std::string what =
      ir::Cat("operand `", spec.name, "` of ", op.op->info->mnemonic);
  if (ReadsNoValue(code_, op.operands[operand], strand.slots.data())) {
    return machine.Report(state, strand.cta, &op, "clc/refused",
                          what + " is the place in an answer that refuses",
                          std::string(kRefusedHelp));
  }
  if (!HasValues(code_, op.operands[operand], strand.slots.data(),
                 machine.WhoIs(state, strand))) {
    return machine.Report(state, strand.cta, &op, "type/overflow",
                          "an expression in " + what +
                              " divides by zero or does not fit in 64 bits",
                          "");
  }
  machine.Report(state, strand.cta, &op, "bounds/index",
                 what + " names an object or rank that does not exist",
                 "the array has fewer elements than the index");
}

int TileGuide::Operands(const Machine& machine, const State& state,
                        const Strand& strand, const CompiledOp& op,
                        ir::ConcreteOp& out) const {
  out.threads = strand.threads;
  Who who = machine.WhoIs(state, strand);
  for (int8_t i : op.varying) {
    if (!EvaluateOperand(code_, op.operands[i], strand.slots.data(), who,
                         out.operands[i]))
      return i;
  }
  return -1;
}

ir::ConcreteOp* Machine::Evaluated(const State& state, const Strand& strand,
                                   const CompiledOp& op) {
  const Cta& cta = state.ctas[strand.cta];
  const Code& code = code_of(cta);
  ir::ConcreteOp& out = executed_[cta.kernel][&op - code.ops.data()];
  out.cluster_rank = cta.rank;
  int wrong = guide_of(cta).Operands(*this, state, strand, op, out);
  if (wrong >= 0) {
    guide_of(cta).ReportOperand(*this, state, strand, op, wrong);
    return nullptr;
  }
  if (auto rule = ir::WrongOperandOf(code.bound, out)) {
    Report(state, strand.cta, &op, rule->code, std::move(rule->message), "");
    return nullptr;
  }
  return &out;
}

// ConcreteOf without the copy.
const ir::ConcreteOp& Machine::Restored(const State& state, const InFlight& f) {
  const Cta& cta = state.ctas[f.cta];
  ir::ConcreteOp& out = executed_[cta.kernel][f.op];
  Restore(op_of(state, f), f, cta.rank, out);
  return out;
}

bool Machine::Concrete(const State& state, const Strand& strand,
                       const CompiledOp& op, ir::ConcreteOp& out) {
  const ir::ConcreteOp* concrete = Evaluated(state, strand, op);
  if (concrete == nullptr) return false;
  out = *concrete;
  return true;
}

ir::ConcreteOp Machine::ConcreteOf(const State& state,
                                   const InFlight& f) const {
  return machine::ConcreteOf(op_of(state, f), f, state.ctas[f.cta].rank);
}

}  // namespace tilesim::machine
