// Which numbers are at least 1, or 0, at every permitted size, as the text
// shows.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_POSITIVE_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_POSITIVE_H_

#include <cstdint>
#include <map>

#include "checkers/sizes/partition/known_numbers.h"
#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Of a kernel that outlives it. Lets are what they were when it was made.
class Positive {
 public:
  Positive(const ir::Overrides& defines, const ir::Kernel& kernel);

  // Products, quotients rounded up, min and max of what is positive; extents of
  // the grid; parameters from 1 on, and those divided by what they are no less
  // than.
  bool Is(const ir::Expr& e) const;
  // What is at least 0: sums, products and quotients of such numbers as well.
  bool IsNatural(const ir::Expr& e) const;
  // The value of the let that `e` names; nullptr: it names none.
  const ir::Expr* LetOf(const ir::Expr& e) const;
  const KnownNumbers& known() const { return known_; }

 private:
  KnownNumbers known_;
  std::map<int32_t, ir::Expr> lets_;  // by slot
  std::map<int32_t, int64_t> lows_;   // of parameters, likewise
};

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_POSITIVE_H_
