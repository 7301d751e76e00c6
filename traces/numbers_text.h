// Numbers and sections as the text reports write them.
#ifndef TILESIM_TRACES_NUMBERS_TEXT_H_
#define TILESIM_TRACES_NUMBERS_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "traces/text_table.h"

namespace tilesim::traces {

// 1234567 -> "1,234,567"
inline std::string Grouped(int64_t value) {
  std::string text = absl::StrCat(value);
  const size_t first_digit = value < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

inline std::string Percent(double fraction) {
  return absl::StrFormat("%.1f %%", fraction * 100);
}

inline std::string Percent(int64_t part, int64_t whole) {
  if (whole == 0) return "-";
  return Percent(static_cast<double>(part) / static_cast<double>(whole));
}

// A section under its title; nothing if the table is empty.
inline std::string Section(const std::string& title, const TextTable& table) {
  const std::string body = table.Render("  ");
  return body.empty() ? "" : absl::StrCat("\n", title, "\n", body);
}

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_NUMBERS_TEXT_H_
