// Flags of a whole grid: who sets them, after waiting for which others.
#ifndef TILESIM_CHECKERS_CHECKS_FLAG_GRAPH_H_
#define TILESIM_CHECKERS_CHECKS_FLAG_GRAPH_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checkers/checks/findings.h"
#include "checkers/checks/handed_over.h"

namespace tilesim::checkers {

class FlagGraph {
 public:
  // The words of one cluster's run.
  void Add(const Log& log, int64_t cluster, const HandedOver& words);

  // Whether somebody who has acquired the one comes after what was released by
  // the other: it is the same, or was acquired before that was released.
  bool Tells(const GlobalWord& acquired, const GlobalWord& released) const;
  // ... if it was the right one of several sets of a flag that was seen.
  bool MayTell(const GlobalWord& acquired, const GlobalWord& released) const;

  // Flags that are waited for and do not come: that nobody sets, or only those
  // who wait for each other.
  GlobalWords WaitedForWithout(const GlobalWords& come) const;
  void Report(const GlobalWords& never, Findings& findings) const;

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

  static Text TextOf(const Log& log, int64_t cluster, const GlobalWord& word,
                     int32_t event);
  // Which of several sets of a flag was seen, nobody can say.
  bool SetOnce(const GlobalWord& word) const;
  GlobalWords ToldBy(const GlobalWord& acquired, bool surely) const;
  std::vector<const Set*> CycleFrom(const GlobalWord& word,
                                    const GlobalWords& never) const;
  void TellCycle(const GlobalWord& word, const GlobalWords& never,
                 ir::Diagnostic& diagnostic) const;

  std::map<GlobalWord, std::vector<Set>> sets_;
  std::map<GlobalWord, Wait> waits_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_FLAG_GRAPH_H_
