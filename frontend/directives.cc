#include "frontend/directives.h"

#include <string_view>

namespace tilesim::frontend {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view Trim(std::string_view s) {
  size_t begin = s.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(kBlanks) - begin + 1);
}

class Finder {
 public:
  void Line(std::string_view line, int32_t number) {
    size_t slashes = line.find("//");
    bool code = !Trim(line.substr(0, slashes)).empty();
    if (code) AimWaiting(number);
    if (slashes == std::string_view::npos) return;
    std::string_view comment = line.substr(slashes + 2);
    if (comment.substr(0, 1) == "!") {
      Add(comment.substr(1), code, number, slashes);
    } else if (std::string_view text = Trim(comment);
               text.size() > 1 && text[0] == '#' && code) {
      text.remove_prefix(1);
      found_.markers.push_back(
          {std::string(text.substr(0, text.find_first_of(kBlanks))), number});
    }
  }

  Directives Done() { return std::move(found_); }

 private:
  void Add(std::string_view text, bool code, int32_t number, size_t column) {
    Directive& d = found_.directives.emplace_back();
    d.text = std::string(Trim(text));
    d.own_line = !code;
    d.span = {number, static_cast<int32_t>(column) + 1,
              static_cast<int32_t>(text.size()) + 3};
    if (code) d.target = number;
    if (!code) ++waiting_;
  }

  void AimWaiting(int32_t number) {
    size_t n = found_.directives.size();
    for (; waiting_ > 0; --waiting_) found_.directives[--n].target = number;
  }

  Directives found_;
  size_t waiting_ = 0;  // directives at the end that have no target yet
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
