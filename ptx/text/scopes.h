// What a name means inside nested `{ }`: the innermost declaration counts.
//
//   .reg .b32 %r<10>;   declares %r0 to %r9
//   { .reg .pred p; }   p, up to the brace
#ifndef TILESIM_PTX_TEXT_SCOPES_H_
#define TILESIM_PTX_TEXT_SCOPES_H_

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/text/module.h"

namespace tilesim::ptx {

// `Value` is what is known of a declaration.
template <typename Value>
class Scopes {
 public:
  Scopes() : scopes_(1) {}

  void Open() { scopes_.emplace_back(); }
  void Close() {
    if (scopes_.size() > 1) scopes_.pop_back();
  }
  // False: the innermost scope has the name already.
  bool Declare(const Declarator& d, Value value) {
    Scope& scope = scopes_.back();
    if (d.range)
      return scope.ranges.try_emplace(d.name, *d.range, std::move(value))
          .second;
    return scope.names.try_emplace(d.name, std::move(value)).second;
  }

  // The declaration of a name, and which register of its range it is.
  std::optional<std::pair<Value, uint64_t>> Find(std::string_view name) const {
    size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
      --digits;
    for (size_t i = scopes_.size(); i-- > 0;) {
      const Scope& scope = scopes_[i];
      if (auto one = scope.names.find(name); one != scope.names.end())
        return std::pair(one->second, uint64_t{0});
      // %r12 may be of %r<20> or of %r1<5>.
      for (size_t at = digits; at < name.size(); ++at) {
        if (auto found = InRange(scope, name, at)) return found;
      }
    }
    return std::nullopt;
  }

 private:
  struct Scope {
    std::map<std::string, Value, std::less<>> names;
    std::map<std::string, std::pair<uint64_t, Value>, std::less<>> ranges;
  };

  static std::optional<std::pair<Value, uint64_t>> InRange(
      const Scope& scope, std::string_view name, size_t at) {
    auto range = scope.ranges.find(name.substr(0, at));
    if (range == scope.ranges.end()) return std::nullopt;
    std::string_view digits = name.substr(at);
    if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
    uint64_t number = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || number >= range->second.first)
      return std::nullopt;
    return std::pair(range->second.second, number);
  }

  std::vector<Scope> scopes_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_TEXT_SCOPES_H_
