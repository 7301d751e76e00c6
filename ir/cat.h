// Text from pieces: strings, string_views, numbers. (Debian's Abseil is built
// with its own string_view, so absl::StrCat does not take std::string_view.)
#ifndef TILESIM_IR_CAT_H_
#define TILESIM_IR_CAT_H_

#include <iterator>
#include <string>

#include "fmt/format.h"

namespace tilesim::ir {

template <typename... Pieces>
void Append(std::string* out, const Pieces&... pieces) {
  (fmt::format_to(std::back_inserter(*out), "{}", pieces), ...);
}

template <typename... Pieces>
std::string Cat(const Pieces&... pieces) {
  std::string out;
  Append(&out, pieces...);
  return out;
}

}  // namespace tilesim::ir

#endif  // TILESIM_IR_CAT_H_
