// The types of PTX, from types.def, and values of them as bits.
#ifndef TILESIM_PTX_SCALAR_TYPES_H_
#define TILESIM_PTX_SCALAR_TYPES_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilesim::ptx {

enum class Type : uint8_t {
#define PTX_TYPE(enumerator, word, bits, kind, lanes, element) enumerator,
#include "ptx/scalar/types.def"
#undef PTX_TYPE
};

struct TypeInfo {
  enum class Kind : uint8_t { kBits, kUnsigned, kSigned, kFloat };
  std::string_view word;  // "f16x2"
  int bits;
  Kind kind;
  int lanes;  // values in a register
  Type element;
};

inline constexpr TypeInfo kTypes[] = {
#define PTX_TYPE(enumerator, word, bits, kind, lanes, element) \
  {word, bits, TypeInfo::Kind::kind, lanes, Type::element},
#include "ptx/scalar/types.def"
#undef PTX_TYPE
};

constexpr const TypeInfo& InfoOf(Type type) {
  return kTypes[static_cast<uint8_t>(type)];
}

constexpr int BitsOf(Type type) { return InfoOf(type).bits; }
constexpr bool IsSigned(Type type) {
  return InfoOf(type).kind == TypeInfo::Kind::kSigned;
}
constexpr bool IsFloat(Type type) {
  return InfoOf(type).kind == TypeInfo::Kind::kFloat;
}

// The type of that name, without a dot: "f16x2".
std::optional<Type> FindType(std::string_view word);

// The unsigned or untyped integer type of so many bits.
std::optional<Type> BitsType(int bits);

constexpr uint64_t MaskOf(int bits) {
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// The value in the low bits of a word, as 64 bits.
constexpr uint64_t ZeroExtend(uint64_t word, int bits) {
  return word & MaskOf(bits);
}
constexpr int64_t SignExtend(uint64_t word, int bits) {
  return static_cast<int64_t>(word << (64 - bits)) >> (64 - bits);
}
// As the type says; words of a 128-bit value are whole.
constexpr uint64_t Extend(uint64_t word, Type type) {
  const int bits = BitsOf(type);
  if (bits >= 64) return word;
  return IsSigned(type) && InfoOf(type).lanes == 1
             ? static_cast<uint64_t>(SignExtend(word, bits))
             : ZeroExtend(word, bits);
}

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_SCALAR_TYPES_H_
