#include "sim/machine/data/mma_error.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ir/ops/all.h"
#include "sim/machine/arith/mma_rule.h"

namespace tilesim::machine {
namespace {

using arith::MmaRule;
using arith::Output;

constexpr double kF32HalfUlp = 0x1p-24;

double OutputError(Output output) {
  switch (output) {
    case Output::kF32Rz23:
    case Output::kF32Rne:
      return 0x1p-23;
    case Output::kF32Rz13:
      return 0x1p-13;
    case Output::kF16Rne:
      return 0x1p-11;
    case Output::kS32Wrap:
      return 0;
  }
  return 0;
}

double ErrorOf(const MmaRule& rule) {
  if (rule.is_integer()) return 0;
  bool halves = rule.steps == arith::Steps::kTwoHalvesThenAdd;
  double k = halves ? rule.k / 2 : rule.k;
  double each = (k + 1) * std::ldexp(1.0, -rule.fraction_bits) +
                OutputError(rule.output) + (halves ? kF32HalfUlp : 0);
  return each * kErrorChunk / k;
}

std::optional<arith::Unit> UnitOf(ir::OpKind kind) {
  switch (kind) {
    case ir::OpKind::kWgmmaMmaAsync:
      return arith::Unit::kWgmma;
    case ir::OpKind::kMmaSync:
      return arith::Unit::kMmaSync;
    case ir::OpKind::kTcgen05Mma:
    case ir::OpKind::kTcgen05MmaBlockScale:
      return arith::Unit::kTcgen05;
    default:
      return std::nullopt;
  }
}

}  // namespace

double ChunkError(const Code& code) {
  using Scaled = ir::ops::Tcgen05MmaBlockScale;
  std::optional<double> worst;
  for (const CompiledOp& op : code.ops) {
    std::optional<arith::Unit> unit = UnitOf(op.op->info->kind);
    if (!unit) continue;
    auto type = [&](int i) { return op.operands[i].fixed.tile.dtype; };
    arith::MmaKey key{.unit = *unit, .a = type(1), .b = type(2), .d = type(0)};
    if (op.op->info->kind == ir::OpKind::kTcgen05MmaBlockScale)
      key.scale_type = type(Scaled::kSfa);
    const MmaRule* rule = arith::FindRule(key);
    if (rule != nullptr) worst = std::max(worst.value_or(0), ErrorOf(*rule));
  }
  return worst.value_or(kErrorChunk * kF32HalfUlp);
}

}  // namespace tilesim::machine
