#include "cli/fingerprint.h"

#include <set>
#include <string_view>

#include "cli/fnv.h"
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

}  // namespace

std::string Fingerprint(const ir::Source& source, const ir::Diagnostic& d) {
  std::string text = ir::Cat(d.code.name(), "\n",
                             LineOf(source.TextOf(d.span), d.span.text_line()));
  for (const ir::Label& l : d.labels)
    ir::Append(&text, "\n", LineOf(source.TextOf(l.span), l.span.text_line()));
  return fmt::format("{:016x}", FnvOf(text));
}

std::string TextFingerprint(const ir::Source& source) {
  std::string all = source.text;
  std::set<std::string_view> seen;
  for (const ir::Place& place : *source.places) {
    if (place.text != nullptr && seen.insert(*place.text).second)
      ir::Append(&all, "\n", *place.text);
  }
  return fmt::format("{:016x}", FnvOf(all));
}

}  // namespace tilesim::cli
