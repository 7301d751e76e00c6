#include "cli/uri.h"

#include <cctype>

#include "fmt/format.h"

namespace tilesim::cli {
namespace {

constexpr std::string_view kScheme = "file://";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::string PathOfUri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::string(uri);
  std::string out;
  for (size_t i = kScheme.size(); i < uri.size(); ++i) {
    bool escape = uri[i] == '%' && i + 2 < uri.size() &&
                  HexDigit(uri[i + 1]) >= 0 && HexDigit(uri[i + 2]) >= 0;
    if (!escape) {
      out += uri[i];
      continue;
    }
    out += static_cast<char>(HexDigit(uri[i + 1]) * 16 + HexDigit(uri[i + 2]));
    i += 2;
  }
  return out;
}

std::string UriOf(std::string_view path) {
  std::string out(path.starts_with('/') ? kScheme : "");
  while (path.starts_with("./")) path.remove_prefix(2);
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (byte < 0x80 && std::isalnum(byte) != 0) ||
                 std::string_view("/-._~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace tilesim::cli
