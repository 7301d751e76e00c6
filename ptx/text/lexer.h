// PTX text as tokens, one at a time: memory does not grow with the text.
//
//   @%p1 ld.shared::cta.b32 %r1, [%r2+4];
//   punct name name name punct punct name punct number punct punct
//
// Comments and blanks are dropped; dots and `::` bind: "ld.shared::cta.b32" and
// "%tid.x" are one name each, ".reg" is one word.
#ifndef TILESIM_PTX_TEXT_LEXER_H_
#define TILESIM_PTX_TEXT_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/diagnostic.h"
#include "ptx/text/module.h"

namespace tilesim::ptx {

struct Token {
  enum class Kind : uint8_t {
    kEnd,
    kName,    // add.s32, %r1, $L__BB0_1, _
    kDot,     // .reg, .shared::cta
    kNumber,  // 12, 0x1FU, 0f3F800000, 8.7
    kString,  // "nounroll", quotes included
    kPunct,
    kBad,  // already reported
  };
  Kind kind = Kind::kEnd;
  bool first_on_line = false;
  std::string_view text;  // of the source
  ir::Span span;

  bool is(std::string_view what) const {
    return kind != Kind::kEnd && kind != Kind::kString && text == what;
  }
};

// A token as a message names it: `add.s32`, the end of the text.
std::string Describe(const Token& token);

// The constant that a kNumber spells; nullopt: it spells none.
std::optional<Number> ReadNumber(std::string_view text);

class Lexer {
 public:
  Lexer(std::string_view text, ir::Diagnostics& diagnostics);
  Token Next();

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  void Newline();
  void SkipSpace();
  void SkipBlockComment();
  Token Make(Token::Kind kind, size_t length) const;
  size_t NameEnd(size_t from, bool dots) const;
  size_t NumberEnd() const;
  Token String();
  Token Bad();
  ir::Span SpanAt(size_t offset, size_t length) const;

  std::string_view text_;
  ir::Diagnostics& diagnostics_;
  size_t pos_ = 0;
  int bad_ = 0;  // runs of bytes that are no PTX
  size_t line_start_ = 0;
  int32_t line_ = 1;
  bool first_on_line_ = true;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_TEXT_LEXER_H_
