// Barriers of a whole grid, one after the other, by one word that is 0 at
// first: all CTAs add to it, and ask for it until all have, again and again.
// Such are those of cooperative groups (grid.sync()), of which a thread of each
// CTA adds and asks until the highest bit is another.
//
//   bar.sync 0
//   atom.add.release.gpu.u32 %old, [Word], %amount;    // by one thread
//   L: ld.acquire.gpu.u32 %now, [Word];
//      xor.b32 %r, %now, %old;
//      setp.gt.s32 %p, %r, -1;
//      @%p bra L;
//   bar.sync 0
//
// The word at the number of a round is a flag of its own (grid_barrier.h),
// which the last to add in that round sets. Each CTA is judged by itself, as
// one that finds each round over when it asks. That it asks so that it finds
// it, and not before, whoever has added by then, its guide shows
// (machine::Counting), if
//
// * one thread adds, once in a round, and in the next one only behind all
//   threads of its CTA that ask in this one;
// * who asks comes behind that thread.
//
// So no CTA adds in a round before all have in the one before, and nobody asks
// for one that is over for longer than until the end of the next. That is shown
// of the order of each CTA's run (program/release_acquire.h).
//
// Of compiled code only, which says what the words are.
#ifndef TILESIM_CHECKERS_RUN_GRID_ROUNDS_H_
#define TILESIM_CHECKERS_RUN_GRID_ROUNDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "checkers/run/flags.h"
#include "checkers/run/words_used.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::run {

struct Log;

// `decl`, as such words; from now on runs count its rounds. nullopt: it is
// none.
std::optional<Flags> GridRoundsIn(const machine::Code& code, int32_t decl);
bool AreInRounds(const Flags& flags);
bool HaveRounds(const std::vector<Flags>& flags);
// How many CTAs add to a word that is set by all, in rounds or once.
int64_t AddersOf(const Flags& flags);
// Whether runs of all CTAs have shown what they must (RoundsHold).
bool RoundsHold(const machine::Code& code, const std::vector<Flags>& flags);

// What words are at first, where all others have added so often; in any round.
int64_t RoundsOver(int64_t times);
int64_t AllRoundsOver();

// The word of each event that adds to one, or asks for it: the n-th round of a
// word is AtTurn(word, n).
std::map<int32_t, GlobalWord> RoundWordsIn(const Log& log);

// Of the word of a round.
GlobalWord RoundBefore(const GlobalWord& word);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_GRID_ROUNDS_H_
