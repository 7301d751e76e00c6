// Whether a coordinate lies below an extent in every CTA, whatever the sizes:
// what is shown to be inside is lowered without a guard. Comparisons and
// addresses for each row took hgemm_v03 350 cycles of 2,300 an iteration.
//
//   k                    in `for k in 0..K`
//   cta.x * 128          of a grid of M / 128 or cdiv(M, 128)
//   (t % TM) * 64        where TM is M / 64
//   cta.x * 128 + warpgroup * 64
//                        of a grid of M / 128, in warpgroups 0..2
#ifndef TILESIM_HWTESTS_EMIT_BELOW_H_
#define TILESIM_HWTESTS_EMIT_BELOW_H_

#include "hwtests/emit/facts.h"
#include "hwtests/emit/kernel_context.h"
#include "ir/expr.h"

namespace tilesim::hwtests {

// Of what is never negative. False: not shown.
bool IsBelow(const Facts& facts, const ThreadsHere& threads, const ir::Expr& x,
             const ir::Expr& extent);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_BELOW_H_
