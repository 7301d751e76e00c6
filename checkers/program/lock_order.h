// The order that locks make (run/locks.h): sections of one word, of which each
// is over before the next begins.
//
// Let each section begin with one thread that takes the word, and end with one
// that puts it back and comes after the first, in every schedule; let those of
// one CTA be one after the other. Who takes a word finds 0, and puts a number
// there in one step. Go through the writes of a word in the order that it sees
// them: those that take it less those that put it back are 0 or 1, and 1 just
// while it is not 0. At first both are 0. Who puts it back has taken it, so
// there was 1, and is 0; who takes it finds the 0 that was there at first or
// was put back last. So one CTA at a time is between the two, and who takes a
// word reads from who has put it back last.
//
// What comes in a section is released by who puts the word back, and behind
// what who takes it acquires. So of two such accesses one comes before the
// other, whichever section is first: from section to section, if each hands on
// what it has acquired. By fences.sc (release_acquire.h) it need not: were the
// fence of a later section before that of an earlier one, who takes the word
// later would come before it is put back, and read what is there after.
//
// A CTA that holds a lock waits for no other: it takes one at a time, and all
// other words by which CTAs talk are touched in sections alone. So each is put
// back, and who tries again gets it.
#ifndef TILESIM_CHECKERS_PROGRAM_LOCK_ORDER_H_
#define TILESIM_CHECKERS_PROGRAM_LOCK_ORDER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/program/release_acquire.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::program {

class LockOrder {
 public:
  // The words of one cluster's run.
  void Add(const run::Log& log, int64_t cluster, const ReleaseAcquire& words);

  bool HasLocks() const { return !locks_.empty(); }
  bool IsLock(int32_t decl) const { return locks_.contains(decl); }
  // Words that CTAs touch in sections alone, or the verdict is open.
  bool IsGuarded(int32_t decl) const { return guarded_.contains(decl); }

  // Of what comes after those were acquired and before they were released: the
  // locks that it is in a section of.
  SyncWords Holds(const SyncWords& acquired, const SyncWords& released) const;
  // Whether one of two accesses that hold these comes before the other.
  bool Apart(const SyncWords& a, const SyncWords& b) const;
  // ... if each section handed on what it acquired.
  bool MayBeApart(const SyncWords& a, const SyncWords& b) const;

  // Clusters that take a lock of these.
  std::set<int64_t> TakersOf(const SyncWords& holds) const;

  // Whether sections are as above; why not goes into `open`. A lock that is not
  // put back, and that others take, is a finding.
  bool Judge(report::Findings& findings, std::set<std::string>& open) const;

 private:
  struct Section : LockSection {
    int64_t cluster = 0;
    std::string name, who;
    ir::Span span;
    std::string_view mnemonic;
  };
  static bool Share(const SyncWords& a, const SyncWords& b,
                    const std::set<run::GlobalWord>& but);

  std::set<int32_t> locks_, guarded_;  // declarations
  std::map<run::GlobalWord, std::vector<Section>> sections_;
  std::set<run::GlobalWord> not_handed_on_;
  std::set<std::string> open_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_LOCK_ORDER_H_
