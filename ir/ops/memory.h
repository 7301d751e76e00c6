// Loads, stores and atomics by threads, generic proxy (PTX 9.7.9, 9.7.13); of
// them st.async is asynchronous.
#ifndef TILESIM_IR_OPS_MEMORY_H_
#define TILESIM_IR_OPS_MEMORY_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(LdGlobal, (), kDst, kSrc);
TILESIM_OP(StGlobal, (), kDst, kSrc);
TILESIM_OP(LdShared, (), kDst, kSrc);
TILESIM_OP(StShared, (), kDst, kSrc);
TILESIM_OP(StAsync, (), kDst, kSrc, kBar);
TILESIM_OP(Ld, (LdSem, AccessScope), kDst, kSrc);
TILESIM_OP(St, (StSem, AccessScope), kDst, kSrc);
TILESIM_OP(AtomAdd, (AtomSem, AtomScope), kDst, kMem, kValue);
TILESIM_OP(AtomExch, (AtomSem, AtomScope), kDst, kMem, kValue);
TILESIM_OP(AtomCas, (AtomSem, AtomScope), kDst, kMem, kCompare, kValue);
TILESIM_OP(RedAdd, (RedSem, AtomScope), kMem, kValue);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_MEMORY_H_
