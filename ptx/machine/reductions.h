// What bar.red returns: over all threads of the CTA that come to a round of the
// barrier, how many have the predicate, whether all have it, whether some have.
//
// Each warp leaves what its lanes say where the others find it when the round
// is over: in Cta::words, at places below 0, by barrier, round and warp. A warp
// is at most one round ahead of another, so rounds are counted modulo 4.
#ifndef TILESIM_PTX_MACHINE_REDUCTIONS_H_
#define TILESIM_PTX_MACHINE_REDUCTIONS_H_

#include "ptx/machine/guide.h"

namespace tilesim::ptx {

// Whether the step is a bar.red of all threads of the CTA, whose result
// decides.
bool Reduces(const Step& step);

// The threads of `who`, whose CTA is `cta`, come to the barrier of the step.
void LeavePredicate(const PtxGuide& guide, const Who& who, const Step& step,
                    machine::Cta& cta);

// Warps that have come to it by bar.red, in the round that is over.
uint32_t WarpsThatReduce(const Who& who, const Step& step);

// What they get when the round is over; not known: a predicate was not.
Value ReductionOf(const Who& who, const Step& step, int32_t pc);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_REDUCTIONS_H_
