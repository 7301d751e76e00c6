#include "hwtests/emit/writer.h"

#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

constexpr size_t kColumns = 80;

// Where to break `text` so that its first part fits in `room`: after the last
// ", " or before the last operator that leaves the parentheses least deep.
size_t BreakPoint(std::string_view text, size_t room) {
  size_t best = 0;
  int depth = 0, best_depth = 1 << 20;
  for (size_t i = 0; i + 1 < text.size() && i < room; ++i) {
    char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    bool candidate = text[i + 1] == ' ' &&
                     (c == ',' || c == '(' || c == '+' || c == '=' ||
                      c == '&' || c == '|' || c == ';' || c == '?');
    if (candidate && depth <= best_depth) {
      best = i + 1;
      best_depth = depth;
    }
  }
  return best;
}

}  // namespace

void Writer::Line(std::string_view line) {
  if (!line.empty()) text_.append(indent_, ' ');
  ir::Append(&text_, line, "\n");
}

void Writer::Margin(std::string_view line) {
  ir::Append(&text_, line, "\n");
}

void Writer::Statement(std::string_view statement) {
  size_t indent = indent_;
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
