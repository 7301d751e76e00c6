#include "cli/integer.h"

#include <charconv>

namespace tilesim::cli {

bool ParseInteger(std::string_view text, int64_t& out) {
  bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'x') base = 16;
  if (text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'b') base = 2;
  if (base != 10) text.remove_prefix(2);
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (negative) out = -out;
  return error == std::errc() && end == text.data() + text.size() &&
         !text.empty() && text[0] != '-';
}

}  // namespace tilesim::cli
