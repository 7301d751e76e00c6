// How long tiles take between registers and shared memory: wavefronts of their
// accesses (ir/banks.h; calibration.json shared.turn).
#ifndef TILESIM_SIM_TIMING_BANKS_H_
#define TILESIM_SIM_TIMING_BANKS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "ir/bind.h"
#include "ir/concrete.h"

namespace tilesim::timing {

// Of an op: wavefronts, and what they would be without bank conflicts; lines of
// 128 bytes of which those that go together take all or a part.
struct BankCycles {
  double taken = 0, least = 0, lines = 0;
};

// What is the same for all places of a tile is
// counted once.
class Banks {
 public:
  // All threads that share the register tile take together. `threads`: of the
  // scope, which share a tile whose fragment names none. `matrices`: rows of
  // 16 bytes, 8 at a time (ldmatrix, stmatrix).
  BankCycles Wavefronts(const ir::BoundKernel& bound,
                        const ir::TileValue& shared, const ir::TileValue& reg,
                        int32_t threads, bool matrices);

 private:
  std::map<std::vector<int64_t>, BankCycles> counted_;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_BANKS_H_
