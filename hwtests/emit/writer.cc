#include "hwtests/emit/writer.h"

#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

constexpr size_t kColumns = 80;

// How readily a line is broken after `text[i]`; 0: not at all.
int BreakClass(std::string_view text, size_t i) {
  if (text[i + 1] != ' ') return 0;
  if (text[i] == ';') return 1;
  if (text[i] == ',') return 2;
  bool alone = i > 0 && text[i - 1] == ' ';
  if (alone && text[i] == '=') return 3;
  constexpr std::string_view kOperators = "+*/%?:";
  if (alone && kOperators.find(text[i]) != std::string_view::npos) return 4;
  bool logical = i > 1 && text[i - 2] == ' ' && text[i - 1] == text[i] &&
                 (text[i] == '&' || text[i] == '|');
  return logical ? 4 : 0;
}

bool Opens(std::string_view text, size_t i) {
  char c = text[i];
  if (c == '<') return i > 0 && text[i - 1] != ' ' && text[i - 1] != '<';
  return c == '(' || c == '[' || c == '{';
}

bool Closes(std::string_view text, size_t i) {
  char c = text[i];
  if (c == '>') return i > 0 && text[i - 1] != ' ' && text[i - 1] != '>';
  return c == ')' || c == ']' || c == '}';
}

// Where to break `text` so that its first part fits in `room`: as outermost as
// can be, there after `;` or `,` rather than after an operator, there as late
// as can be.
size_t BreakPoint(std::string_view text, size_t room) {
  size_t best = 0;
  int depth = 0, best_score = 1 << 20;
  for (size_t i = 0; i + 1 < text.size() && i < room; ++i) {
    if (Opens(text, i)) ++depth;
    if (Closes(text, i)) --depth;
    int kind = BreakClass(text, i);
    if (kind == 0 || depth * 8 + kind > best_score) continue;
    best = i + 1;
    best_score = depth * 8 + kind;
  }
  return best;
}

}  // namespace

void Writer::Line(std::string_view line) {
  if (!line.empty()) text_.append(indent_, ' ');
  ir::Append(&text_, line, "\n");
}

void Writer::Margin(std::string_view line) { ir::Append(&text_, line, "\n"); }

void Writer::Statement(std::string_view statement) {
  size_t indent = indent_;
  size_t comment = statement.find("  // ");
  if (comment != std::string_view::npos &&
      indent + statement.size() > kColumns) {
    Line(statement.substr(comment + 2));
    statement = statement.substr(0, comment);
  }
  while (indent + statement.size() > kColumns) {
    size_t at = BreakPoint(statement, kColumns - indent);
    if (at == 0) break;
    text_.append(indent, ' ');
    ir::Append(&text_, statement.substr(0, at), "\n");
    statement.remove_prefix(at + 1);
    indent = indent_ + 4;
  }
  text_.append(indent, ' ');
  ir::Append(&text_, statement, "\n");
}

void Writer::Open(std::string_view header) {
  Statement(ir::Cat(header, " {"));
  indent_ += 2;
}

void Writer::Close(std::string_view footer) {
  indent_ -= 2;
  Line(footer);
}

void Writer::Else() {
  indent_ -= 2;
  Line("} else {");
  indent_ += 2;
}

}  // namespace tilesim::hwtests
