// The code of a finding: one of those in ir/codes.def.
//
//   Code code = "race/war";                 // "race/rwa" does not compile
//   if (code == "race/war") ...             // likewise
//   code = write ? Code("race/waw") : "race/raw";
//   code.family()                           // "race"
//   std::optional<Code> c = FindCode(text); // text from outside
#ifndef TILESIM_IR_CODE_H_
#define TILESIM_IR_CODE_H_

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace tilesim::ir {

enum class Severity : uint8_t { kError, kWarning };

// The first is no code.
inline constexpr std::string_view kCodeNames[] = {
    "",
#define CODE(name, severity, strict, summary) name,
#include "ir/codes.def"
#undef CODE
};
inline constexpr size_t kCodes = std::size(kCodeNames) - 1;
static_assert(std::is_sorted(std::begin(kCodeNames), std::end(kCodeNames)),
              "the rows of ir/codes.def are sorted by code");

// Not defined: what the compiler names when it meets an unlisted code.
void code_is_not_in_ir_codes_def();

// As small as a number; ordered by name. Code() is no code, of a finding that
// nothing is known of yet.
class Code {
 public:
  constexpr Code() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is a code.
  consteval Code(const char* name) : row_(RowOf(name)) {
    if (row_ == 0) code_is_not_in_ir_codes_def();
  }

  constexpr bool empty() const { return row_ == 0; }
  constexpr std::string_view name() const { return kCodeNames[row_]; }
  // What stands before the slash.
  constexpr std::string_view family() const {
    return name().substr(0, name().find('/'));
  }
  // What the code means in a line.
  std::string_view summary() const;
  // Of a finding with this code of which nothing else is said.
  Severity severity() const;
  // Some findings with this code, if not all, are warnings.
  bool may_warn() const;
  // Some, if not all, are errors.
  bool may_err() const;
  // The switch of `check --strict` that makes the warnings errors, or "".
  std::string_view strict() const;

  friend constexpr bool operator==(Code, Code) = default;
  friend constexpr auto operator<=>(Code, Code) = default;
  template <typename H>
  friend H AbslHashValue(H h, Code code) {
    return H::combine(std::move(h), code.row_);
  }
  // For GoogleTest.
  friend void PrintTo(Code code, std::ostream* out);

 private:
  friend std::optional<Code> FindCode(std::string_view name);
  friend std::span<const Code> AllCodes();

  // 0: there is none of this name.
  static constexpr uint16_t RowOf(std::string_view name) {
    const auto* at =
        std::lower_bound(std::begin(kCodeNames), std::end(kCodeNames), name);
    bool found = at != std::end(kCodeNames) && *at == name;
    return found ? static_cast<uint16_t>(at - kCodeNames) : 0;
  }

  uint16_t row_ = 0;
};

// The code of this name, if there is one.
std::optional<Code> FindCode(std::string_view name);

// By name.
std::span<const Code> AllCodes();

// The switches that codes name, each once, by name.
std::span<const std::string_view> StrictSwitches();

}  // namespace tilesim::ir

#endif  // TILESIM_IR_CODE_H_
