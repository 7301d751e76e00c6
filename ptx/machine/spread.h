// What is made of elements of buffers: which accesses they say the place of,
// and that they decide nothing else (where.h).
#ifndef TILESIM_PTX_MACHINE_SPREAD_H_
#define TILESIM_PTX_MACHINE_SPREAD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "ptx/machine/followed.h"
#include "ptx/machine/guide.h"

namespace tilesim::ptx {

// It orders nothing, and its address is generic or of global memory.
bool IsWeakLoad(const Node& n);
bool IsWeakStore(const Node& n);
bool IsTensorLoad(const Node& n);
// From global memory to shared memory, by bytes: its source is operand 1.
bool IsCopyIn(const Node& n);
// `red`, or `atom` whose result decides nothing: then nobody can tell what it
// acquires or releases, where nothing but such instructions touches the word.
bool IsReduction(const Program& program, const Node& n);

// How much a register grows from the least element to the greatest; kAny: it
// may be anything.
using Growth = uint64_t;
inline constexpr Growth kAny = UINT64_MAX;

// What a load returns: numbers of `range` + 1 from `least` on, or any (kAny).
struct Elements {
  Growth range = kAny;
  int64_t least = 0;
  bool given = false;     // a domain says so, not the type
  bool distinct = false;  // no two elements of the buffer are the same
};

struct Spreading {
  std::set<int32_t> accesses;        // nodes that touch what they say
  std::map<int32_t, uint64_t> wide;  // of these, as Followed::wide
  // Of elements that are distinct, stores as well: so many bytes lie between
  // what an access touches by one number and by the next.
  std::map<int32_t, uint64_t> apart;
};

// Of the elements that the load (node) puts into one register. nullopt: they
// decide something else. `widens`: of a load of a buffer, that it is to be
// taken to touch all places.
std::optional<Spreading> SpreadOf(const Program& program,
                                  const Followed& followed, int32_t load,
                                  int32_t into, const Elements& elements,
                                  const std::function<bool(int32_t)>& widens);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_SPREAD_H_
