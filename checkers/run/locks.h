// Locks: words of global memory that are 0 at first, and of which one CTA at a
// time has put a number where 0 was, until it puts 0 there again.
//
//   L: atom.acquire.gpu.cas %r, [Lock], 0, 1;     // takes it
//      setp.ne %p, %r, 0;
//      @%p bra L;
//   ...                                           // holds it
//   st.release.gpu [Lock], 0;                     // puts it back
//
// What a CTA does from when it takes a lock until it puts it back is a section.
// Each CTA is judged by itself, as one that takes each lock at once. How often
// it tries in vain before decides nothing if the loop does nothing else; else
// it is run with 0, 1 and 2 tries in vain (ptx/flow/locks.h).
//
// That one CTA alone holds a lock is shown of what all do (program/
// lock_order.h). So sections of one word come one after the other, in any
// order, and what words that CTAs touch in sections alone may be when one
// begins, is what they were at first, or what a section has left there: the CTA
// is judged with each of these.
//
// Of compiled code only, which says what the words are (machine::Counting).
#ifndef TILESIM_CHECKERS_RUN_LOCKS_H_
#define TILESIM_CHECKERS_RUN_LOCKS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkers/run/environment.h"
#include "checkers/run/flags.h"
#include "checkers/run/words_used.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::run {

struct Log;

// Whether these are locks, or words that CTAs touch in sections alone, or
// neither.
bool AreLocks(const Flags& flags);
bool AreGuarded(const Flags& flags);
bool HaveLocks(const std::vector<Flags>& flags);

// Whether some op tries to take a word of it.
bool IsTriedFor(const machine::Code& code, int32_t decl);
// `decl`, as locks; from now on runs may try in vain. nullopt: it is none.
std::optional<Flags> LocksIn(const machine::Code& code, int32_t decl);
// `decl`, as words that are 0 when a section begins.
Flags GuardedIn(int32_t decl);

// What words of theirs are when the CTA begins.
int64_t AtFirst(const Flags& flags);
// Whether the CTA finds words, that CTAs touch in sections alone, to be what
// some section has left there.
bool FindsWordsLeft(const std::vector<Flags>& flags);

// Every way in which a CTA may find them, or semaphores.
struct LockStates {
  std::vector<std::vector<Flags>> each;
  std::string open;  // why there may be more
};
LockStates LockStatesOf(const machine::Code& code,
                        const std::vector<Flags>& flags,
                        const std::vector<int64_t>& clusters,
                        const Environment& draw, int64_t max_events);

// An event that takes a lock or puts it back. The n-th section of a word is
// AtTurn(word, n); that of who puts back what it has not taken, is kNoTurn.
struct LockUse {
  GlobalWord word;
  bool takes = false;
};
std::map<int32_t, LockUse> LockUsesIn(const Log& log);

// Whether threads that meet in a loop that tries, meet only with others that do
// so there.
bool MeetInRounds(const Log& log);
// Likewise, those that meet at these ops.
bool MeetInside(const Log& log, const std::set<int32_t>& meets);

// "`count` is 1": what words are that CTAs touch in sections alone; "": there
// are none.
std::string TextOfGuarded(const std::vector<Flags>& flags,
                          const ir::Kernel& kernel);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_LOCKS_H_
