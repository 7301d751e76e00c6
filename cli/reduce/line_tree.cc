#include "cli/reduce/line_tree.h"

#include <limits>
#include <utility>

#include "cli/integer.h"
#include "frontend/lexer.h"

namespace tilesim::cli::reduce {
namespace {

using frontend::Token;
using frontend::TokenKind;

class Reader {
 public:
  explicit Reader(std::string_view text) : lexer_(text, ignored_) { Next(); }

  // The lines up to the `}` of their block, or the end.
  Lines Read() {
    Lines out;
    while (token_.kind != TokenKind::kEnd && !token_.is("}")) {
      if (token_.kind == TokenKind::kNewline) {
        Next();
        continue;
      }
      out.push_back(One());
    }
    return out;
  }

 private:
  Line One() {
    Line line;
    while (token_.kind != TokenKind::kEnd &&
           token_.kind != TokenKind::kNewline && !token_.is("{") &&
           !token_.is("}")) {
      line.tokens.emplace_back(token_.text);
      Next();
    }
    if (!token_.is("{")) return line;
    Next();
    line.block = true;
    line.body = Read();
    if (token_.is("}")) Next();
    return line;
  }

  void Next() { token_ = lexer_.Next(); }

  ir::Diagnostics ignored_;
  frontend::Lexer lexer_;
  Token token_;
};

void Append(const Lines& lines, std::string& out) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    for (const std::string& token : line.tokens) out += token + " ";
    if (!line.block) {
      out += "\n";
      continue;
    }
    out += "{\n";
    Append(line.body, out);
    bool goes_on = i + 1 < lines.size() && lines[i + 1].IsElse();
    out += goes_on ? "} " : "}\n";
  }
}

void AddSize(const Lines& lines, Size& size) {
  auto& [count, tokens, sum] = size;
  for (const Line& line : lines) {
    ++count;
    tokens += static_cast<int64_t>(line.tokens.size());
    for (const std::string& token : line.tokens) {
      int64_t value = IntegerOf(token);
      // Of text with larger ones it makes no difference how large they are.
      constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
      if (value > 0) sum += std::min(value, kMost);
      // A name in parts has as many tokens.
      for (char c : token) tokens += c == '.' ? 1 : 0;
    }
    AddSize(line.body, size);
  }
}

void AddBlocks(Lines& lines, std::vector<Lines*>& out) {
  out.push_back(&lines);
  for (Line& line : lines) {
    if (line.block) AddBlocks(line.body, out);
  }
}

void AddLines(Lines& lines, std::vector<Line*>& out) {
  for (Line& line : lines) {
    out.push_back(&line);
    AddLines(line.body, out);
  }
}

}  // namespace

Lines LinesOf(std::string_view printed) { return Reader(printed).Read(); }

std::string TextOf(const Lines& lines) {
  std::string out;
  Append(lines, out);
  return out;
}

Size SizeOf(const Lines& lines) {
  Size size{0, 0, 0};
  AddSize(lines, size);
  return size;
}

int64_t IntegerOf(std::string_view token) {
  int64_t value = 0;
  bool digit = !token.empty() && token[0] >= '0' && token[0] <= '9';
  return digit && ParseInteger(token, value) ? value : -1;
}

std::vector<Lines*> BlocksOf(Lines& lines) {
  std::vector<Lines*> out;
  AddBlocks(lines, out);
  return out;
}

std::vector<Line*> AllLinesOf(Lines& lines) {
  std::vector<Line*> out;
  AddLines(lines, out);
  return out;
}

}  // namespace tilesim::cli::reduce
