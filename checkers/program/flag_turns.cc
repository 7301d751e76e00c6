// Semaphores: each number of a word as a flag of its own (run/turns.h).
#include <algorithm>

#include "checkers/program/flag_graph.h"
#include "checkers/run/turns.h"

namespace tilesim::checkers::program {
using run::GlobalWord;
using run::GlobalWords;

GlobalWords FlagGraph::TurnsThatCome() const {
  GlobalWords come;
  for (const auto& [word, clusters] : waiting_) {
    if (in_turn_.contains(word.decl) && run::TurnOf(word) == 0)
      come.insert(word);
  }
  for (size_t before = come.size() + 1; before != come.size();) {
    before = come.size();
    for (const auto& [word, sets] : sets_) {
      if (!in_turn_.contains(word.decl)) continue;
      const bool comes = std::any_of(sets.begin(), sets.end(), [&](auto& set) {
        return std::includes(come.begin(), come.end(), set.needs.begin(),
                             set.needs.end());
      });
      if (comes) come.insert(word);
    }
  }
  return come;
}

namespace {

// Of one word: which number the one who sets another has waited for.
struct Next {
  int64_t cluster = 0;
  bool waited = false;
};

}  // namespace

std::string FlagGraph::TurnsNotShown() const {
  // By the number before, of each word.
  std::map<GlobalWord, Next> next;
  for (const auto& [word, sets] : sets_) {
    if (!in_turn_.contains(word.decl)) continue;
    const Set& set = sets.front();
    if (sets.size() != 1 || !set.alone || !set.after_all ||
        run::TurnOf(word) == run::kNoTurn)
      return set.text.name;
    GlobalWord from = run::WithoutTurn(word);
    Next then{set.text.cluster, false};
    for (const GlobalWord& need : set.needs) {
      if (!in_turn_.contains(need.decl) ||
          run::WithoutTurn(need) != run::WithoutTurn(word))
        continue;
      if (then.waited) return set.text.name;  // for several
      then.waited = true;
      from = need;
    }
    if (!next.emplace(from, then).second) return set.text.name;
  }
  for (const auto& [word, clusters] : waiting_) {
    if (!in_turn_.contains(word.decl)) continue;
    const auto then = next.find(word);
    const bool alone =
        then == next.end() ||
        (then->second.waited && clusters == std::set{then->second.cluster});
    if (!alone || run::TurnOf(word) == run::kNoTurn)
      return waits_.at(word).name;
  }
  return "";
}

}  // namespace tilesim::checkers::program
