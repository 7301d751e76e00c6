// Elements of buffers that only say where something is accessed: rows of a
// table by token, pages of a cache, rows that atomics add to.
//
//   ld.global.u32 %id, [Ids + 4 * t];   // the launch says: 0 to V - 1
//   ld.global.f32 %f, [Table + 256 * %id];
//
// Whatever such an element is, threads do the same, but for where. A run in
// which all are the least of their domain, and one in which all are the
// greatest, stand for any; where elements are distinct, and say where something
// is written, a third in which each has a number of its own (docs/ptx.md 7.4).
#ifndef TILESIM_PTX_MACHINE_WHERE_H_
#define TILESIM_PTX_MACHINE_WHERE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ptx/machine/followed.h"
#include "ptx/machine/guide.h"

namespace tilesim::ptx {

using Launched = std::vector<const PtxGuide*>;

struct SayWhere {
  std::map<int32_t, size_t> loads;  // nodes, and the buffer of each
  std::set<int32_t> accesses;       // nodes that touch what they say
  // Of these, accesses that are taken to touch all places (Followed::wide).
  std::map<int32_t, uint64_t> wide;
  // Loads of which some say where such an access is, and nothing else: these
  // are the least in every run.
  std::set<int32_t> least;
  // Loads of elements that are distinct. Of accesses: how far apart what they
  // touch by one number and by the next is (0: not known), by which load.
  std::set<int32_t> rising;
  std::map<int32_t, uint64_t> apart;
  std::map<int32_t, int32_t> said_by;
  std::set<int32_t> stores;           // of these accesses
  std::map<int32_t, int64_t> copies;  // Followed::copies
};

// Whether none of the launches does anything to it but weak loads, copies to
// shared memory and tensor loads, as far as their runs went.
bool IsOnlyRead(size_t buffer, const Launched& launches);

// Those among the loads of buffers whose content is not given, as a run has
// found them. Of one without a domain, all that its type and masks let through.
SayWhere ElementsThatSayWhere(const PtxGuide& guide, const Followed& followed,
                              const Launched& launches);

// Whether what these access is written by none of the launches; or by
// reductions alone, and read by nobody; or is touched by elements that are
// distinct alone. Whether what says it is written by none.
bool NobodyMeets(const SayWhere& where, const PtxGuide& guide,
                 const Launched& launches);

// Of the last: buffers of which one element may say the same bytes as the
// next, as a run has it in which all are the same.
std::vector<std::string> NotApart(const SayWhere& where, const PtxGuide& guide,
                                  const Launched& launches);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_WHERE_H_
