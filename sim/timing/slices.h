// What the slices of L2 do one thing after the other: atomic operations, sums,
// words that are polled.
#ifndef TILESIM_SIM_TIMING_SLICES_H_
#define TILESIM_SIM_TIMING_SLICES_H_

#include "sim/timing/cost.h"

namespace tilesim::timing {

// When L2 has done an atomic operation on a word that comes to it at `at_l2`.
// It does those on one part of memory one after the other, whoever asks.
double AtomicInL2(const CostContext& c, const ir::TileValue& word,
                  double at_l2);

// The word is in L2 as it was written by `at`.
void TellWord(const CostContext& c, const ir::TileValue& word, double at);

// Cycles until a thread has a word as it is now in L2, past L1. Who asked
// before it was there has asked again, as often as it took.
double PollWord(const CostContext& c, const ir::TileValue& word);

// Cycles of a weak load of a word, which leaves its sector in the SM's L1. Who
// asks while it is on its way waits for it.
double LoadWord(const CostContext& c, const ir::TileValue& word);

// When L2 has added a tile, whose first bytes come to it at `at_l2`, to what
// was there. Each slice adds its parts of 512 bytes in turn, whoever they are
// from: few rows that all SMs add to take their time (word.turn; sums of rows
// by tma.reduce to 16 rows take 4 times as long as to 1,000).
double AddInL2(const CostContext& c, const ir::TileValue& tile, double at_l2);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_SLICES_H_
