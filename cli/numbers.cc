#include "cli/numbers.h"

#include <cmath>
#include <string>

#include "absl/strings/numbers.h"
#include "cli/integer.h"
#include "fmt/format.h"

namespace tilesim::cli {

Validator WholeNumber(int64_t low, int64_t high) {
  return [low, high](std::string& text) -> std::string {
    int64_t value = 0;
    if (ParseInteger(text, value) && value >= low && value <= high) {
      text = std::to_string(value);
      return "";
    }
    std::string upper = high == kAnyNumber ? "" : fmt::format(" to {}", high);
    return fmt::format("`{}` is no whole number from {}{}{}", text, low, upper,
                       upper.empty() ? " on" : "");
  };
}

Validator Number(double low, bool or_low) {
  return [low, or_low](std::string& text) -> std::string {
    double value = 0;
    bool good = absl::SimpleAtod(text, &value) && std::isfinite(value) &&
                (value > low || (or_low && value == low));
    if (good) return "";
    return or_low ? fmt::format("`{}` is no number from {} on", text, low)
                  : fmt::format("`{}` is no number above {}", text, low);
  };
}

Validator Something() {
  return [](std::string& text) {
    return std::string(text.empty() ? "the text is empty" : "");
  };
}

}  // namespace tilesim::cli
