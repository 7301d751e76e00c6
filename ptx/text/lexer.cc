#include "ptx/text/lexer.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "ir/cat.h"

namespace tilesim::ptx {
namespace {

constexpr size_t kMaxQuoted = 40;
constexpr size_t kMaxBadBytes = 100;  // of one run, in one report
constexpr int kMostBad = 5;           // runs

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsWord(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }
bool IsNameStart(char c) {
  return IsLetter(c) || c == '_' || c == '$' || c == '%';
}
bool IsNameChar(char c) { return IsWord(c) || c == '$'; }
bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
constexpr std::string_view kPuncts = "(){}[]<>,;:+-*/|@!=~&^?";

int DigitOf(char c) {
  if (IsDigit(c)) return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

// False: not a digit of the base, none at all, or beyond 64 bits.
bool ReadDigits(std::string_view digits, uint64_t base, uint64_t* out) {
  *out = 0;
  for (char c : digits) {
    auto d = static_cast<uint64_t>(DigitOf(c));
    if (d >= base || __builtin_mul_overflow(*out, base, out) ||
        __builtin_add_overflow(*out, d, out))
      return false;
  }
  return !digits.empty();
}

bool ReadDecimalFloat(std::string_view text, Number* out) {
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  out->kind = Number::Kind::kF64;
  std::memcpy(&out->bits, &value, sizeof value);
  return true;
}

}  // namespace

std::string Describe(const Token& token) {
  if (token.kind == Token::Kind::kEnd) return "the end of the text";
  std::string text(token.text.substr(0, kMaxQuoted));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 ||
        static_cast<unsigned char>(c) >= 0x7f)
      c = '?';
  }
  return ir::Cat("`", text, token.text.size() > kMaxQuoted ? "..." : "", "`");
}

std::optional<Number> ReadNumber(std::string_view text) {
  Number n;
  n.text = text;
  bool good = false;
  char second = text.size() > 1 && text[0] == '0' ? text[1] | 0x20 : 0;
  if (second == 'f' || second == 'd') {
    n.kind = second == 'f' ? Number::Kind::kF32 : Number::Kind::kF64;
    good = text.size() == (second == 'f' ? 10 : 18) &&
           ReadDigits(text.substr(2), 16, &n.bits);
  } else if (second != 'x' && second != 'b' &&
             text.find_first_of(".eE") != std::string_view::npos) {
    good = ReadDecimalFloat(text, &n);
  } else {
    if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
    uint64_t base = second == 'x' ? 16 : second == 'b' ? 2 : 10;
    if (base != 10) text.remove_prefix(2);
    if (base == 10 && text.size() > 1 && text[0] == '0') base = 8;
    good = ReadDigits(text, base, &n.bits);
  }
  return good ? std::optional(std::move(n)) : std::nullopt;
}

Lexer::Lexer(std::string_view text, ir::Diagnostics& diagnostics)
    : text_(text), diagnostics_(diagnostics) {
  // Drivers and nvcc end a module with a zero byte when they embed it.
  while (!text_.empty() && text_.back() == '\0') text_.remove_suffix(1);
  if (text_.substr(0, 3) == "\xef\xbb\xbf") pos_ = line_start_ = 3;
}

ir::Span Lexer::SpanAt(size_t offset, size_t length) const {
  constexpr size_t kMax = std::numeric_limits<int32_t>::max();
  return {line_, static_cast<int32_t>(std::min(offset - line_start_ + 1, kMax)),
          static_cast<int32_t>(std::min(length, kMax))};
}

void Lexer::Newline() {
  line_start_ = ++pos_;
  ++line_;
  first_on_line_ = true;
  if (line_ < ir::kLinesOfPlace) return;
  diagnostics_
      .Error("syntax/too-long", {ir::kLinesOfPlace - 1, 1, 1},
             ir::Cat("more than ", ir::kLinesOfPlace - 1, " lines"))
      .help = "split the module: one kernel a file";
  text_ = text_.substr(0, pos_);
}

void Lexer::SkipBlockComment() {
  ir::Span begin = SpanAt(pos_, 2);
  for (pos_ += 2; pos_ < text_.size();) {
    if (text_.substr(pos_, 2) == "*/") {
      pos_ += 2;
      return;
    }
    if (text_[pos_] == '\n') {
      Newline();
    } else {
      ++pos_;
    }
  }
  diagnostics_.Error("syntax/unclosed", begin, "the comment is never closed")
      .help = "end it with `*/`";
}

void Lexer::SkipSpace() {
  while (pos_ < text_.size()) {
    char c = text_[pos_];
    if (IsBlank(c)) {
      ++pos_;
    } else if (c == '\n') {
      Newline();
    } else if (c == '/' && At(pos_ + 1) == '/') {
      pos_ = std::min(text_.find('\n', pos_), text_.size());
    } else if (c == '/' && At(pos_ + 1) == '*') {
      SkipBlockComment();
    } else {
      return;
    }
  }
}

Token Lexer::Make(Token::Kind kind, size_t length) const {
  return {kind, first_on_line_, text_.substr(pos_, length),
          SpanAt(pos_, length)};
}

// Where a name that goes on at `from` ends: after letters, and after `::`, or a
// `.` if it has `dots`, with a letter or digit behind it.
size_t Lexer::NameEnd(size_t from, bool dots) const {
  size_t end = from;
  while (true) {
    while (IsNameChar(At(end))) ++end;
    bool colons = At(end) == ':' && At(end + 1) == ':';
    size_t separator = colons ? 2 : dots && At(end) == '.' ? 1 : 0;
    if (separator == 0 || !IsWord(At(end + separator))) return end;
    end += separator;
  }
}

size_t Lexer::NumberEnd() const {
  size_t end = pos_;
  while (IsWord(At(end))) ++end;
  char second = static_cast<char>(At(pos_ + 1) | 0x20);
  bool based =
      At(pos_) == '0' &&
      (second == 'x' || second == 'b' || second == 'f' || second == 'd') &&
      end > pos_ + 2;
  if (based) return end;
  if (At(end) == '.' && IsDigit(At(end + 1)))
    for (++end; IsWord(At(end));) ++end;
  bool exponent = (At(end - 1) | 0x20) == 'e';
  if (exponent && (At(end) == '-' || At(end) == '+') && IsDigit(At(end + 1)))
    for (++end; IsDigit(At(end));) ++end;
  return end;
}

Token Lexer::String() {
  size_t end = text_.find_first_of("\"\n", pos_ + 1);
  if (end != std::string_view::npos && text_[end] == '"')
    return Make(Token::Kind::kString, end + 1 - pos_);
  Token t = Make(Token::Kind::kBad, std::min(end, text_.size()) - pos_);
  diagnostics_
      .Error("syntax/unclosed", SpanAt(pos_, 1),
             "the string is not closed on its line")
      .help = "end it with `\"`";
  return t;
}

// One report for a run of such bytes.
Token Lexer::Bad() {
  size_t end = pos_ + 1;
  auto is_bad = [](char c) {
    return !IsNameStart(c) && !IsDigit(c) && !IsBlank(c) && c != '\n' &&
           c != '"' && c != '.' && kPuncts.find(c) == std::string_view::npos;
  };
  while (end < text_.size() && is_bad(text_[end])) ++end;
  if (++bad_ == kMostBad) {  // it is something else, not PTX with a slip
    Token rest = Make(Token::Kind::kBad, text_.size() - pos_);
    diagnostics_
        .Error("syntax/character", SpanAt(pos_, 1),
               "there is so much here that is no PTX that the rest is not read")
        .help = "is this a PTX file, in text?";
    return rest;
  }
  Token t = Make(Token::Kind::kBad, end - pos_);
  ir::Span span = SpanAt(pos_, std::min(end - pos_, kMaxBadBytes));
  constexpr std::string_view kHex = "0123456789abcdef";
  auto byte = static_cast<unsigned char>(text_[pos_]);
  std::string what = byte >= 0x20 && byte < 0x7f
                         ? Describe(t)
                         : ir::Cat("byte 0x", kHex[byte >> 4], kHex[byte & 15]);
  ir::Diagnostic& d = diagnostics_.Error(
      "syntax/character", span, ir::Cat("found ", what, ", which is no PTX"));
  if (byte == '#')
    d.help = "run the C preprocessor first: its lines are not read";
  else if (byte == 0x7f)
    d.help = "is this a cubin? give the PTX it was made from";
  return t;
}

Token Lexer::Next() {
  SkipSpace();
  if (pos_ >= text_.size()) return Make(Token::Kind::kEnd, 0);
  char c = text_[pos_];
  Token t;
  if (IsNameStart(c)) {
    t = Make(Token::Kind::kName, NameEnd(pos_ + 1, true) - pos_);
  } else if (IsDigit(c)) {
    t = Make(Token::Kind::kNumber, NumberEnd() - pos_);
  } else if (c == '.' && (IsWord(At(pos_ + 1)))) {
    // `.reg.b32` is two directives: no blank is needed between them.
    t = Make(Token::Kind::kDot, NameEnd(pos_ + 1, false) - pos_);
  } else if (c == '"') {
    t = String();
  } else if (kPuncts.find(c) != std::string_view::npos) {
    t = Make(Token::Kind::kPunct, 1);
  } else {
    t = Bad();
  }
  pos_ += t.text.size();
  first_on_line_ = false;
  return t;
}

}  // namespace tilesim::ptx
