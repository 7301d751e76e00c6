// What may be decided differently by members of a family: a comparison that
// decides where a thread goes; or whether what an op names is there.
#ifndef TILESIM_CHECKERS_SIZES_STATE_GUARD_H_
#define TILESIM_CHECKERS_SIZES_STATE_GUARD_H_

#include <cstdint>
#include <optional>

#include "checkers/sizes/algebra/polynomial.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::sizes::state {

struct Guard {
  int32_t cta = -1;  // whose: its slot, its first warp
  int32_t warp = -1;
  int32_t pc = -1;
  ir::Span span;
  // True where this is at least 0; absent: no comparison of numbers.
  std::optional<algebra::Polynomial> number;
  algebra::Polynomial because;  // what makes it undecided
  int64_t by = 1;               // where that should be a multiple of it
  algebra::Polynomial step{1};  // of the loop that it ends, if that is one
  bool loop = true;             // it may be what ends one
};

// Whether it is the same thread, at the same place of the text.
inline bool SamePlace(const Guard& a, const Guard& b) {
  return a.cta == b.cta && a.warp == b.warp && a.pc == b.pc;
}

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_GUARD_H_
