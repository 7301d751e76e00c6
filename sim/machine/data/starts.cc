#include "sim/machine/data/starts.h"

#include <algorithm>
#include <utility>

#include "ir/bounds.h"
#include "ir/placement.h"

namespace tilesim::machine {
namespace {

bool IsLookedAt(const CompiledOp& op, size_t operand) {
  const CompiledOperand& o = op.operands[operand];
  if (o.kind != ir::OperandValue::Kind::kTile) return false;
  const ir::TileValue& tile = o.fixed.tile;
  return tile.space != ir::Space::kGlobal ||
         op.op->info->operands[operand].start != ir::StartRule::kAnywhere ||
         ir::MustBeThere(*op.op, operand) != ir::There::kNothing;
}

bool IsVarying(const CompiledOp& op, int8_t operand) {
  return std::find(op.varying.begin(), op.varying.end(), operand) !=
         op.varying.end();
}

}  // namespace

std::optional<BoxFault> WrongBox(const ir::BoundKernel& kernel,
                                 const ir::ConcreteOp& op, int operand) {
  if (auto outside = ir::OutOfBoundsOf(kernel, op, operand))
    return BoxFault{outside->code, std::move(outside->message), ""};
  if (auto wrong = ir::MisplacedOf(kernel, op, operand))
    return BoxFault{wrong->code, std::move(wrong->message),
                    std::string(ir::kMisplacedHelp)};
  return std::nullopt;
}

Starts::Starts(const std::vector<const Code*>& codes) : codes_(codes) {
  for (const Code* code : codes_) {
    std::vector<OfOp>& ops = ops_.emplace_back(code->ops.size());
    for (size_t i = 0; i < ops.size(); ++i) {
      const CompiledOp& op = code->ops[i];
      for (int8_t k = 0; k < static_cast<int8_t>(op.operands.size()); ++k) {
        if (!IsLookedAt(op, k)) continue;
        ops[i].all.push_back(k);
        if (IsVarying(op, k)) ops[i].varying.push_back(k);
      }
    }
  }
}

}  // namespace tilesim::machine
