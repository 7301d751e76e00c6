// Tensor maps of parameters that a thread copies to shared memory, to replace
// fields of them there:
//
//   ld.param.v4.u32 {%r1, %r2, %r3, %r4}, [map+16];
//   st.shared.v4.u32 [s+16], {%r1, %r2, %r3, %r4};
#ifndef TILESIM_PTX_MACHINE_MAP_CHUNKS_H_
#define TILESIM_PTX_MACHINE_MAP_CHUNKS_H_

#include "ptx/machine/device_maps.h"
#include "ptx/machine/lower_ops.h"

namespace tilesim::ptx {

// If all that the store puts into shared memory are bytes of such a map that
// follow each other: says so in its step (Step::MapPart::kPart).
void NoteMapChunk(Making& m);

// Fields that begin in bytes [first, last) of the map are known at `to`, where
// the map is written.
void PutHostMap(KnownWords& words, int32_t to, int64_t first, int64_t last,
                const TensorMap& map, const Memory& memory);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_MAP_CHUNKS_H_
