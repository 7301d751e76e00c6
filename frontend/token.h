// Tokens of .tile text.
#ifndef TILESIM_FRONTEND_TOKEN_H_
#define TILESIM_FRONTEND_TOKEN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/span.h"

namespace tilesim::frontend {

enum class TokenKind : uint8_t {
  kEnd,      // end of the text
  kNewline,  // end of a line that ends a statement
  kName,     // letters; with dots and `::` inside: cta.x, fence::before
  kInt,      // 64, 0x40, 0b1000000, 1_000
  kFloat,    // 0.125, 1e-3
  kWord,     // a number with letters behind it: 128B
  kString,   // "tiles.tile", quotes included
  kPunct,    // operators and brackets
  kBad,      // a byte that belongs nowhere; already reported
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool first_on_line = false;
  bool dotted = false;     // kName with dots inside
  bool too_large = false;  // kInt beyond 64 bits
  uint64_t value = 0;      // kInt
  double number = 0;       // kFloat
  std::string_view text;   // of the source
  size_t offset = 0;       // in the source
  ir::Span span;

  bool is(std::string_view punct_or_name) const {
    return (kind == TokenKind::kPunct || kind == TokenKind::kName) &&
           text == punct_or_name;
  }
};

// A comment as met, not yet attached to anything. An empty text is a blank
// line.
struct Comment {
  std::string_view text;  // with its `//`, without trailing spaces
  size_t offset = 0;
  bool own_line = false;  // nothing but space before it
};

// The text as a message may quote it: shortened, unprintable bytes replaced.
std::string Quoted(std::string_view text);
// `full[s]`, end of line ...: a token as a message names it.
std::string Describe(const Token& token);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_TOKEN_H_
