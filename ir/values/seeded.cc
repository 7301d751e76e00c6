#include "ir/values/seeded.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <mutex>
#include <vector>

#include "ir/values/check.h"
#include "ir/values/convert.h"

namespace tilesim::values {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
constexpr int32_t kNormalMean = 6 * 65535;  // twelve quarters, 65535/2 each
constexpr float kNormalUnit = 1.0f / 65536;
constexpr size_t kBlock = 512;  // elements made at a time

constexpr uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t Key(uint64_t seed, uint64_t tensor) {
  return Mix(seed + Mix(tensor + kGolden));
}

inline uint64_t Word(uint64_t key, uint64_t j) {
  return Mix(key + (j + 1) * kGolden);
}

inline int32_t SumOfQuarters(uint64_t w) {
  const uint64_t pairs =
      (w & 0x0000ffff0000ffff) + ((w >> 16) & 0x0000ffff0000ffff);
  return static_cast<int32_t>((pairs & 0xffffffff) + (pairs >> 32));
}

inline int32_t Normal(uint64_t key, uint64_t i) {
  return SumOfQuarters(Word(key, 3 * i)) + SumOfQuarters(Word(key, 3 * i + 1)) +
         SumOfQuarters(Word(key, 3 * i + 2)) - kNormalMean;
}

#if defined(__x86_64__)
// Eight products of 64 bits are one instruction.
__attribute__((target("avx512f,avx512dq,avx512vl"))) void NormalsAvx512(
    uint64_t key, uint64_t first, size_t count, int32_t* out) {
  for (size_t i = 0; i < count; ++i) out[i] = Normal(key, first + i);
}
#endif

// Those of elements [first, first + count).
void Normals(uint64_t key, uint64_t first, size_t count, int32_t* out) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512vl");
  if (wide) return NormalsAvx512(key, first, count, out);
#endif
  for (size_t i = 0; i < count; ++i) out[i] = Normal(key, first + i);
}

// Number of finite magnitude codes, padding not counted.
uint64_t FiniteMagnitudes(const DTypeInfo& info) {
  return (MaxFiniteCode(info.type) >> info.pad_bits()) + 1;
}

uint64_t FiniteBits(const DTypeInfo& info, uint64_t word) {
  if (!info.is_float()) return word & (~uint64_t{0} >> (64 - info.bits));
  const uint64_t count = FiniteMagnitudes(info);
  const uint64_t choices = info.is_signed() ? 2 * count : count;
  const uint64_t j = ((word >> 32) * choices) >> 32;
  const bool negative = j >= count;
  const uint64_t magnitude = negative ? j - count : j;
  const uint64_t sign = negative ? uint64_t{1} << info.magnitude_bits() : 0;
  return sign | (magnitude << info.pad_bits());
}

int64_t Uniform(const IntegerRange& range, uint64_t word) {
  const auto choices = static_cast<uint64_t>(range.hi - range.lo + 1);
  return range.lo + static_cast<int64_t>(((word >> 32) * choices) >> 32);
}

uint64_t UniformCode(const DTypeInfo& info, const IntegerRange& range,
                     uint64_t word) {
  const int64_t number = Uniform(range, word);
  if (info.is_float()) {
    return Encode(info.type, static_cast<double>(number));
  }
  return static_cast<uint64_t>(number) & (~uint64_t{0} >> (64 - info.bits));
}

IntegerRange CheckedRange(DType type, const SeedSpec& spec) {
  const IntegerRange range =
      spec.distribution == Distribution::kUniform && spec.range
          ? *spec.range
          : DefaultRange(type);
  Check(range.lo <= range.hi && range.hi - range.lo < (int64_t{1} << 32) - 1,
        "seeded: empty or too wide a range");
  return range;
}

uint64_t NormalCode(const DTypeInfo& info, int32_t s) {
  if (info.type == DType::kUE8M0) return 127 + ((s + 32768) >> 16);
  const bool fold = info.type == DType::kUE4M3;
  return Encode(info.type, (fold ? std::abs(s) : s) * double{kNormalUnit});
}

// Values of a block, encoded in one go: fast for f32, tf32, f16 and bf16.
void FillNormalBlock(DType type, uint64_t key, uint64_t first, size_t count,
                     void* data) {
  std::array<int32_t, kBlock> sums;
  std::array<float, kBlock> values;
  Normals(key, first, count, sums.data());
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(sums[i]) * kNormalUnit;
  }
  EncodeArray(type, values.data(), count, data);
}

// table[s + kNormalMean] for first <= s <= last. The code does not fall or does
// not rise in that range, so that equal ends mean equal codes between them.
void FillMonotone(const DTypeInfo& info, int32_t first, int32_t last,
                  std::vector<uint8_t>& table) {
  const auto low = static_cast<uint8_t>(NormalCode(info, first));
  const auto high = static_cast<uint8_t>(NormalCode(info, last));
  if (low == high) {
    std::fill(table.begin() + kNormalMean + first,
              table.begin() + kNormalMean + last + 1, low);
    return;
  }
  const int32_t middle = first + (last - first) / 2;
  FillMonotone(info, first, middle, table);
  FillMonotone(info, middle + 1, last, table);
}

// The code of every s, by s + kNormalMean. Negative s, where a sign turns the
// order of codes, apart from the others.
const std::vector<uint8_t>& NormalTable(const DTypeInfo& info) {
  static std::array<std::vector<uint8_t>, std::size(kDTypes)> tables;
  static std::array<std::once_flag, std::size(kDTypes)> made;
  const auto i = static_cast<size_t>(info.type);
  std::call_once(made[i], [&] {
    tables[i].resize(2 * kNormalMean + 1);
    FillMonotone(info, -kNormalMean, -1, tables[i]);
    FillMonotone(info, 0, kNormalMean, tables[i]);
  });
  return tables[i];
}

void FillNormalNarrow(DType type, uint64_t key, uint64_t first, size_t count,
                      void* data) {
  const std::vector<uint8_t>& table = NormalTable(Info(type));
  std::array<int32_t, kBlock> sums;
  for (size_t done = 0; done < count; done += kBlock) {
    const size_t n = std::min(kBlock, count - done);
    Normals(key, first + done, n, sums.data());
    for (size_t i = 0; i < n; ++i)
      StoreCode(type, data, done + i, table[sums[i] + kNormalMean]);
  }
}

void FillNormal(DType type, uint64_t key, uint64_t first, size_t count,
                void* data) {
  if (BitsOf(type) <= 8) {
    return FillNormalNarrow(type, key, first, count, data);
  }
  auto* bytes = static_cast<char*>(data);
  for (size_t done = 0; done < count; done += kBlock) {
    FillNormalBlock(type, key, first + done, std::min(kBlock, count - done),
                    bytes + BytesOf(type, done));
  }
}

// Integers have no normal distribution here.
Distribution Effective(DType type, Distribution wanted) {
  const bool integer = IsInteger(type);
  return integer && wanted == Distribution::kNormal ? Distribution::kUniform
                                                    : wanted;
}

}  // namespace

IntegerRange RangeOf(DType type) {
  const int bits = Info(type).magnitude_bits();
  const int64_t most = bits >= 63 ? std::numeric_limits<int64_t>::max()
                                  : (int64_t{1} << bits) - 1;
  return {Info(type).is_signed() ? -most - 1 : 0, most};
}

IntegerRange DefaultRange(DType type) {
  const DTypeInfo& info = Info(type);
  if (type == DType::kUE8M0) return {1, 4};
  if (info.is_float()) return {info.is_signed() ? -4 : 0, 4};
  if (type == DType::kS8) return {-128, 127};
  if (type == DType::kU8) return {0, 255};
  return {info.is_signed() ? -1024 : 0, 1024};
}

uint64_t SeededWord(uint64_t seed, uint64_t tensor, uint64_t index) {
  return Word(Key(seed, tensor), index);
}

int32_t SeededNormal(uint64_t seed, uint64_t tensor, uint64_t index) {
  return Normal(Key(seed, tensor), index);
}

uint64_t SeededCode(DType type, const SeedSpec& spec, uint64_t index) {
  const DTypeInfo& info = Info(type);
  const uint64_t key = Key(spec.seed, spec.tensor);
  switch (Effective(type, spec.distribution)) {
    case Distribution::kNormal:
      return NormalCode(info, Normal(key, index));
    case Distribution::kFiniteBits:
      return FiniteBits(info, Word(key, index));
    case Distribution::kUniform:
      return UniformCode(info, CheckedRange(type, spec), Word(key, index));
  }
  return 0;
}

void FillSeeded(DType type, const SeedSpec& spec, uint64_t first, size_t count,
                void* data) {
  Check(BitsOf(type) >= 8 || first % 2 == 0, "seeded: e2m1 starts odd");
  const DTypeInfo& info = Info(type);
  const uint64_t key = Key(spec.seed, spec.tensor);
  switch (Effective(type, spec.distribution)) {
    case Distribution::kNormal:
      return FillNormal(type, key, first, count, data);
    case Distribution::kFiniteBits:
      for (size_t i = 0; i < count; ++i) {
        StoreCode(type, data, i, FiniteBits(info, Word(key, first + i)));
      }
      return;
    case Distribution::kUniform: {
      const IntegerRange range = CheckedRange(type, spec);
      for (size_t i = 0; i < count; ++i) {
        StoreCode(type, data, i,
                  UniformCode(info, range, Word(key, first + i)));
      }
      return;
    }
  }
}

}  // namespace tilesim::values
