// Text from pieces: strings, characters, numbers, as fmt writes them with `{}`.
// Nearly every file makes messages, so this header is small: formatting itself
// is in cat.cc. (Debian's Abseil is built with its own string_view, so
// absl::StrCat does not take std::string_view.)
#ifndef TILESIM_IR_CAT_H_
#define TILESIM_IR_CAT_H_

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace tilesim::ir {

// One piece: a view of text that outlives the call, or a number as text.
class Piece {
 public:
  Piece(std::string_view text) : text_(text) {}
  Piece(const std::string& text) : text_(text) {}
  Piece(const char* text) : text_(text) {}
  Piece(char c) : text_(digits_, 1) { digits_[0] = c; }
  Piece(bool b) : text_(b ? "true" : "false") {}
  template <std::integral T>
  Piece(T value) {
    using Wide =
        std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    Set(static_cast<Wide>(value));
  }
  Piece(float value) { Set(value); }
  Piece(double value) { Set(value); }
  Piece(const Piece&) = delete;  // text_ may point to digits_
  Piece& operator=(const Piece&) = delete;

  std::string_view text() const { return text_; }

 private:
  void Set(long long value);
  void Set(unsigned long long value);
  void Set(float value);
  void Set(double value);

  char digits_[40];  // of any number
  std::string_view text_;
};

void AppendPieces(std::string* out, std::initializer_list<Piece> pieces);

template <typename... Pieces>
void Append(std::string* out, const Pieces&... pieces) {
  AppendPieces(out, {Piece(pieces)...});
}

template <typename... Pieces>
std::string Cat(const Pieces&... pieces) {
  std::string out;
  AppendPieces(&out, {Piece(pieces)...});
  return out;
}

// Without the blanks at both ends.
std::string_view Trimmed(std::string_view text);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_CAT_H_
