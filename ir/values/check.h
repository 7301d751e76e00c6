// A check of our own invariants: prints what was broken and aborts.
//
//   Check(k % rule.k == 0, "k is not a multiple of the instruction's k");
//
// Not for anything that a user's file or flag can cause: that is a Status or a
// Diagnostic.
#ifndef TILESIM_IR_VALUES_CHECK_H_
#define TILESIM_IR_VALUES_CHECK_H_

#include <cstdio>
#include <cstdlib>

namespace tilesim::values {

inline void Check(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "tilesim: own bug: %s\n", what);
  std::abort();
}

}  // namespace tilesim::values

#endif  // TILESIM_IR_VALUES_CHECK_H_
