// Which tcgen05 operations run in the order in which they are issued.
#ifndef TILESIM_IR_PIPELINE_H_
#define TILESIM_IR_PIPELINE_H_

#include "ir/concrete.h"

namespace tilesim::ir {

// Whether two tcgen05 operations issued one after the other run in that order
// without anything between them: mma after mma of the same accumulator, shape
// and kind; mma after cp or shift; shift after mma; cp.4x256b after
// shift (PTX 9.7.16.6; hardware.md A.8).
bool RunInOrder(const ConcreteOp& first, const ConcreteOp& second);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_PIPELINE_H_
