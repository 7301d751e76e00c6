#include "frontend/token.h"

#include "ir/cat.h"

namespace tilesim::frontend {
namespace {
constexpr size_t kMaxQuoted = 40;
}  // namespace

std::string Quoted(std::string_view text) {
  std::string out(text.substr(0, kMaxQuoted));
  for (char& c : out) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) c = '?';
  }
  if (text.size() > kMaxQuoted) out += "...";
  return ir::Cat("`", out, "`");
}

std::string Describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the file";
    case TokenKind::kNewline:
      return "the end of the line";
    default:
      return Quoted(token.text);
  }
}

}  // namespace tilesim::frontend
