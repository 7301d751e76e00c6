// The arithmetic of a tensor-core instruction, as data.
//
// One instruction computes, for one element of D, over its K products and C:
//
//   E = max(e_floor, exponents of the non-zero terms)
//   S = sum of all terms, each cut toward zero to a multiple of 2^(E-F)
//   D = S rounded once, as `output` says; a zero is always +0
//
// A term's exponent is e_a + e_b (plus the block scales' exponents) and its
// significand s_a * s_b is not normalised; subnormal inputs keep the minimum
// exponent. F is `fraction_bits`. Two rules differ: `kTwoHalvesThenAdd` (fp8
// mma.sync on Hopper) and `group` > 0 (mxf4: products of a group are summed
// exactly, the term is that sum times the two scales, with the exponent of the
// scales alone).
//
//   const MmaRule* rule = FindRule({.unit = Unit::kWgmma, .a = DType::kF16,
//                                   .b = DType::kF16, .d = DType::kF32});
//
// Units: k, scale_block and group in elements along K; the rest in bits or
// binary exponents. Errors: FindRule answers nullptr for a combination without
// a row. Sources: each row's `source`; `evidence` says how far to trust it.
#ifndef TILESIM_SIM_MACHINE_ARITH_MMA_RULE_H_
#define TILESIM_SIM_MACHINE_ARITH_MMA_RULE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/values/dtype.h"

namespace tilesim::arith {

using values::DType;

enum class Unit : uint8_t { kWgmma, kMmaSync, kTcgen05 };

// Types that A and B may have, each on its own.
enum class OperandClass : uint8_t {
  kF16,
  kBF16,
  kTF32,
  kFp8,     // e4m3 e5m2
  kF8F6F4,  // e4m3 e5m2 e2m3 e3m2 e2m1
  kFp4,     // e2m1
  kInt8,    // s8 u8
};

bool Contains(OperandClass operands, DType type);

enum class Output : uint8_t {
  kF32Rz23,  // f32, cut toward zero to 23 fraction bits
  kF32Rz13,  // f32, cut toward zero to 13 fraction bits
  kF16Rne,   // f16, to nearest even, once, from S
  kS32Wrap,  // exact integer sum modulo 2^32
  kF32Rne,   // no unit does this: a wrong rule for tests of the reference
};

enum class Steps : uint8_t {
  kFused,  // one sum
  // v = fused(k mod 4 in {0,1}, C = 0); v = fused(k mod 4 in {2,3}, C = v);
  // D = v + C by an IEEE f32 add.
  kTwoHalvesThenAdd,
};

enum class Evidence : uint8_t {
  kSilicon,  // no bit differed on an H200
  kClaimed,  // somebody else's model, not checked by us
  kExact,    // integer arithmetic, nothing to get wrong
};

struct MmaRule {
  Unit unit;
  OperandClass operands;
  DType d;
  int k;              // of one instruction
  int fraction_bits;  // F
  Output output;
  Steps steps = Steps::kFused;
  std::optional<DType> scale_type = std::nullopt;
  int scale_block = 0;  // products that share a scale
  int group = 0;        // products summed exactly before scaling
  int e_floor = -133;
  Evidence evidence = Evidence::kSilicon;
  std::string_view source = "";

  bool is_integer() const { return output == Output::kS32Wrap; }
  bool is_scaled() const { return scale_type.has_value(); }
};

struct MmaKey {
  Unit unit;
  DType a;
  DType b;
  DType d;
  std::optional<DType> scale_type = std::nullopt;
  int scale_block = 0;  // 0: the only one, or the smallest
  int k = 0;            // 0: the largest that the unit has
};

// The row for `key`; static storage. Two kinds may take the same types: e2m1
// with ue8m0 is mxf4 (k 64) unless `k` says 32, which is mxf8f6f4.
const MmaRule* FindRule(const MmaKey& key);

std::span<const MmaRule> AllRules();

}  // namespace tilesim::arith

#endif  // TILESIM_SIM_MACHINE_ARITH_MMA_RULE_H_
