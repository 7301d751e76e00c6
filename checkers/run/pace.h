// How far strands have come in their loops. A run in which who is behind goes
// first recurs soonest: nobody is further ahead of others in a later turn of a
// loop than in an early one.
#ifndef TILESIM_CHECKERS_RUN_PACE_H_
#define TILESIM_CHECKERS_RUN_PACE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

// Its CTA and first warp: where the machine keeps strands decides nothing.
using StrandName = std::pair<int32_t, int>;

inline StrandName NameOf(const machine::Strand& strand) {
  return {strand.cta, strand.threads.first_warp};
}

// Those that have not ended, in the order of their names. `out`: of an earlier
// state, so that little has to be done as long as they are the same.
void StrandsOf(const machine::State& state, std::vector<int32_t>& out);
std::vector<int32_t> StrandsOf(const machine::State& state);

// One of them, and where it was when it was named.
struct NamedStrand {
  StrandName who;
  int32_t strand;
};
void NameStrands(const machine::State& state, std::vector<int32_t>& strands,
                 std::vector<NamedStrand>& out);

class Pace {
 public:
  // In which turn of each loop that it is in, outermost first: those that come
  // first in their order are behind.
  using Position = absl::InlinedVector<int64_t, 4>;

  // A strand is about to execute a control instruction.
  void Control(const machine::Code& code, const machine::State& state,
               int32_t strand, const machine::Instr& instr);
  // `other` has split off.
  void Divided(int32_t strand, int32_t other);

  Position Of(const machine::Code& code, const machine::State& state,
              int32_t strand) const;

 private:
  struct Loop {
    int32_t test;  // its kForTest
    int64_t turn;
  };
  using Loops = std::vector<Loop>;

  Loops& LoopsOf(int32_t strand);

  std::vector<Loops> strands_;
};

// Calls f(i) for all positions that are furthest behind, then for all that are
// of the rest, until `done` after some.
template <typename F, typename Done>
void FromBehind(const std::vector<Pace::Position>& positions, F f, Done done) {
  const Pace::Position* behind = nullptr;
  do {
    const Pace::Position* next = nullptr;
    for (const Pace::Position& p : positions) {
      bool later = behind == nullptr || *behind < p;
      if (later && (next == nullptr || p < *next)) next = &p;
    }
    if (next == nullptr) return;
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] == *next) f(i);
    }
    behind = next;
  } while (!done());
}

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_PACE_H_
