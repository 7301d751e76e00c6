// The number formats of tile programs, one row a format.
//
//   DType::kE4M3   "e4m3"   s.eeee.mmm   bias 7   NaN S.1111.111, no Inf
//
// A *code* is the bit pattern of one value in the low `code_bits` of an
// integer; in memory it occupies `bits` (e2m1: two codes a byte, the element
// with the even index in the low nibble; e2m3 and e3m2: one a byte, in its low
// six bits; tf32: a 32-bit word whose low 13 bits the tensor core ignores).
//
// Units: bits, unless a name says bytes. Errors: FindDType answers nullopt for
// a word that names no format. Sources: the `source` column; D.3 is
// docs/hardware.md section D.3.
#ifndef TILESIM_IR_VALUES_DTYPE_H_
#define TILESIM_IR_VALUES_DTYPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilesim::values {

enum class DType : uint8_t {
  kF32,
  kTF32,
  kF16,
  kBF16,
  kE4M3,
  kE5M2,
  kE2M3,
  kE3M2,
  kE2M1,
  kUE8M0,
  kUE4M3,
  kS8,
  kU8,
  kS32,
  kU32,
  kS64,
  kU64,
};

enum class NanPolicy : uint8_t {
  kNone,     // every code is a number
  kIeee,     // largest exponent, mantissa not zero
  kAllOnes,  // all exponent and mantissa bits set, nothing else
};

struct DTypeInfo {
  DType type;
  std::string_view name;
  int bits;           // in memory
  int sign_bits;      // 1 for two's complement integers too
  int exponent_bits;  // 0 for integers
  int mantissa_bits;  // stored fraction bits; magnitude bits of an integer
  int bias;
  bool has_inf;
  NanPolicy nan;
  std::string_view description;
  std::string_view source;

  constexpr bool is_float() const { return exponent_bits != 0; }
  constexpr bool is_signed() const { return sign_bits != 0; }
  // Where the code starts in its memory word: 13 for tf32, else 0.
  constexpr int pad_bits() const { return type == DType::kTF32 ? 13 : 0; }
  constexpr int magnitude_bits() const {
    return exponent_bits + mantissa_bits + pad_bits();
  }
  constexpr int code_bits() const { return sign_bits + magnitude_bits(); }
};

inline constexpr std::array<DTypeInfo, 17> kDTypes = {{
    // type, name, bits, sign, exp, mant, bias, inf, nan, description, source
    {DType::kF32, "f32", 32, 1, 8, 23, 127, true, NanPolicy::kIeee,
     "IEEE single precision", "IEEE 754"},
    {DType::kTF32, "tf32", 32, 1, 8, 10, 127, true, NanPolicy::kIeee,
     "f32 whose low 13 bits are ignored", "D.3"},
    {DType::kF16, "f16", 16, 1, 5, 10, 15, true, NanPolicy::kIeee,
     "IEEE half precision", "IEEE 754"},
    {DType::kBF16, "bf16", 16, 1, 8, 7, 127, true, NanPolicy::kIeee,
     "upper half of f32", "D.3"},
    {DType::kE4M3, "e4m3", 8, 1, 4, 3, 7, false, NanPolicy::kAllOnes,
     "fp8, max 448", "D.3"},
    {DType::kE5M2, "e5m2", 8, 1, 5, 2, 15, true, NanPolicy::kIeee,
     "fp8, max 57344", "D.3"},
    {DType::kE2M3, "e2m3", 8, 1, 2, 3, 1, false, NanPolicy::kNone,
     "fp6, max 7.5, one a byte", "D.3"},
    {DType::kE3M2, "e3m2", 8, 1, 3, 2, 3, false, NanPolicy::kNone,
     "fp6, max 28, one a byte", "D.3"},
    {DType::kE2M1, "e2m1", 4, 1, 2, 1, 1, false, NanPolicy::kNone,
     "fp4, max 6, two a byte", "D.3"},
    {DType::kUE8M0, "ue8m0", 8, 0, 8, 0, 127, false, NanPolicy::kAllOnes,
     "power of two, block scale", "D.3"},
    {DType::kUE4M3, "ue4m3", 8, 0, 4, 3, 7, false, NanPolicy::kAllOnes,
     "unsigned e4m3, block scale; top bit ignored", "D.3"},
    {DType::kS8, "s8", 8, 1, 0, 7, 0, false, NanPolicy::kNone, "signed integer",
     "PTX 5.2.1"},
    {DType::kU8, "u8", 8, 0, 0, 8, 0, false, NanPolicy::kNone,
     "unsigned integer", "PTX 5.2.1"},
    {DType::kS32, "s32", 32, 1, 0, 31, 0, false, NanPolicy::kNone,
     "signed integer", "PTX 5.2.1"},
    {DType::kU32, "u32", 32, 0, 0, 32, 0, false, NanPolicy::kNone,
     "unsigned integer", "PTX 5.2.1"},
    {DType::kS64, "s64", 64, 1, 0, 63, 0, false, NanPolicy::kNone,
     "signed integer", "PTX 5.2.1"},
    {DType::kU64, "u64", 64, 0, 0, 64, 0, false, NanPolicy::kNone,
     "unsigned integer", "PTX 5.2.1"},
}};

constexpr const DTypeInfo& Info(DType type) {
  return kDTypes[static_cast<size_t>(type)];
}

constexpr std::string_view NameOf(DType type) { return Info(type).name; }

// Bits that one element occupies in memory.
constexpr int BitsOf(DType type) { return Info(type).bits; }

// Bytes that `elements` consecutive elements occupy, the last one rounded up.
constexpr int64_t BytesOf(DType type, int64_t elements) {
  return (elements * BitsOf(type) + 7) / 8;
}

constexpr bool IsFloat(DType type) { return Info(type).is_float(); }
constexpr bool IsInteger(DType type) { return !Info(type).is_float(); }

// Bytes of the word that holds one unpacked code: 1 for e2m1 too.
constexpr int WordBytes(DType type) { return (BitsOf(type) + 7) / 8; }

constexpr std::optional<DType> FindDType(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return info.type;
  }
  return std::nullopt;
}

namespace internal {
constexpr bool RowsInOrder() {
  for (size_t i = 0; i < kDTypes.size(); ++i) {
    if (static_cast<size_t>(kDTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(RowsInOrder(), "row i of kDTypes must be enumerator i");
}  // namespace internal

}  // namespace tilesim::values

#endif  // TILESIM_IR_VALUES_DTYPE_H_
