#include "traces/text_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tilesim::traces {
namespace {

size_t Width(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (c & 0xC0) != 0x80; });
}

}  // namespace

TextTable::TextTable(std::vector<Align> columns)
    : columns_(std::move(columns)) {}

void TextTable::Row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::Render(const std::string& indent) const {
  std::vector<size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], Width(row[c]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - Width(row[c]), ' ');
      if (columns_[c] == kRight) line += pad;
      line += row[c];
      if (columns_[c] == kLeft) line += pad;
      line += "   ";
    }
    absl::StrAppend(&out, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return out;
}

}  // namespace tilesim::traces
