#include "frontend/allow.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "frontend/directives.h"
#include "frontend/suggest.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

constexpr std::string_view kWord = "allow(";
constexpr std::string_view kForm = "write `// tilesim: allow(CODE) reason`";

std::string UnknownCode(std::string_view name) {
  std::vector<std::string_view> names;
  for (ir::Code code : ir::AllCodes()) names.push_back(code.name());
  std::string near = DidYouMean(name, names);
  return near.empty() ? "`tilesim explain code` lists the codes" : near;
}

class Reader {
 public:
  explicit Reader(ir::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void Read(const Directive& d) {
    std::string_view text = d.text;
    size_t end = text.find(')');
    if (!text.starts_with(kWord) || end == std::string_view::npos)
      return Warn(d, "`tilesim:` is followed by no `allow(CODE)`", kForm);
    std::string_view reason = ir::Trimmed(text.substr(end + 1));
    if (reason.empty())
      return Warn(d, "the comment gives no reason, and allows nothing", kForm);
    std::string_view codes = text.substr(kWord.size(), end - kWord.size());
    while (true) {
      size_t comma = std::min(codes.find(','), codes.size());
      Add(d, ir::Trimmed(codes.substr(0, comma)), reason);
      if (comma == codes.size()) return;
      codes.remove_prefix(comma + 1);
    }
  }

  std::vector<Allow> Done() { return std::move(allows_); }

 private:
  void Add(const Directive& d, std::string_view name, std::string_view reason) {
    std::optional<ir::Code> code = ir::FindCode(name);
    if (!code)
      return Warn(d, ir::Cat("there is no code `", name, "`"),
                  UnknownCode(name));
    allows_.push_back({*code, std::string(reason), d.target, d.span});
  }

  void Warn(const Directive& d, std::string message, std::string_view help) {
    diagnostics_.Warning("lint/allow", d.span, std::move(message)).help = help;
  }

  std::vector<Allow> allows_;
  ir::Diagnostics& diagnostics_;
};

}  // namespace

std::vector<Allow> FindAllows(const std::string& text,
                              ir::Diagnostics& diagnostics) {
  Reader reader(diagnostics);
  for (const Directive& d : FindDirectives(ir::Source{"", text}).to_tool)
    reader.Read(d);
  return reader.Done();
}

}  // namespace tilesim::frontend
