// What a scalar instruction computes, on the bits of one lane.
//
//   std::string why;
//   if (auto op = CompileScalar(instruction, &why)) {
//     Words in = {a, b};                 // op->inputs of them
//     Words out = Execute(*op, in);      // op->outputs of them
//   }                                    // else: why it is not executed
//
// Inputs and outputs are 64-bit words in the order of the operands, results
// first; the parts of {a, b} and p|q are operands by themselves, and so is a
// sink `_`. A register of 128 bits is two words, the low one first. A predicate
// is 0 or 1; a negated operand (!p) is given negated. The carry flag of
// `.cc` instructions is the last input or output.
//
// Bits of an input above its type are ignored. An output is extended to 64 bits
// as its type says, signed types by their sign: cut it to the register.
//
// What depends on more than the operands is the caller's: special registers,
// addresses of variables, windows of cvta and mapa, other lanes.
#ifndef TILESIM_PTX_SCALAR_SCALAR_H_
#define TILESIM_PTX_SCALAR_SCALAR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ptx/scalar/types.h"
#include "ptx/text/module.h"

namespace tilesim::ptx {

inline constexpr size_t kMaxWords = 6;
using Words = std::array<uint64_t, kMaxWords>;

enum class RoundTo : uint8_t { kNearest, kZero, kDown, kUp, kAway };

enum class Comparison : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kNum, kNan };

// With a comparison's result and a predicate; bits of lop3's result.
enum class Combination : uint8_t { kNone, kAnd, kOr, kXor };

// How far the hardware may be from the exact result, which Execute rounds once:
// so many units in the last place of that, or if that is more, absolutely, with
// what the magnitude of the first input adds.
struct ErrorBound {
  double ulps = 0;
  double absolute = 0;
  double of_input = 0;
  bool is_exact() const { return ulps == 0 && absolute == 0; }
};

struct ScalarForm;

// A spelling, compiled. Plain data; refers to static tables only.
struct ScalarOp {
  const ScalarForm* form = nullptr;
  Type type = Type::kB32;    // the first that the spelling names
  Type source = Type::kB32;  // the second; the first if there is one only
  RoundTo rounding = RoundTo::kNearest;
  Comparison comparison = Comparison::kEq;
  Combination combination = Combination::kNone;
  uint8_t mode = 0;              // of prmt, testp
  bool unordered : 1 = false;    // a comparison that NaN satisfies
  bool as_unsigned : 1 = false;  // lo, ls, hi, hs
  bool ftz : 1 = false;
  bool sat : 1 = false;
  bool satfinite : 1 = false;
  bool relu : 1 = false;
  bool nan : 1 = false;  // min, max: NaN if an input is
  bool xorsign : 1 = false;
  bool absolute : 1 = false;
  bool high : 1 = false;   // dp2a.hi
  bool clamp : 1 = false;  // of shifts; else wrap
  bool shift_amount : 1 = false;
  uint8_t inputs = 0, outputs = 0;  // words
  std::array<Type, kMaxWords> input_types{}, output_types{};

  ErrorBound error() const;
  friend bool operator==(const ScalarOp&, const ScalarOp&) = default;
};

// nullopt: not executed, and *why says so and what is.
std::optional<ScalarOp> CompileScalar(const Instruction& instruction,
                                      std::string* why);

Words Execute(const ScalarOp& op, const Words& in);

// A constant as an operand of that type: `1.0` of an f32 instruction is an f32.
uint64_t ConstantBits(const Number& number, Type type);

// True if some row has the opcode: it computes, though perhaps not in this
// form.
bool IsScalarOpcode(std::string_view spelling);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_SCALAR_SCALAR_H_
