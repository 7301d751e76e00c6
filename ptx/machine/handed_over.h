// What strong loads may synchronise with.
#ifndef TILESIM_PTX_MACHINE_HANDED_OVER_H_
#define TILESIM_PTX_MACHINE_HANDED_OVER_H_

#include <cstddef>

namespace tilesim::ptx {

class PtxGuide;

// Whether what a load reads there may be what a strong store or an atomic has
// written, of any kernel of the launch: it synchronises with no other. What no
// run has come to as yet may write anywhere.
bool MayBeHandedOver(const PtxGuide& guide, size_t buffer);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_HANDED_OVER_H_
