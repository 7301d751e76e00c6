#include "ir/ops/mma.h"

namespace tilesim::ir::ops {
namespace {

constexpr OperandSpec kMmaOperands[] = {
    {.name = "d",
     .types = kTakesReg,
     .doc = "accumulator, 16i x 8j, fragment mma"},
    {.name = "a", .types = kTakesReg, .doc = "16i x K, fragment mma_a"},
    {.name = "b", .types = kTakesReg, .doc = "8j x K, fragment mma_b"},
    {.name = "accumulate",
     .types = kTakesInt,
     .keyword = true,
     .doc = "0: D = A*B^T, else D += A*B^T; of the first instruction along K"}};
constexpr OperandSpec kLdOperands[] = {
    {.name = "dst", .types = kTakesReg, .doc = "fragment mma_a or mma_b"},
    {.name = "src",
     .types = kTakesShared,
     .doc = "16-bit tile of the same shape, or `transpose(tile)` (.trans)",
     .start = StartRule::kVector}};
constexpr OperandSpec kStOperands[] = {
    {.name = "dst",
     .types = kTakesShared,
     .doc = "16-bit tile of the same shape",
     .start = StartRule::kVector},
    {.name = "src",
     .types = kTakesReg,
     .doc = "16-bit tile in fragment wgmma or mma"}};

}  // namespace

constexpr OpInfo MmaSync::kInfo = Row<MmaSync>(
    {.mnemonic = "mma.sync",
     .operands = kMmaOperands,
     .scope = ExecScope::kWarp,
     .arithmetic = Arithmetic::kExact,
     .doc = "m16n8 instructions over a warp's tile, ascending along K.",
     .source = "PTX 9.7.14.5"});
void MmaSync::Effects(const ConcreteOp& op, EffectSink& out) {
  out.Read(kA);
  out.Read(kB);
  if (op.number(kAccumulate) != 0) out.Read(kD);
  out.Write(kD);
}

constexpr OpInfo Ldmatrix::kInfo = Row<Ldmatrix>(
    {.mnemonic = "ldmatrix",
     .operands = kLdOperands,
     .scope = ExecScope::kWarp,
     .arithmetic = Arithmetic::kExact,
     .doc = "8x8 blocks of 16-bit elements from shared memory into a warp's "
            "operand fragment.",
     .source = "PTX 9.7.14.5.15"});
void Ldmatrix::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kSrc);
  out.Write(kDst);
}

constexpr OpInfo Stmatrix::kInfo = Row<Stmatrix>(
    {.mnemonic = "stmatrix",
     .operands = kStOperands,
     .scope = ExecScope::kWarp,
     .arithmetic = Arithmetic::kExact,
     .doc = "8x8 blocks of 16-bit elements from an accumulator fragment to "
            "shared memory; generic proxy.",
     .source = "PTX 9.7.14.5.16"});
void Stmatrix::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kSrc);
  out.Write(kDst);
}

}  // namespace tilesim::ir::ops
