#include "ir/cat.h"

#include "fmt/format.h"

namespace tilesim::ir {
namespace {

template <typename Number>
std::string_view Written(Number value, char* to) {
  return {to, static_cast<size_t>(fmt::format_to(to, "{}", value) - to)};
}

}  // namespace

void Piece::Set(long long value) { text_ = Written(value, digits_); }
void Piece::Set(unsigned long long value) { text_ = Written(value, digits_); }
void Piece::Set(float value) { text_ = Written(value, digits_); }
void Piece::Set(double value) { text_ = Written(value, digits_); }

void AppendPieces(std::string* out, std::initializer_list<Piece> pieces) {
  for (const Piece& piece : pieces) out->append(piece.text());
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace tilesim::ir
