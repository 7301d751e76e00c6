// Seeded inputs: element i of tensor T under seed S is a function of (S, T, i)
// and the distribution alone, so order, cutting and parallelism do not matter
// and a GPU can make the same values. Everything is 64-bit integer arithmetic
// up to one exact scaling and one rounding to the format.
//
//   mix(x):  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
//            x = (x ^ (x >> 27)) * 0x94d049bb133111eb
//            x =  x ^ (x >> 31)                    (SplitMix64's finaliser)
//   key      = mix(S + mix(T + 0x9e3779b97f4a7c15))
//   word(j)  = mix(key + (j + 1) * 0x9e3779b97f4a7c15)       all modulo 2^64
//
// kNormal      w0, w1, w2 = word(3i), word(3i+1), word(3i+2)
//              s = sum of their twelve 16-bit quarters - 393210
//              x = s * 2^-16: mean 0, deviation 1 - 2^-33, |x| < 6, exact
//              floats:  Encode(x), to nearest even, saturating where cvt does
//              ue4m3:   Encode(|x|)
//              ue8m0:   code 127 + floor(x + 1/2) = 127 + ((s + 32768) >> 16)
//              integers: as kUniform
// kFiniteBits  h = word(i) >> 32; P = number of finite magnitude codes (0, the
//              subnormals, the normals); floats with a sign: j = (h * 2P) >>
//              32, magnitude j mod P, negative if j >= P; without: j = (h * P)
//              >> 32 (tf32: j counts codes without padding). Integers: the low
//              bits of word(i).
// kUniform     lo + ((word(i) >> 32) * (hi - lo + 1) >> 32), an integer,
// encoded
//              exactly where the format can, else to nearest. lo and hi default
//              to DefaultRange(type).
//
// The products below 2^64 need one 64-bit multiplication. Units: elements.
// Errors: none; hi < lo, or a range of 2^32 or more, is our own bug and aborts.
// Source of mix: Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014.
#ifndef TILESIM_IR_VALUES_SEEDED_H_
#define TILESIM_IR_VALUES_SEEDED_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/values/dtype.h"

namespace tilesim::values {

enum class Distribution : uint8_t { kNormal, kFiniteBits, kUniform };

struct IntegerRange {
  int64_t lo;
  int64_t hi;  // included
};

struct SeedSpec {
  uint64_t seed = 0;
  uint64_t tensor = 0;  // TensorId of its name, as a rule
  Distribution distribution = Distribution::kNormal;
  std::optional<IntegerRange> range = std::nullopt;  // kUniform only
};

// FNV-1a, 64 bits, of the name's bytes.
constexpr uint64_t TensorId(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

// What kUniform draws from if not told: -4..4 for floats with a sign, 0..4
// without (ue8m0: 1..4), the whole type for 8-bit integers, -1024..1024 or
// 0..1024 for wider ones.
IntegerRange DefaultRange(DType type);

// What an integer type holds; of 64 bits without a sign up to 2^63 - 1, which
// numbers of programs do not pass.
IntegerRange RangeOf(DType type);

// One code, and a run of them: elements first..first+count-1, packed into
// `data` (values/dtype.h). e2m1: `first` must be even.
uint64_t SeededCode(DType type, const SeedSpec& spec, uint64_t index);
void FillSeeded(DType type, const SeedSpec& spec, uint64_t first, size_t count,
                void* data);

// The integer s of kNormal and word(j), for tests and for the CUDA side.
int32_t SeededNormal(uint64_t seed, uint64_t tensor, uint64_t index);
uint64_t SeededWord(uint64_t seed, uint64_t tensor, uint64_t index);

}  // namespace tilesim::values

#endif  // TILESIM_IR_VALUES_SEEDED_H_
