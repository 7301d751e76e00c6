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

namespace tilesim::checkers {

// Its CTA and first warp: where the machine keeps strands decides nothing.
using StrandName = std::pair<int32_t, int>;
// Of all that have not ended, in order.
std::vector<StrandName> NamesOf(const machine::State& state);

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

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_RUN_PACE_H_
