// What a finding may be there for want of.
#ifndef TILESIM_CHECKERS_RUN_LACK_H_
#define TILESIM_CHECKERS_RUN_LACK_H_

#include <cstdint>

namespace tilesim::checkers::run {

// An order that the program lacks, between executions of two ops: what comes
// of it is seen by taking it to be there (checkers/cause).
struct Lack {
  int32_t from = -1;  // ops; -1: nothing is known to be lacking
  int32_t to = -1;
  bool fence = false;  // a proxy fence after `from`, and no order

  bool known() const { return from >= 0 && to >= 0; }
  friend bool operator==(const Lack&, const Lack&) = default;
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_LACK_H_
