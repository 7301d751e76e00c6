// The cases that a GPU was asked: each spelling of ptx/scalar on kSamples
// inputs, special values in all pairs and random bits.
#ifndef TILESIM_TESTS_PTX_SCALAR_CASES_H_
#define TILESIM_TESTS_PTX_SCALAR_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/scalar/form.h"

namespace tilesim::ptx {

inline constexpr int kSamples = 4096;

struct ScalarCase {
  std::string
      name;  // the spelling, with the constant of a lop3: "lop3.b32 0xea"
  Instruction instruction;
  ScalarOp op;
  uint64_t constant = 0;  // the table of a lop3
};

// Every spelling of every form; moves with two and four parts.
std::vector<ScalarCase> AllScalarCases();

// The word of an input: its type, its place among the inputs, the sample.
uint64_t SampleInput(Type type, int position, int sample);

Words SampleInputs(const ScalarCase& c, int sample);

// A kernel that executes the case, thread i on sample i: pointers to the
// outputs, then to the inputs, 64-bit words each.
std::string KernelText(const ScalarCase& c, const std::string& kernel);

// A word of a result as it is compared: a NaN of an instruction that has f64 on
// either side is like any other.
uint64_t Comparable(const ScalarOp& op, int output, uint64_t word);

// Of an approximation: is the word within the bound of what Execute gives? Each
// lane of a packed type.
bool WithinBound(const ScalarOp& op, const Words& in, uint64_t word);

// Approximations are recorded for every kStride-th sample.
inline constexpr int kStride = 16;

// FNV-1a over 64-bit words.
inline constexpr uint64_t kHashStart = 0xcbf29ce484222325;
inline uint64_t HashWord(uint64_t hash, uint64_t word) {
  for (int i = 0; i < 8; ++i)
    hash = (hash ^ ((word >> (8 * i)) & 0xff)) * 0x100000001b3;
  return hash;
}

}  // namespace tilesim::ptx

#endif  // TILESIM_TESTS_PTX_SCALAR_CASES_H_
