#include "checkers/checks/flag_graph.h"

#include <algorithm>

#include "checkers/checks/names.h"
#include "ir/cat.h"

namespace tilesim::checkers {

void FlagGraph::Add(const Log& log, int64_t cluster, const HandedOver& words) {
  for (const FlagSet& set : words.sets) sets_[set.word].push_back(set);
  for (const auto& [word, event] : words.waits) {
    const Event& e = log.events[event];
    waits_.try_emplace(word,
                       Wait{cluster, ElementOf(*log.code, word), WhoOf(log, e),
                            MnemonicOf(e), SpanOf(e)});
  }
}

bool FlagGraph::SetOnce(const GlobalWord& word) const {
  auto found = sets_.find(word);
  return found != sets_.end() && found->second.size() == 1 &&
         found->second[0].alone;
}

bool FlagGraph::Tells(const GlobalWord& acquired,
                      const GlobalWord& released) const {
  GlobalWords seen{acquired};
  for (std::vector<GlobalWord> todo{acquired}; !todo.empty();) {
    GlobalWord word = todo.back();
    todo.pop_back();
    if (!SetOnce(word)) continue;
    if (word == released) return true;
    for (const GlobalWord& before : sets_.at(word)[0].acquired) {
      if (seen.insert(before).second) todo.push_back(before);
    }
  }
  return false;
}

// Those that are set whatever the schedule.
GlobalWords FlagGraph::Settable() const {
  GlobalWords out;
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [word, sets] : sets_) {
      bool set = std::any_of(sets.begin(), sets.end(), [&](const FlagSet& s) {
        return std::includes(out.begin(), out.end(), s.needs.begin(),
                             s.needs.end());
      });
      grown |= set && out.insert(word).second;
    }
  }
  return out;
}

GlobalWords FlagGraph::NeverSet() const {
  GlobalWords out, settable = Settable();
  for (const auto& [word, wait] : waits_) {
    if (settable.count(word) == 0) out.insert(word);
  }
  return out;
}

void FlagGraph::Report(Findings& findings) const {
  for (const GlobalWord& word : NeverSet()) {
    const Wait& wait = waits_.at(word);
    bool never = sets_.count(word) == 0;
    Found* found =
        findings.Add(never ? "deadlock/missing-arrival" : "deadlock/cycle",
                     ir::Cat("flag ", word.decl, " ", wait.span.line));
    if (found == nullptr) continue;
    ir::Diagnostic& d = found->diagnostic;
    d.message = never ? ir::Cat("cluster ", wait.cluster, " waits for ",
                                wait.name, ", which nobody sets")
                      : ir::Cat("cluster ", wait.cluster, " waits for ",
                                wait.name, ", which is only set by those who "
                                           "wait for each other");
    d.span = wait.span;
    d.span_text = ir::Cat(wait.who, ": ", wait.mnemonic);
    d.help = never ? "let some CTA set each flag that is waited for"
                   : "let each CTA set its flag before it waits for others', or "
                     "wait in one direction only";
  }
}

}  // namespace tilesim::checkers
