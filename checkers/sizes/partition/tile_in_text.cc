#include "checkers/sizes/partition/tile_in_text.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/eval.h"

namespace tilesim::checkers::sizes::partition {
namespace {

using InstrKind = machine::ExprInstr::Kind;
using ir::ExprOp;

bool IsOffset(const machine::ExprInstr& i) {
  return i.kind == InstrKind::kBinaryWith &&
         (i.op == ExprOp::kAdd || i.op == ExprOp::kSub);
}

bool CallsCdiv(const machine::ExprInstr& i) {
  return i.kind == InstrKind::kCall && ir::Functions()[i.index].name == "cdiv";
}

// The constant that a scalar, read at `i`, is divided by, perhaps with a
// constant added to it before.
std::optional<int64_t> DivisorAt(const std::vector<machine::ExprInstr>& code,
                                 size_t i) {
  ++i;
  if (i + 1 < code.size() && code[i].kind == InstrKind::kPush &&
      CallsCdiv(code[i + 1]))
    return code[i].value;
  while (i < code.size() && IsOffset(code[i])) ++i;
  if (i < code.size() && code[i].kind == InstrKind::kBinaryWith &&
      code[i].op == ExprOp::kDiv)
    return code[i].value;
  return std::nullopt;
}

}  // namespace

induction::Stride TileInText(const machine::Code& code, const Varied& params,
                             induction::Stride stride) {
  if (stride.symbol < 0 || static_cast<size_t>(stride.symbol) >= params.size())
    return stride;
  const ir::Param& p = *params[stride.symbol];
  const int64_t asked = stride.steps;
  for (size_t i = 0; i < code.expr_code.size(); ++i) {
    const machine::ExprInstr& read = code.expr_code[i];
    if (read.kind != InstrKind::kSlot || read.index != p.slot) continue;
    const std::optional<int64_t> divisor = DivisorAt(code.expr_code, i);
    if (!divisor || *divisor <= 0 || *divisor % p.step != 0) continue;
    const int64_t steps = *divisor / p.step;
    if (steps > 1 && steps < stride.steps && asked % steps == 0)
      stride.steps = steps;
  }
  return stride;
}

}  // namespace tilesim::checkers::sizes::partition
