// Inputs whose elements say where in global memory something lies, and nothing
// else: rows of a table by token, pages of a cache, experts of a token.
//
//   global Ids : s32[T] in 0..V - 1
//   ld id, Ids[t]
//   bulk.load row, Table[id, :], full
//
// What a CTA does is the same whatever such an element is, but for where.
#ifndef TILESIM_CHECKERS_RUN_PLACES_H_
#define TILESIM_CHECKERS_RUN_PLACES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/code.h"

namespace tilesim::checkers::run {

// A box of a global tensor begins, in that dimension, at what elements say.
struct GlobalPlace {
  int32_t op = -1;  // index into Code::ops
  int32_t operand = -1;
  int32_t dim = -1;
};

// Where the elements of `decl` say so. nullopt: they decide something else too,
// as a branch, a trip count, a slot of shared memory or a parity, or they are
// read to wait for somebody.
std::optional<std::vector<GlobalPlace>> PlacesOf(const machine::Code& code,
                                                 int32_t decl);

// The same of elements that also say which element of shared memory is meant,
// one of a histogram: `red.add bins[e], 1`. It is what was loaded, or a number
// between `low` and `high`.
struct Places {
  std::vector<GlobalPlace> global, shared;
};
std::optional<Places> PlacesOf(const machine::Code& code, int32_t decl,
                               int64_t low, int64_t high);

// Whether an operand that is one element is given as a range of elements: any
// of them is meant (docs/all_sizes.md 3.15).
bool IsAnyOf(const ir::ConcreteOp& op, int operand);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_PLACES_H_
