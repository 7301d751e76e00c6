#include "ir/ops/tile.h"

namespace tilesim::ir::ops {
namespace {

constexpr uint16_t kSource = kTakesReg | kTakesFloat | kTakesInt;
constexpr OperandSpec kUnary[] = {
    {.name = "dst", .types = kTakesReg, .doc = "register tile"},
    {.name = "src",
     .types = kTakesReg,
     .doc = "tile of the same shape and fragment"}};
constexpr OperandSpec kMovOperands[] = {
    {.name = "dst", .types = kTakesReg, .doc = "register tile"},
    {.name = "src",
     .types = kSource,
     .doc = "tile of the same type, or a number"}};
constexpr OperandSpec kBinary[] = {
    {.name = "dst", .types = kTakesReg, .doc = "register tile"},
    {.name = "a",
     .types = kSource,
     .doc = "tile, tile of one column, or number"},
    {.name = "b",
     .types = kSource,
     .doc = "tile, tile of one column, or number"}};
constexpr OperandSpec kTernary[] = {
    {.name = "dst", .types = kTakesReg, .doc = "register tile"},
    {.name = "a",
     .types = kSource,
     .doc = "tile, tile of one column, or number"},
    {.name = "b",
     .types = kSource,
     .doc = "tile, tile of one column, or number"},
    {.name = "c",
     .types = kSource,
     .doc = "tile, tile of one column, or number"}};
constexpr OperandSpec kRowOperands[] = {
    {.name = "dst",
     .types = kTakesReg,
     .doc =
         "tile of one column in the same fragment; each lane of a row gets it"},
    {.name = "src",
     .types = kTakesReg,
     .doc = "tile in fragment wgmma, mma or row"}};
constexpr OperandSpec kMaskOperands[] = {
    {.name = "dst", .types = kTakesReg, .doc = "tile of scores"},
    {.name = "row", .types = kTakesInt, .doc = "position of its first row"},
    {.name = "col", .types = kTakesInt, .doc = "position of its first column"}};

constexpr std::string_view kFloat = "PTX 9.7.3";

void Reads(const ConcreteOp& op, EffectSink& out, int first) {
  for (size_t i = first; i < op.info().operands.size(); ++i) {
    if (op.is_tile(static_cast<int>(i))) out.Read(static_cast<int>(i));
  }
}

void Compute(const ConcreteOp& op, EffectSink& out) {
  Reads(op, out, Mov::kDst + 1);
  out.Write(Mov::kDst);
}

}  // namespace

// The rows differ only in their words; effects are the same: sources are read,
// the first operand is written.
#define TILESIM_TILE_OP(Name, Text, Operands, Arith, Doc, Source)     \
  constexpr OpInfo Name::kInfo = Row<Name>({.mnemonic = Text,         \
                                            .operands = Operands,     \
                                            .scope = ExecScope::kAny, \
                                            .arithmetic = Arith,      \
                                            .doc = Doc,               \
                                            .source = Source});       \
  void Name::Effects(const ConcreteOp& op, EffectSink& out) {         \
    Compute(op, out);                                                 \
  }

TILESIM_TILE_OP(Mov, "mov", kMovOperands, Arithmetic::kExact,
                "copies a tile, or fills it with a number.", "PTX 9.7.9.3")
TILESIM_TILE_OP(Neg, "neg", kUnary, Arithmetic::kExact, "negates.", kFloat)
TILESIM_TILE_OP(Add, "add", kBinary, Arithmetic::kExact,
                "a + b, rounded to nearest even.", kFloat)
TILESIM_TILE_OP(Sub, "sub", kBinary, Arithmetic::kExact,
                "a - b, rounded to nearest even.", kFloat)
TILESIM_TILE_OP(Mul, "mul", kBinary, Arithmetic::kExact,
                "a * b, rounded to nearest even.", kFloat)
TILESIM_TILE_OP(Fma, "fma", kTernary, Arithmetic::kExact,
                "a * b + c, rounded once.", kFloat)
TILESIM_TILE_OP(Max, "max", kBinary, Arithmetic::kExact,
                "the larger; a number wins over NaN.", kFloat)
TILESIM_TILE_OP(Min, "min", kBinary, Arithmetic::kExact,
                "the smaller; a number wins over NaN.", kFloat)
TILESIM_TILE_OP(Ex2, "ex2", kUnary, Arithmetic::kBounded,
                "2 to the power, ex2.approx.ftz.f32: within 2 ulp.",
                "PTX 9.7.3.21")
TILESIM_TILE_OP(Lg2, "lg2", kUnary, Arithmetic::kBounded,
                "base-2 logarithm, lg2.approx.ftz.f32.", "PTX 9.7.3.20")
TILESIM_TILE_OP(Rcp, "rcp", kUnary, Arithmetic::kExact,
                "1 / x, rcp.rn.f32: rounded to nearest even.", "PTX 9.7.3.15")
TILESIM_TILE_OP(RowMax, "row.max", kRowOperands, Arithmetic::kExact,
                "largest element of each row.", "shfl.sync, max.f32")
TILESIM_TILE_OP(RowSum, "row.sum", kRowOperands, Arithmetic::kExact,
                "sum of each row: each thread adds its own elements in "
                "ascending columns, then the lanes of a row are added "
                "pairwise, neighbours first.",
                "shfl.sync, add.rn.f32")

constexpr OpInfo Cvt::kInfo =
    Row<Cvt>({.mnemonic = "cvt",
              .operands = kUnary,
              .scope = ExecScope::kAny,
              .arithmetic = Arithmetic::kExact,
              .doc = "converts each element to the type of `dst`.",
              .source = "PTX 9.7.9.21"});
void Cvt::Effects(const ConcreteOp& op, EffectSink& out) { Compute(op, out); }

constexpr OpInfo MaskCausal::kInfo = Row<MaskCausal>(
    {.mnemonic = "mask.causal",
     .operands = kMaskOperands,
     .scope = ExecScope::kAny,
     .arithmetic = Arithmetic::kExact,
     .doc =
         "sets every element whose column is past its row to minus infinity. "
         "Of a tile of one row it masks what lies past the end of a row of N: "
         "`mask.causal x, N - 1, c`, where c is the first column of the tile.",
     .source = "setp, selp: PTX 9.7.6"});
void MaskCausal::Effects(const ConcreteOp&, EffectSink& out) {
  out.Read(kDst);
  out.Write(kDst);
}

}  // namespace tilesim::ir::ops
