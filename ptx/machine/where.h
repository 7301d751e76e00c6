// Elements of buffers that only say where something is accessed: rows of a
// table by token, pages of a cache, rows that atomics add to.
//
//   ld.global.u32 %id, [Ids + 4 * t];   // the launch says: 0 to V - 1
//   ld.global.f32 %f, [Table + 256 * %id];
//
// Whatever such an element is, threads do the same, but for where. A run in
// which all are the least of their domain, and one in which all are the
// greatest, stand for any (docs/ptx.md 1).
#ifndef TILESIM_PTX_MACHINE_WHERE_H_
#define TILESIM_PTX_MACHINE_WHERE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "ptx/machine/followed.h"
#include "ptx/machine/guide.h"

namespace tilesim::ptx {

struct SayWhere {
  std::map<int32_t, size_t> loads;  // nodes, and the buffer of each
  std::set<int32_t> accesses;       // nodes that touch what they say
  // Of these, accesses of shared memory (Followed::wide).
  std::map<int32_t, uint64_t> wide;
  // Loads that say where in shared memory, and nothing else: these are the
  // least in every run.
  std::set<int32_t> least;
};

// It orders nothing, and its address is generic or of global memory.
bool IsWeakLoad(const Node& n);

// Whether none of the launches does anything to it but weak loads, copies to
// shared memory and tensor loads, as far as their runs went.
bool IsOnlyRead(size_t buffer, const std::vector<const PtxGuide*>& launches);

// Those among the loads of buffers whose content is not given, as a run has
// found them. Of one without a domain, all that its type and masks let through.
SayWhere ElementsThatSayWhere(const PtxGuide& guide, const Followed& followed);

// Whether what these access is written by none of the launches; or by
// reductions alone, and read by nobody. Whether what says it is written by
// none.
bool NobodyMeets(const SayWhere& where, const PtxGuide& guide,
                 const std::vector<const PtxGuide*>& launches);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_WHERE_H_
