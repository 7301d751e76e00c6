// Whole arrays of codes. The 16-bit conversions are branch-free integer
// arithmetic that the compiler vectorises; everything of eight bits or less
// goes through a table.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>

#include "ir/values/convert.h"

namespace tilesim::values {
namespace {

uint16_t F32ToF16One(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  // Normal results: rebias, then round the low 13 bits to nearest even.
  const uint32_t odd = (magnitude >> 13) & 1;
  const uint32_t normal = (magnitude - (112u << 23) + 0xfff + odd) >> 13;
  // Subnormal results: adding 0.5 makes the FPU round at 2^-24.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
  uint32_t result = magnitude < (113u << 23) ? subnormal : normal;
  // 65520 and above round to Inf.
  result = magnitude >= 0x477ff000 ? 0x7c00 : result;
  result |= sign;
  return static_cast<uint16_t>(magnitude > 0x7f800000 ? 0x7fff : result);
}

float F16ToF32One(uint16_t code) {
  const uint32_t magnitude = (code & 0x7fffu) << 13;
  const uint32_t sign = (code & 0x8000u) << 16;
  // The multiplication by 2^112 rebiases and normalises subnormals, exactly.
  const float scaled = std::bit_cast<float>(magnitude) *
                       std::bit_cast<float>((127u + 112u) << 23);
  const uint32_t special = magnitude | 0x7f800000;
  const uint32_t bits =
      magnitude >= (0x7c00u << 13) ? special : std::bit_cast<uint32_t>(scaled);
  return std::bit_cast<float>(bits | sign);
}

uint16_t F32ToBF16One(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t odd = (bits >> 16) & 1;
  const uint32_t rounded = (bits + 0x7fff + odd) >> 16;
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return static_cast<uint16_t>(nan ? 0x7fff : rounded);
}

template <typename Word>
Word LoadWord(const void* data, int64_t index) {
  Word word;
  std::memcpy(&word, static_cast<const char*>(data) + index * sizeof(Word),
              sizeof(Word));
  return word;
}

template <typename Word>
void StoreWord(void* data, int64_t index, uint64_t code) {
  const Word word = static_cast<Word>(code);
  std::memcpy(static_cast<char*>(data) + index * sizeof(Word), &word,
              sizeof(Word));
}

// All numbers of the formats of at most eight bits, by type and code.
template <typename Real>
const std::array<Real, 256>& ByteTable(DType type) {
  using Tables = std::array<std::array<Real, 256>, std::size(kDTypes)>;
  static const Tables tables = [] {
    Tables all{};
    for (const DTypeInfo& info : kDTypes) {
      for (int code = 0; code < 256 && info.bits <= 8; ++code) {
        all[static_cast<size_t>(info.type)][code] =
            static_cast<Real>(Decode(info.type, code));
      }
    }
    return all;
  }();
  return tables[static_cast<size_t>(type)];
}

template <typename Real>
void DecodeAny(DType type, const void* data, size_t count, Real* out) {
  if (BitsOf(type) <= 8) {
    const std::array<Real, 256>& table = ByteTable<Real>(type);
    for (size_t i = 0; i < count; ++i) out[i] = table[LoadCode(type, data, i)];
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    out[i] = static_cast<Real>(Decode(type, LoadCode(type, data, i)));
  }
}

void WordsToF32(const void* data, size_t count, uint32_t mask, float* out) {
  for (size_t i = 0; i < count; ++i) {
    out[i] = std::bit_cast<float>(LoadWord<uint32_t>(data, i) & mask);
  }
}

template <typename Real>
void EncodeAny(DType type, const Real* in, size_t count, void* data,
               EncodeOptions options) {
  for (size_t i = 0; i < count; ++i) {
    StoreCode(type, data, i, Encode(type, in[i], options));
  }
}

// What the FPU's own rounding gives, to nearest even, Inf beyond the largest.
template <typename Real>
void RealToF32(const Real* in, size_t count, void* data) {
  auto* out = static_cast<char*>(data);
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(in[i]);
    const uint32_t bits =
        value == value ? std::bit_cast<uint32_t>(value) : 0x7fffffff;
    std::memcpy(out + i * sizeof(bits), &bits, sizeof(bits));
  }
}

bool IsDefault(EncodeOptions options) {
  return options.rounding == Rounding::kRne &&
         options.overflow != Overflow::kSatfinite;
}

}  // namespace

uint64_t LoadCode(DType type, const void* data, int64_t index) {
  switch (BitsOf(type)) {
    case 4:
      return (LoadWord<uint8_t>(data, index / 2) >> (index % 2 * 4)) & 0xf;
    case 8:
      return LoadWord<uint8_t>(data, index);
    case 16:
      return LoadWord<uint16_t>(data, index);
    case 32:
      return LoadWord<uint32_t>(data, index);
    default:
      return LoadWord<uint64_t>(data, index);
  }
}

void StoreCode(DType type, void* data, int64_t index, uint64_t code) {
  switch (BitsOf(type)) {
    case 4: {
      auto* byte = static_cast<uint8_t*>(data) + index / 2;
      const int shift = static_cast<int>(index % 2 * 4);
      *byte = static_cast<uint8_t>((*byte & ~(0xf << shift)) |
                                   ((code & 0xf) << shift));
      return;
    }
    case 8:
      return StoreWord<uint8_t>(data, index, code);
    case 16:
      return StoreWord<uint16_t>(data, index, code);
    case 32:
      return StoreWord<uint32_t>(data, index, code);
    default:
      return StoreWord<uint64_t>(data, index, code);
  }
}

void F32ToF16(const float* in, uint16_t* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[i] = F32ToF16One(in[i]);
}

void F32ToBF16(const float* in, uint16_t* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[i] = F32ToBF16One(in[i]);
}

void F16ToF32(const uint16_t* in, float* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[i] = F16ToF32One(in[i]);
}

void BF16ToF32(const uint16_t* in, float* out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    out[i] = std::bit_cast<float>(uint32_t{in[i]} << 16);
  }
}

void DecodeArray(DType type, const void* data, size_t count, double* out) {
  const bool fast = type == DType::kF32 || type == DType::kTF32 ||
                    type == DType::kF16 || type == DType::kBF16;
  if (!fast) return DecodeAny(type, data, count, out);
  constexpr size_t kAtOnce = 256;
  const auto* bytes = static_cast<const char*>(data);
  std::array<float, kAtOnce> some;
  for (size_t i = 0; i < count; i += kAtOnce) {
    const size_t n = std::min(kAtOnce, count - i);
    DecodeArray(type, bytes + i * BitsOf(type) / 8, n, some.data());
    for (size_t j = 0; j < n; ++j)
      out[i + j] = some[j] == some[j]
                       ? static_cast<double>(some[j])
                       : std::numeric_limits<double>::quiet_NaN();
  }
}

void DecodeArray(DType type, const void* data, size_t count, float* out) {
  const auto* halves = static_cast<const uint16_t*>(data);
  if (type == DType::kF16) return F16ToF32(halves, out, count);
  if (type == DType::kBF16) return BF16ToF32(halves, out, count);
  if (type == DType::kF32 || type == DType::kTF32) {
    return WordsToF32(data, count, ~uint32_t{0} << Info(type).pad_bits(), out);
  }
  DecodeAny(type, data, count, out);
}

void EncodeArray(DType type, const float* in, size_t count, void* data,
                 EncodeOptions options) {
  auto* halves = static_cast<uint16_t*>(data);
  if (type == DType::kF16 && IsDefault(options)) {
    return F32ToF16(in, halves, count);
  }
  if (type == DType::kBF16 && IsDefault(options)) {
    return F32ToBF16(in, halves, count);
  }
  if (type == DType::kF32 && IsDefault(options))
    return RealToF32(in, count, data);
  EncodeAny(type, in, count, data, options);
}

void EncodeArray(DType type, const double* in, size_t count, void* data,
                 EncodeOptions options) {
  if (type == DType::kF32 && IsDefault(options))
    return RealToF32(in, count, data);
  EncodeAny(type, in, count, data, options);
}

}  // namespace tilesim::values
