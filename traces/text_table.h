// Aligned columns for a terminal.
//
//   TextTable table({TextTable::kLeft, TextTable::kRight});
//   table.Row({"TMA", "40.0 %"});              TMA           40.0 %
//   table.Row({"tensor core", "71.2 %"});      tensor core   71.2 %
//   out += table.Render("  ");
//
// Widths count characters (UTF-8 code points), not bytes. No line ends in
// spaces.

#ifndef TILESIM_TRACES_TEXT_TABLE_H_
#define TILESIM_TRACES_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace tilesim::traces {

class TextTable {
 public:
  enum Align { kLeft, kRight };

  // One alignment a column. Rows may be shorter.
  explicit TextTable(std::vector<Align> columns);

  void Row(std::vector<std::string> cells);

  // Every row on a line of its own, after `indent`; columns three spaces apart.
  std::string Render(const std::string& indent) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

inline constexpr auto kLeft = TextTable::kLeft;
inline constexpr auto kRight = TextTable::kRight;

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_TEXT_TABLE_H_
