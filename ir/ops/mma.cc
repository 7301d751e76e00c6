#include "ir/ops/mma.h"

namespace tilesim::ir::ops {
namespace {

constexpr OperandSpec kMmaOperands[] = {
    {"d", kTakesReg, false, false, "accumulator, 16i x 8j, fragment mma"},
    {"a", kTakesReg, false, false, "16i x K, fragment mma_a"},
    {"b", kTakesReg, false, false, "8j x K, fragment mma_b"},
    {"accumulate", kTakesInt, true, false,
     "0: D = A*B^T, else D += A*B^T; of the first instruction along K"}};
constexpr OperandSpec kLdOperands[] = {
    {"dst", kTakesReg, false, false, "fragment mma_a or mma_b"},
    {"src", kTakesShared, false, false,
     "16-bit tile of the same shape, or `transpose(tile)` (.trans)", false,
     StartRule::kVector}};
constexpr OperandSpec kStOperands[] = {
    {"dst", kTakesShared, false, false, "16-bit tile of the same shape", false,
     StartRule::kVector},
    {"src", kTakesReg, false, false, "16-bit tile in fragment wgmma or mma"}};

}  // namespace

constexpr OpInfo MmaSync::kInfo = {
    .kind = OpKind::kMmaSync,
    .mnemonic = "mma.sync",
    .mods = {},
    .operands = kMmaOperands,
    .scope = ExecScope::kWarp,
    .arithmetic = Arithmetic::kExact,
    .doc = "m16n8 instructions over a warp's tile, ascending along K.",
    .source = "PTX 9.7.14.5"};
void MmaSync::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Read(kA);
  out.Read(kB);
  if (op.number(kAccumulate) != 0) out.Read(kD);
  out.Write(kD);
}

constexpr OpInfo Ldmatrix::kInfo = {
    .kind = OpKind::kLdmatrix,
    .mnemonic = "ldmatrix",
    .mods = {},
    .operands = kLdOperands,
    .scope = ExecScope::kWarp,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "8x8 blocks of 16-bit elements from shared memory into a warp's "
        "operand fragment.",
    .source = "PTX 9.7.14.5.15"};
void Ldmatrix::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kSrc);
  out.Write(kDst);
}

constexpr OpInfo Stmatrix::kInfo = {
    .kind = OpKind::kStmatrix,
    .mnemonic = "stmatrix",
    .mods = {},
    .operands = kStOperands,
    .scope = ExecScope::kWarp,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "8x8 blocks of 16-bit elements from an accumulator fragment to "
        "shared memory; generic proxy.",
    .source = "PTX 9.7.14.5.16"};
void Stmatrix::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kSrc);
  out.Write(kDst);
}

}  // namespace tilesim::ir::ops
