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
  // the other: it is the same, or was acquired before that was set.
  bool Tells(const GlobalWord& acquired, const GlobalWord& released) const;
  // Which of several sets of a flag was seen, nobody can say.
  bool SetOnce(const GlobalWord& word) const;

  // Flags that are waited for and never set, or only after each other.
  GlobalWords NeverSet() const;
  void Report(Findings& findings) const;

 private:
  // The first wait of each word, as it is told.
  struct Wait {
    int64_t cluster = 0;
    std::string name, who;
    std::string_view mnemonic;
    ir::Span span;
  };

  GlobalWords Settable() const;

  std::map<GlobalWord, std::vector<FlagSet>> sets_;
  std::map<GlobalWord, Wait> waits_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_FLAG_GRAPH_H_
