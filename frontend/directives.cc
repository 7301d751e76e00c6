#include "frontend/directives.h"

#include <optional>
#include <string_view>

#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kToTool = "tilesim:";

// Whether a statement goes on behind such a line: where it ends in the midst of
// an expression or of a list.
bool GoesOn(std::string_view code) {
  constexpr std::string_view kOpen = ",([?:+-*/%&|^<>=!";
  return !code.empty() && kOpen.find(code.back()) != std::string_view::npos;
}

// Those of one kind, in the order of the text.
struct List {
  std::vector<Directive> all;
  size_t waiting = 0;  // those at the end that have no target yet

  // `text` is the end of a comment that starts at `column`; beside code it is
  // about line `target`.
  void Add(std::string_view text, std::string_view comment,
           std::optional<int32_t> target, int32_t number, size_t column) {
    Directive& d = all.emplace_back();
    d.text = std::string(ir::Trimmed(text));
    d.own_line = !target;
    d.span = {number, static_cast<int32_t>(column) + 1,
              static_cast<int32_t>(comment.size()) + 2};
    d.target = target.value_or(0);
    if (!target) ++waiting;
  }

  void AimWaiting(int32_t number) {
    size_t n = all.size();
    for (; waiting > 0; --waiting) all[--n].target = number;
  }
};

class Finder {
 public:
  void Line(std::string_view line, int32_t number) {
    size_t slashes = line.find("//");
    std::string_view of_program = ir::Trimmed(line.substr(0, slashes));
    std::optional<int32_t> own, first;  // line; of the statement
    if (!of_program.empty()) {
      own = number;
      if (!goes_on_) statement_ = number;
      first = statement_;
      goes_on_ = GoesOn(of_program);
      directives_.AimWaiting(number);
      to_tool_.AimWaiting(number);
    }
    if (slashes == std::string_view::npos) return;
    std::string_view comment = line.substr(slashes + 2);
    std::string_view text = ir::Trimmed(comment);
    if (comment.substr(0, 1) == "!") {
      directives_.Add(comment.substr(1), comment, own, number, slashes);
    } else if (text.starts_with(kToTool)) {
      to_tool_.Add(text.substr(kToTool.size()), comment, first, number,
                   slashes);
    } else if (text.size() > 1 && text[0] == '#' && own) {
      text.remove_prefix(1);
      found_.markers.push_back(
          {std::string(text.substr(0, text.find_first_of(kBlanks))), number});
    }
  }

  Directives Done() {
    found_.directives = std::move(directives_.all);
    found_.to_tool = std::move(to_tool_.all);
    return std::move(found_);
  }

 private:
  Directives found_;
  List directives_, to_tool_;
  int32_t statement_ = 0;  // its first line
  bool goes_on_ = false;
};

}  // namespace

Directives FindDirectives(const ir::Source& source) {
  Finder finder;
  std::string_view text = source.text;
  for (int32_t number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    finder.Line(text.substr(0, end), number);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return finder.Done();
}

}  // namespace tilesim::frontend
