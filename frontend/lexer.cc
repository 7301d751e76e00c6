#include "frontend/lexer.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

constexpr int kMaxBadBytes = 100;  // of one run, in one report

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsWordChar(char c) { return IsLetter(c) || IsDigit(c); }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Longest first.
constexpr std::string_view kPuncts[] = {
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "..", ":+", "(", ")",
    "[",  "]",  "{",  "}",  ",",  ";",  ":",  "?",  "+",  "-",  "*", "/",
    "%",  "&",  "|",  "^",  "~",  "!",  "<",  ">",  "=",  "@"};

// Tokens after which a statement cannot end, so that its line goes on.
constexpr std::string_view kJoining[] = {
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", ",", "?", "+",
    "-",  "*",  "/",  "%",  "&",  "|",  "^",  "<",  ">", "=", ":+"};

// Length of the UTF-8 character at the start of `s`; 0 if there is none.
size_t Utf8Length(std::string_view s) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  unsigned char c = byte(0);
  if (c < 0x80) return 1;
  size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  if (c < 0xc2 || c > 0xf4 || s.size() < n) return 0;
  for (size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  bool overlong =
      (c == 0xe0 && byte(1) < 0xa0) || (c == 0xf0 && byte(1) < 0x90);
  bool outside = (c == 0xed && byte(1) > 0x9f) || (c == 0xf4 && byte(1) > 0x8f);
  return overlong || outside ? 0 : n;
}

}  // namespace

ir::Span Lexer::SpanAt(size_t offset, size_t length) const {
  constexpr size_t kMax = std::numeric_limits<int32_t>::max();
  return {line_, static_cast<int32_t>(std::min(offset - line_start_ + 1, kMax)),
          static_cast<int32_t>(std::min(length, kMax))};
}

void Lexer::Newline() {
  if (line_is_empty_) {
    // Two blank lines are as good as one.
    bool again = !comments_.empty() && comments_.back().text.empty();
    if (!again) comments_.push_back({{}, pos_, true});
  }
  ++pos_;
  ++line_;
  line_start_ = pos_;
  line_is_empty_ = true;
  line_has_token_ = false;
}

void Lexer::CheckComment(std::string_view comment) {
  for (size_t i = 0; i < comment.size();) {
    size_t n = Utf8Length(comment.substr(i));
    if (n == 0 || comment[i] == '\0') {
      size_t offset = static_cast<size_t>(comment.data() - text_.data()) + i;
      diagnostics_.Error("syntax/encoding", SpanAt(offset, 1),
                         "the comment holds a byte that is not UTF-8 text");
      return;
    }
    i += n;
  }
}

void Lexer::ReadComment() {
  size_t end = text_.find('\n', pos_);
  if (end == std::string_view::npos) end = text_.size();
  std::string_view comment = text_.substr(pos_, end - pos_);
  while (IsBlank(comment.back())) comment.remove_suffix(1);
  CheckComment(comment);
  comments_.push_back({comment, pos_, !line_has_token_});
  line_is_empty_ = false;
  pos_ = end;
}

bool Lexer::JoinsNextLine() const {
  if (brackets_ > 0) return true;
  if (last_.kind != TokenKind::kPunct) return false;
  for (std::string_view p : kJoining) {
    if (last_.text == p) return true;
  }
  return false;
}

bool Lexer::SkipSpace() {
  while (pos_ < text_.size()) {
    char c = text_[pos_];
    if (IsBlank(c)) {
      ++pos_;
    } else if (c == '/' && At(pos_ + 1) == '/') {
      ReadComment();
    } else if (c == '\n') {
      bool ends = line_has_token_ && !JoinsNextLine();
      if (ends) return true;
      Newline();
    } else {
      return false;
    }
  }
  return false;
}

Token Lexer::Make(TokenKind kind, size_t length) {
  Token t;
  t.kind = kind;
  t.offset = pos_;
  t.text = text_.substr(pos_, length);
  t.span = SpanAt(pos_, length);
  t.first_on_line = !line_has_token_;
  return t;
}

Token Lexer::Next() {
  if (SkipSpace()) {
    last_ = Make(TokenKind::kNewline, 1);
    Newline();
    return last_;
  }
  if (pos_ >= text_.size()) return last_ = Make(TokenKind::kEnd, 0);
  char c = text_[pos_];
  Token t = IsLetter(c)  ? Name()
            : IsDigit(c) ? Number()
            : c == '"'   ? String()
                         : Punct();
  pos_ += t.text.size();
  line_is_empty_ = false;
  line_has_token_ = true;
  return last_ = t;
}

Token Lexer::Name() {
  size_t end = pos_;
  bool dotted = false;
  while (true) {
    while (IsWordChar(At(end))) ++end;
    bool colons = At(end) == ':' && At(end + 1) == ':';
    size_t separator = colons ? 2 : At(end) == '.' ? 1 : 0;
    if (separator == 0 || !IsWordChar(At(end + separator))) break;
    dotted = true;
    end += separator;
  }
  Token t = Make(TokenKind::kName, end - pos_);
  t.dotted = dotted;
  return t;
}

Token Lexer::Number() {
  size_t end = pos_;
  while (IsWordChar(At(end))) ++end;
  bool based = At(pos_) == '0' && (At(pos_ + 1) == 'x' || At(pos_ + 1) == 'b');
  bool is_float = false;
  if (!based && At(end) == '.' && IsDigit(At(end + 1))) {
    is_float = true;
    for (++end; IsWordChar(At(end));) ++end;
  }
  char last = At(end - 1);
  bool exponent = !based && (last == 'e' || last == 'E');
  if (exponent && (At(end) == '-' || At(end) == '+') && IsDigit(At(end + 1))) {
    for (++end; IsDigit(At(end));) ++end;
  }
  std::string_view text = text_.substr(pos_, end - pos_);
  is_float |= !based && text.find_first_of("eE") != std::string_view::npos;
  if (!is_float) return Integer(text.size());
  Token t = Make(TokenKind::kFloat, text.size());
  auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), t.number);
  t.too_large = error == std::errc::result_out_of_range;
  if (stop != text.data() + text.size()) t.kind = TokenKind::kWord;
  return t;
}

Token Lexer::Integer(size_t length) {
  Token t = Make(TokenKind::kInt, length);
  std::string_view digits = t.text;
  uint64_t base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    base = digits[1] == 'x' ? 16 : digits[1] == 'b' ? 2 : 10;
    if (base != 10) digits.remove_prefix(2);
  }
  if (digits.empty() || digits.back() == '_') t.kind = TokenKind::kWord;
  for (char c : digits) {
    if (c == '_') continue;
    uint64_t d = IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    if (d >= base) t.kind = TokenKind::kWord;
    t.too_large |= __builtin_mul_overflow(t.value, base, &t.value) ||
                   __builtin_add_overflow(t.value, d, &t.value);
  }
  return t;
}

// "...", on one line; a quote alone belongs nowhere.
Token Lexer::String() {
  size_t end = text_.find_first_of("\"\n", pos_ + 1);
  if (end == std::string_view::npos || text_[end] != '"') return Bad();
  std::string_view text = text_.substr(pos_, end + 1 - pos_);
  bool printable = std::all_of(text.begin(), text.end(),
                               [](char c) { return c >= 0x20 && c < 0x7f; });
  return printable ? Make(TokenKind::kString, text.size()) : Bad();
}

Token Lexer::Punct() {
  for (std::string_view p : kPuncts) {
    if (!Starts(p)) continue;
    if (p == "(" || p == "[") ++brackets_;
    if ((p == ")" || p == "]") && brackets_ > 0) --brackets_;
    // Braces never stand in brackets: one that does shows a missing bracket.
    if (p == "{" || p == "}") brackets_ = 0;
    return Make(TokenKind::kPunct, p.size());
  }
  return Bad();
}

// One report for a run of such bytes.
Token Lexer::Bad() {
  size_t end = pos_;
  auto bad = [&](char c) {
    return static_cast<unsigned char>(c) >= 0x7f ||
           (static_cast<unsigned char>(c) < 0x20 && !IsBlank(c) && c != '\n') ||
           c == '"' || c == '\'' || c == '`' || c == '#' || c == '$' ||
           c == '\\' || c == '.';
  };
  while (end < text_.size() && bad(text_[end])) ++end;
  Token t = Make(TokenKind::kBad, std::max<size_t>(end - pos_, 1));
  ir::Span span = t.span;
  span.length = std::min(span.length, kMaxBadBytes);
  constexpr std::string_view kHex = "0123456789abcdef";
  auto byte = static_cast<unsigned char>(text_[pos_]);
  std::string what = byte >= 0x20 && byte < 0x7f
                         ? Quoted(t.text)
                         : ir::Cat("byte 0x", kHex[byte >> 4], kHex[byte & 15]);
  diagnostics_.Error("syntax/character", span,
                     ir::Cat("found ", what,
                             ", which belongs nowhere outside "
                             "comments"));
  return t;
}

}  // namespace tilesim::frontend
