// Options that take a number: what may be given, and what is said of the rest.
#ifndef TILESIM_CLI_NUMBERS_H_
#define TILESIM_CLI_NUMBERS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "cli/integer.h"
#include "fmt/format.h"

namespace tilesim::cli {

inline constexpr int64_t kMostJobs = 1024;
inline constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::max();

// "`0` is no whole number from 1 to 1024"
inline CLI::Validator WholeNumber(int64_t low, int64_t high = kAnyNumber) {
  auto look = [low, high](std::string& text) -> std::string {
    int64_t value = 0;
    if (ParseInteger(text, value) && value >= low && value <= high) {
      text = std::to_string(value);
      return "";
    }
    std::string upper = high == kAnyNumber ? "" : fmt::format(" to {}", high);
    return fmt::format("`{}` is no whole number from {}{}{}", text, low, upper,
                       upper.empty() ? " on" : "");
  };
  return CLI::Validator(look, "");
}

// "`-1` is no number from 0 on", "`0` is no number above 0"
inline CLI::Validator Number(double low, bool or_low) {
  auto look = [low, or_low](std::string& text) -> std::string {
    double value = 0;
    bool good = absl::SimpleAtod(text, &value) && std::isfinite(value) &&
                (value > low || (or_low && value == low));
    if (good) return "";
    return or_low ? fmt::format("`{}` is no number from {} on", text, low)
                  : fmt::format("`{}` is no number above {}", text, low);
  };
  return CLI::Validator(look, "");
}

// Of any option: an empty path, name or number is a variable of a script that
// was not set.
inline CLI::Validator Something() {
  return CLI::Validator(
      [](std::string& text) {
        return std::string(text.empty() ? "the text is empty" : "");
      },
      "");
}

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_NUMBERS_H_
