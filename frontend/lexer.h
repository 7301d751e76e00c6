// .tile text as tokens, one at a time: memory does not grow with the text.
//
// Newlines are tokens where they end a statement, and dropped where a line
// goes on: inside `(` and `[`, and after a binary operator, `=` or a comma.
#ifndef TILESIM_FRONTEND_LEXER_H_
#define TILESIM_FRONTEND_LEXER_H_

#include <string_view>
#include <vector>

#include "frontend/token.h"
#include "ir/diagnostic.h"

namespace tilesim::frontend {

class Lexer {
 public:
  // Bytes that belong nowhere are reported to `diagnostics`. Spans are those of
  // a place (ir/span.h).
  Lexer(std::string_view text, ir::Diagnostics& diagnostics, int32_t place = 0)
      : text_(text),
        diagnostics_(diagnostics),
        line_(place * ir::kLinesOfPlace + 1) {
    // Some editors write a byte order mark.
    if (Starts("\xef\xbb\xbf")) pos_ = line_start_ = 3;
  }

  Token Next();
  // Comments and blank lines met since the last call, in order.
  std::vector<Comment>& comments() { return comments_; }
  // After a syntax error: brackets that were opened no longer join lines.
  void ForgetBrackets() { brackets_ = 0; }

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  bool Starts(std::string_view s) const {
    return text_.substr(pos_, s.size()) == s;
  }
  // Skips blanks and comments; true if that passed a newline that counts.
  bool SkipSpace();
  void Newline();
  void ReadComment();
  void CheckComment(std::string_view comment);
  bool JoinsNextLine() const;

  Token Make(TokenKind kind, size_t length);
  Token Name();
  Token Number();
  Token Integer(size_t length);
  Token String();
  Token Punct();
  Token Bad();
  ir::Span SpanAt(size_t offset, size_t length) const;

  std::string_view text_;
  ir::Diagnostics& diagnostics_;
  std::vector<Comment> comments_;
  size_t pos_ = 0;
  size_t line_start_ = 0;
  int32_t line_;
  int brackets_ = 0;           // open ( and [
  bool line_is_empty_ = true;  // no token or comment on this line so far
  bool line_has_token_ = false;
  Token last_;
};

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_LEXER_H_
