#include "cli/fingerprint.h"

#include <cstdint>
#include <string_view>

#include "fmt/format.h"
#include "ir/cat.h"

namespace tilesim::cli {
namespace {

std::string_view LineOf(std::string_view text, int32_t line) {
  for (int32_t i = 1; i < line; ++i) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string_view out = text.substr(0, text.find('\n'));
  size_t first = out.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : out.substr(first);
}

// FNV-1a: the same on every machine and in every version.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

std::string Fingerprint(const ir::Source& source, const ir::Diagnostic& d) {
  std::string text = ir::Cat(d.code.name(), "\n",
                             LineOf(source.TextOf(d.span), d.span.text_line()));
  for (const ir::Label& l : d.labels)
    ir::Append(&text, "\n", LineOf(source.TextOf(l.span), l.span.text_line()));
  return fmt::format("{:016x}", HashOf(text));
}

}  // namespace tilesim::cli
