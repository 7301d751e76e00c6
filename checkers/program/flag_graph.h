// Flags of a whole grid: who sets them, after waiting for which others.
#ifndef TILESIM_CHECKERS_PROGRAM_FLAG_GRAPH_H_
#define TILESIM_CHECKERS_PROGRAM_FLAG_GRAPH_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/program/release_acquire.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::program {

class FlagGraph {
 public:
  // The words of one cluster's run.
  void Add(const run::Log& log, int64_t cluster, const ReleaseAcquire& words);

  // Whether somebody who has acquired the ones comes after what was released by
  // one of the others: it is one of them, or was acquired before one of them
  // was released.
  bool Tells(const SyncWords& acquired, const SyncWords& released) const;
  // ... if it was the right one of several sets of a flag that was seen.
  bool MayTell(const SyncWord& acquired, const SyncWord& released) const;

  // Whether somebody is known to set the flag, and those that were acquired
  // before, and so on.
  bool Followed(const SyncWord& acquired) const;

  // Whether there are semaphores (run/turns.h); all of them are, then.
  bool WaitInTurn() const { return !in_turn_.empty(); }
  bool IsInTurn(int32_t decl) const { return in_turn_.contains(decl); }
  // Their numbers that come, from 0 on.
  run::GlobalWords TurnsThatCome() const;
  // Whether who waits for a number of one finds it: who sets the next has
  // waited for the one before, in every schedule, and nobody else waits for
  // that. ""; else a word of which that was not shown.
  std::string TurnsNotShown() const;
  // Whether CTAs add to and ask for words of barriers of the grid in order
  // (run/ grid_rounds.h). ""; else a word of which that was not shown.
  const std::string& RoundsNotShown() const { return out_of_round_; }

  // Flags that are waited for and do not come: that nobody sets, or only those
  // who wait for each other.
  run::GlobalWords WaitedForWithout(const run::GlobalWords& come) const;
  void Report(const run::GlobalWords& never, report::Findings& findings) const;

 private:
  // What a cluster does to a flag, as it is told.
  struct Text {
    int64_t cluster = 0;
    std::string name, who;
    std::string_view mnemonic;
    ir::Span span;
  };
  struct Set : FlagSet {
    Text text;
  };
  using Wait = Text;  // the first of each word

  static Text TextOf(const run::Log& log, int64_t cluster,
                     const run::GlobalWord& word, int32_t event);
  // Which of several sets of a flag was seen, nobody can say; of a barrier's
  // word all of them were.
  bool SetOnce(const run::GlobalWord& word) const;

  // Words by number, as they are come to.
  class Ids {
   public:
    bool Has(int id) const {
      const size_t at = static_cast<size_t>(id) / 64;
      return at < bits_.size() && (bits_[at] >> (id % 64) & 1) != 0;
    }
    void Add(int id) {
      const size_t at = static_cast<size_t>(id) / 64;
      if (at >= bits_.size()) bits_.resize(at + 1);
      bits_[at] |= uint64_t{1} << (id % 64);
    }
    void AddAll(const Ids& others) {
      bits_.resize(std::max(bits_.size(), others.bits_.size()));
      for (size_t i = 0; i < others.bits_.size(); ++i)
        bits_[i] |= others.bits_[i];
    }

   private:
    std::vector<uint64_t> bits_;
  };
  struct Word {
    SyncWord word;
    bool set = false, once = false;  // by somebody that is known; SetOnce
    std::vector<int> before;         // acquired before it is set
  };
  int IdOf(const SyncWord& word) const;
  const Word& WordOf(int id) const;
  const Ids& ToldBy(int acquired, bool surely) const;
  bool IsFollowed(int acquired) const;
  std::vector<const Set*> CycleFrom(const run::GlobalWord& word,
                                    const run::GlobalWords& never) const;
  void TellCycle(const std::vector<const Set*>& cycle,
                 ir::Diagnostic& diagnostic) const;
  std::string KeyOf(const run::GlobalWord& word,
                    const std::vector<const Set*>& cycle) const;

  std::map<run::GlobalWord, std::vector<Set>> sets_;
  std::set<int64_t> added_;  // clusters
  std::map<run::GlobalWord, Wait> waits_;
  std::map<int32_t, int64_t> by_all_;  // declarations, and who adds to each
  std::set<int32_t> in_turn_;          // declarations
  std::map<run::GlobalWord, std::set<int64_t>> waiting_;  // clusters

  // What was worked out of the above: it is asked for each pair of accesses.
  // Nothing of it outlives an Add.
  struct Known {
    std::map<SyncWord, int> ids;
    std::vector<Word> words;
    std::map<std::pair<int, bool>, Ids> told;
    size_t told_bits = 0;  // of all of them
    std::map<int, bool> followed;
    // Of whom was asked last: one access beside many others.
    SyncWords asked;
    Ids told_asked;
  };
  mutable Known known_;
  std::string out_of_round_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_FLAG_GRAPH_H_
