// Semaphores: words of global memory that are 0 at first, and of which each CTA
// waits for its turn, a number, and then puts the next one there.
//
//   L: ld.acquire.gpu %r, [Turn];
//      setp.ne %p, %r, %ctaid.z;
//      @%p bra L;
//   ...
//   st.release.gpu [Turn], %ctaid.z + 1;
//
// Each number of a word is a flag of its own: it is set by one CTA, and by
// nobody else. That who waits for one finds it, is shown between the CTAs
// (program/flag_graph.h): who sets the next has waited for the one before, and
// nobody else waits for that. So the word is what is waited for from when it is
// set until who waits for it has seen it. How often it has asked in vain before
// decides nothing (ptx/flow/turns.h).
//
// CTAs of one cluster, which are run together, are one of these: no two of them
// may use one word.
//
// Or all threads of a CTA go round, and meet in each round: then it is run with
// 0, 1 and 2 rounds in vain (ptx/flow/alike_rounds.h).
//
// Of compiled code only, which says what the words are (machine::Counting).
#ifndef TILESIM_CHECKERS_RUN_TURNS_H_
#define TILESIM_CHECKERS_RUN_TURNS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "checkers/run/flags.h"
#include "checkers/run/words_used.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::run {

struct Log;

// The word is put back to 0 at last; it is not known what it becomes.
inline constexpr int64_t kPutBack = (int64_t{1} << 32) + 1;
inline constexpr int64_t kNoTurn = (int64_t{1} << 32) + 2;

// Whether all that the op does is strong in the grid, and it does something.
bool AllStrong(const machine::CompiledOp& op);

// A word at a number of it, as a word of its own; both halves of that.
GlobalWord AtTurn(const GlobalWord& word, int64_t turn);
int64_t TurnOf(const GlobalWord& word);
GlobalWord WithoutTurn(const GlobalWord& word);

// Whether these are semaphores. Of a run they know its cluster.
bool AreInTurn(const Flags& flags);
bool WaitInTurn(const std::vector<Flags>& flags);
void SetCluster(int64_t cluster, Flags& flags);

// Of those that are asked for in rounds: how often in vain, of each way to find
// them, and what they are at first. Else one way, and 0.
bool AskInRounds(const std::vector<Flags>& flags);
std::vector<int64_t> WaysToFind(const Flags& turns);
int64_t TurnsAtFirst(const Flags& turns);
// Events that ask in vain, of a run with as many rounds as its flags say.
std::set<int32_t> AskedInVain(const Log& log);
// Whether one thread asks where there are rounds, goes round if that was in
// vain, and meets only with others that are in the loop.
bool GoRoundInVain(const Log& log);

// `decl`, as such words; from now on runs find their turn. nullopt: it is none.
std::optional<Flags> TurnsIn(const machine::Code& code, int32_t decl);

// What the op of a run makes of the word, or has waited for it to be; nullopt:
// nothing, it has asked in vain.
std::optional<int64_t> TurnAt(const machine::Code& code, const Flags& flags,
                              int32_t op, const GlobalWord& word);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_TURNS_H_
