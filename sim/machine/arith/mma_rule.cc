#include "sim/machine/arith/mma_rule.h"

#include <iterator>

namespace tilesim::arith {
namespace {

constexpr std::string_view kH200 = "h200-readings.md 1.2, 1.3";
constexpr std::string_view kH200Step = "h200-readings.md 1.1 item 3";
constexpr std::string_view kH200Not =
    "h200-readings.md 1.2; this shape is listed as not tested";
// Zero terms, the sign of zero and E's floor are taken from Hopper.
constexpr std::string_view kMmaSim =
    "hardware.md D.1 (MMASIM); zeros as Hopper";
constexpr std::string_view kMmaSimF16 =
    "hardware.md D.1 (MMASIM, f16 RNE); zeros as Hopper";
// D.1 gives groups of 16 and F; that a group's exponent is that of its scales,
// its sum not normalised, is our reading: F = 35 is 25 and the 10 bits by
// which such a sum exceeds its scales.
constexpr std::string_view kMmaSimFp4 =
    "hardware.md D.1 (MMASIM); exponent of a group is our reading";
constexpr std::string_view kInt = "h200-readings.md 1.2; exact";
constexpr std::string_view kIntNot = "PTX: exact; not run";

constexpr auto kWgmma = Unit::kWgmma;
constexpr auto kMmaSync = Unit::kMmaSync;
constexpr auto kTcgen05 = Unit::kTcgen05;
using OC = OperandClass;
using Out = Output;
using Ev = Evidence;

constexpr MmaRule RowOf(Unit unit, OC operands, DType d, int k,
                        int fraction_bits, Out output, Ev evidence,
                        std::string_view source) {
  return {.unit = unit,
          .operands = operands,
          .d = d,
          .k = k,
          .fraction_bits = fraction_bits,
          .output = output,
          .evidence = evidence,
          .source = source};
}

constexpr MmaRule TwoHalves(MmaRule rule) {
  rule.steps = Steps::kTwoHalvesThenAdd;
  return rule;
}

constexpr MmaRule Scaled(OC operands, int k, int fraction_bits, DType type,
                         int block, int group, std::string_view source) {
  MmaRule rule = RowOf(kTcgen05, operands, DType::kF32, k, fraction_bits,
                       Out::kF32Rz23, Ev::kClaimed, source);
  rule.scale_type = type;
  rule.scale_block = block;
  rule.group = group;
  return rule;
}

// Of rows that differ in k only, the largest k stands first; likewise the
// smallest scale block.
// clang-format off
constexpr MmaRule kRules[] = {
    // unit, operands, d, k, F, output, evidence, source
    // Hopper wgmma.
    RowOf(kWgmma, OC::kF16, DType::kF32, 16, 25, Out::kF32Rz23, Ev::kSilicon,
        kH200),
    RowOf(kWgmma, OC::kF16, DType::kF16, 16, 25, Out::kF16Rne, Ev::kSilicon,
        kH200),
    RowOf(kWgmma, OC::kBF16, DType::kF32, 16, 25, Out::kF32Rz23, Ev::kSilicon,
        kH200),
    RowOf(kWgmma, OC::kTF32, DType::kF32, 8, 25, Out::kF32Rz23, Ev::kSilicon,
        kH200),
    RowOf(kWgmma, OC::kFp8, DType::kF32, 32, 13, Out::kF32Rz13, Ev::kSilicon,
        kH200),
    RowOf(kWgmma, OC::kFp8, DType::kF16, 32, 13, Out::kF16Rne, Ev::kSilicon,
        kH200),
    RowOf(kWgmma, OC::kInt8, DType::kS32, 32, 0, Out::kS32Wrap, Ev::kExact, kInt),
    // Hopper mma.sync.
    RowOf(kMmaSync, OC::kF16, DType::kF32, 16, 25, Out::kF32Rz23, Ev::kSilicon,
        kH200),
    RowOf(kMmaSync, OC::kF16, DType::kF32, 8, 25, Out::kF32Rz23, Ev::kSilicon,
        kH200),
    RowOf(kMmaSync, OC::kF16, DType::kF16, 16, 25, Out::kF16Rne, Ev::kSilicon,
        kH200),
    RowOf(kMmaSync, OC::kF16, DType::kF16, 8, 25, Out::kF16Rne, Ev::kClaimed,
        kH200Not),
    RowOf(kMmaSync, OC::kBF16, DType::kF32, 16, 25, Out::kF32Rz23, Ev::kSilicon,
        kH200),
    RowOf(kMmaSync, OC::kBF16, DType::kF32, 8, 25, Out::kF32Rz23, Ev::kClaimed,
        kH200Not),
    RowOf(kMmaSync, OC::kTF32, DType::kF32, 8, 25, Out::kF32Rz23, Ev::kSilicon,
        kH200),
    RowOf(kMmaSync, OC::kTF32, DType::kF32, 4, 25, Out::kF32Rz23, Ev::kSilicon,
        kH200),
    TwoHalves(RowOf(kMmaSync, OC::kFp8, DType::kF32, 32, 25, Out::kF32Rz23,
                  Ev::kSilicon, kH200Step)),
    RowOf(kMmaSync, OC::kInt8, DType::kS32, 32, 0, Out::kS32Wrap, Ev::kExact,
        kIntNot),
    RowOf(kMmaSync, OC::kInt8, DType::kS32, 16, 0, Out::kS32Wrap, Ev::kExact,
        kIntNot),
    // Blackwell tcgen05.mma: kinds f16, tf32, f8f6f4, i8.
    RowOf(kTcgen05, OC::kF16, DType::kF32, 16, 25, Out::kF32Rz23, Ev::kClaimed,
        kMmaSim),
    RowOf(kTcgen05, OC::kF16, DType::kF16, 16, 25, Out::kF16Rne, Ev::kClaimed,
        kMmaSimF16),
    RowOf(kTcgen05, OC::kBF16, DType::kF32, 16, 25, Out::kF32Rz23, Ev::kClaimed,
        kMmaSim),
    RowOf(kTcgen05, OC::kTF32, DType::kF32, 8, 25, Out::kF32Rz23, Ev::kClaimed,
        kMmaSim),
    RowOf(kTcgen05, OC::kF8F6F4, DType::kF32, 32, 25, Out::kF32Rz23, Ev::kClaimed,
        kMmaSim),
    RowOf(kTcgen05, OC::kF8F6F4, DType::kF16, 32, 25, Out::kF16Rne, Ev::kClaimed,
        kMmaSimF16),
    RowOf(kTcgen05, OC::kInt8, DType::kS32, 32, 0, Out::kS32Wrap, Ev::kExact,
        kIntNot),
    // Block-scaled: mxf4nvf4 (4X, two types), mxf4 (2X), mxf8f6f4 (1X).
    // operands, k, F, scale type, block, group, source
    Scaled(OC::kFp4, 64, 35, DType::kUE4M3, 16, 16, kMmaSimFp4),
    Scaled(OC::kFp4, 64, 35, DType::kUE8M0, 16, 16, kMmaSimFp4),
    Scaled(OC::kFp4, 64, 35, DType::kUE8M0, 32, 16, kMmaSimFp4),
    Scaled(OC::kF8F6F4, 32, 25, DType::kUE8M0, 32, 0, kMmaSim),
};
// clang-format on

bool Matches(const MmaRule& rule, const MmaKey& key) {
  return rule.unit == key.unit && rule.d == key.d &&
         Contains(rule.operands, key.a) && Contains(rule.operands, key.b) &&
         rule.scale_type == key.scale_type &&
         (key.scale_block == 0 || rule.scale_block == key.scale_block) &&
         (key.k == 0 || rule.k == key.k);
}

}  // namespace

bool Contains(OperandClass operands, DType type) {
  const bool fp8 = type == DType::kE4M3 || type == DType::kE5M2;
  const bool fp6 = type == DType::kE2M3 || type == DType::kE3M2;
  const bool fp4 = type == DType::kE2M1;
  switch (operands) {
    case OperandClass::kF16:
      return type == DType::kF16;
    case OperandClass::kBF16:
      return type == DType::kBF16;
    case OperandClass::kTF32:
      return type == DType::kTF32;
    case OperandClass::kFp8:
      return fp8;
    case OperandClass::kF8F6F4:
      return fp8 || fp6 || fp4;
    case OperandClass::kFp4:
      return fp4;
    case OperandClass::kInt8:
      return type == DType::kS8 || type == DType::kU8;
  }
  return false;
}

const MmaRule* FindRule(const MmaKey& key) {
  for (const MmaRule& rule : kRules) {
    if (Matches(rule, key)) return &rule;
  }
  return nullptr;
}

std::span<const MmaRule> AllRules() { return kRules; }

}  // namespace tilesim::arith
