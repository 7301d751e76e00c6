// What a guide says of words in which CTAs count (checkers/run/ticket.h,
// checkers/run/grid_barrier.h), as Guide says it of flags. A guide may be one
// of these as well.
#ifndef TILESIM_SIM_MACHINE_COUNTING_H_
#define TILESIM_SIM_MACHINE_COUNTING_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "sim/machine/code.h"
#include "sim/machine/guide.h"

namespace tilesim::machine {

class Counting {
 public:
  // Whether the op, which reads a word, is all there is in a loop that goes on
  // with each number from 0 on, and ends with `value`.
  virtual bool AsksUntilGrown(const CompiledOp& op, int64_t value) const = 0;
  // Up to which number the op counts, before the word is 0 again; nullopt: on
  // and on.
  virtual std::optional<int64_t> CountsUpTo(const CompiledOp& op) const = 0;
  // Whether all that the op does is to store 0 in one word.
  virtual bool StoresZero(const CompiledOp& op) const = 0;
  // How an op asks for a word, in a loop that goes on until the word is one
  // number, and does nothing else; or has asked before, and leaves the word as
  // it is.
  struct TurnAsks {
    // Threads meet in each round, at these ops; all that the loop has.
    bool rounds = false;
    std::vector<int32_t> meets, loop;
  };
  // `only`: the words are 0 or that.
  virtual std::optional<TurnAsks> AsksInTurn(
      const CompiledOp& op, std::optional<int64_t> only) const = 0;
  // Whether the op accesses one element of its declaration at a time.
  virtual bool IsOneElement(const CompiledOp& op) const = 0;
  // The number that the op puts into a word, whatever was there, and returns
  // nothing; kSeveral: not always one, or it adds to what was there.
  virtual std::optional<int64_t> Puts(const CompiledOp& op) const = 0;
  // From now on, of the words of that declaration: who has asked for one in
  // vain finds it to be what it asks for when it asks again. One that is
  // InVain(n) at first is asked for n times in vain, but for 0.
  virtual void TakeInTurn(int32_t decl, std::optional<int64_t> only) const = 0;
  static constexpr int64_t kInVain = 0x7ffe0000;
  static constexpr int64_t InVain(int64_t times) { return kInVain + times; }
  // What the op found that element to be when it went on, or has made of it, in
  // runs of that cluster; nullopt: neither.
  virtual std::optional<int64_t> TurnOf(const CompiledOp& op, int64_t cluster,
                                        int64_t element) const = 0;
  // ... or it was not one number, or several CTAs of the cluster use it.
  static constexpr int64_t kSeveral = INT64_MIN;

  // Words in which all CTAs count, again and again, and that they ask for in
  // between until all have (checkers/run/grid_rounds.h). Whether all that the
  // op does is to add to one; what that returns decides nothing but in loops
  // that ask for it.
  virtual bool AddsToRound(const CompiledOp& op) const = 0;
  // Whether the op reads such a word, and is all there is in a loop.
  virtual bool AsksForRound(const CompiledOp& op) const = 0;
  // From now on words of that declaration are. One that is RoundsOver(n) at
  // first is one to which all others add n times; who has added once more asks
  // in vain.
  virtual void CountsRounds(int32_t decl) const = 0;
  static constexpr int64_t kRounds = 0x7e000000;
  static constexpr int64_t kMostRounds = 0xfff;  // and how many these are
  static constexpr int64_t RoundsOver(int64_t n) { return kRounds + (n << 12); }
  // Whether runs of all CTAs have shown, of each of its words, that what they
  // add makes each loop that asks go on until all have, and end then.
  virtual bool RoundsHold(int32_t decl) const = 0;

  // How often words of memory have been changed by runs.
  virtual uint64_t changes() const = 0;

  // How an op takes a lock: it puts `held` where it finds 0, and is tried until
  // it does (checkers/run/locks.h).
  struct LockTry {
    int64_t held = 0;
    // The loop does more than to try: threads meet in each round, at these ops.
    bool rounds = false;
    std::vector<int32_t> meets;
  };
  virtual std::optional<LockTry> TriesLock(const CompiledOp& op) const = 0;
  // Whether all that the op does is to put 0 where TriesLock looks for it.
  virtual bool FreesLock(const CompiledOp& op) const = 0;
  // From now on words of that declaration are locks. One that is
  // HeldByOthers(n) is tried n times in vain whenever it is to be taken.
  virtual void AreLocks(int32_t decl) const = 0;
  static constexpr int64_t kHeldByOthers = 0x7fff0000;
  static constexpr int64_t kLeft = 16;  // of these the tries that are left
  static constexpr int64_t HeldByOthers(int64_t times) {
    return kHeldByOthers + times * kLeft + times;
  }
  // Numbers that runs have put into words of the declaration; nullopt: more
  // than are kept.
  virtual std::optional<std::set<int64_t>> Stored(int32_t decl) const = 0;

 protected:
  ~Counting() = default;
};

// nullptr: its guide says nothing of such words.
inline const Counting* CountingOf(const Code& code) {
  return dynamic_cast<const Counting*>(code.guide.get());
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_COUNTING_H_
