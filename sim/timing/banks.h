// Shared memory has 32 banks of 4 bytes, and gives a word of each a cycle
// (hardware.md H; calibration.json shared.turn): an access takes as many cycles
// as the bank with most words to give has words, its wavefronts.
#ifndef TILESIM_SIM_TIMING_BANKS_H_
#define TILESIM_SIM_TIMING_BANKS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "ir/bind.h"
#include "ir/concrete.h"

namespace tilesim::timing {

// Bytes that lanes access together, from the start of shared memory.
struct BankedBytes {
  int64_t begin = 0;
  int64_t end = 0;
};
int64_t WavefrontsOf(const std::vector<BankedBytes>& together);

// Of ops that move whole tiles. What is the same for all places of a tile is
// counted once.
class Banks {
 public:
  // All threads that share the register tile take together. `threads`: of the
  // scope, which share a tile whose fragment names none. `matrices`: rows of
  // 16 bytes, 8 at a time (ldmatrix, stmatrix).
  double Wavefronts(const ir::BoundKernel& bound, const ir::TileValue& shared,
                    const ir::TileValue& reg, int32_t threads, bool matrices);

 private:
  std::map<std::vector<int64_t>, double> counted_;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_BANKS_H_
