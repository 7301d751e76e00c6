// Starts of boxes that the text shows to be multiples of a number, whatever the
// sizes:
//
//   bulk.store F[(t % P * Q + t / P) * 4 :+ 4], s
//
// Such numbers are no polynomials, so a run cannot decide it for a family.
#ifndef TILESIM_CHECKERS_SIZES_STATE_TEXT_MULTIPLE_H_
#define TILESIM_CHECKERS_SIZES_STATE_TEXT_MULTIPLE_H_

#include <cstdint>
#include <map>

#include "ir/expr.h"
#include "ir/op.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::state {

// Of a global tensor, of which there are no arrays. Null: all of the dimension.
const ir::Expr* StartOf(const ir::Ref& ref, int dim);

class Multiples {
 public:
  // Of its kernel, which has to live as long.
  explicit Multiples(const machine::Code& code);

  // A number that divides both the expression and `of`, whatever the sizes.
  int64_t DivisorOf(const ir::Expr& e, int64_t of) const;
  // False: it is not seen.
  bool IsMultiple(const ir::Expr& e, int64_t by) const {
    return DivisorOf(e, by) == by;
  }

 private:
  int64_t OfName(const ir::Expr& name, int64_t of) const;
  int64_t OfBinary(const ir::Expr& e, int64_t of) const;

  const machine::Code& code_;
  std::map<int32_t, const ir::Expr*> lets_;  // by slot
  std::map<int32_t, const ir::Stmt*> loops_;
};

int64_t DivisorOf(const machine::Code& code, const ir::Expr& e, int64_t of);
bool IsMultiple(const machine::Code& code, const ir::Expr& e, int64_t by);

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_TEXT_MULTIPLE_H_
