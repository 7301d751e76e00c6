#include "checkers/program/flag_graph.h"

#include <algorithm>
#include <set>

#include "checkers/report/names.h"
#include "checkers/run/grid_rounds.h"
#include "checkers/run/turns.h"
#include "ir/cat.h"

namespace tilesim::checkers::program {
using report::ElementOf;
using report::Finding;
using report::Findings;
using report::MnemonicOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::GlobalWord;
using run::GlobalWords;
using run::Log;

FlagGraph::Text FlagGraph::TextOf(const Log& log, int64_t cluster,
                                  const GlobalWord& word, int32_t event) {
  const Event& e = log.events[event];
  const bool in_turn = std::any_of(
      log.flags.begin(), log.flags.end(),
      [&](const run::Flags& f) { return AreInTurn(f) && f.decl == word.decl; });
  const bool rounds =
      std::any_of(log.flags.begin(), log.flags.end(), [&](const run::Flags& f) {
        return run::AreInRounds(f) && f.decl == word.decl;
      });
  std::string name =
      ElementOf(*log.code, in_turn || rounds ? run::WithoutTurn(word) : word);
  if (rounds) ir::Append(&name, " in round ", run::TurnOf(word));
  const int64_t turn = in_turn ? run::TurnOf(word) : 0;
  if (in_turn && turn < run::kPutBack) ir::Append(&name, " to be ", turn);
  return {cluster, std::move(name), WhoOf(log, e), MnemonicOf(e), SpanOf(e)};
}

namespace {

// That are remembered: 128 MB.
constexpr size_t kMostToldBits = size_t{1} << 30;

bool SetAlike(const FlagSet& a, const FlagSet& b) {
  return a.alone == b.alone && a.acquired == b.acquired &&
         a.acquired_before_fence_sc == b.acquired_before_fence_sc &&
         a.needs == b.needs && a.after_all == b.after_all;
}

}  // namespace

void FlagGraph::Add(const Log& log, int64_t cluster,
                    const ReleaseAcquire& words) {
  known_ = {};
  // Runs of one cluster that ask in vain more or less often set the same flags,
  // or it is told that they do not.
  const bool known = AskInRounds(log.flags) && !added_.insert(cluster).second;
  for (const FlagSet& set : words.sets) {
    std::vector<Set>& all = sets_[set.word];
    const bool same = std::any_of(all.begin(), all.end(), [&](const Set& s) {
      return s.text.cluster == cluster && SetAlike(s, set);
    });
    if (!known || !same)
      all.push_back({set, TextOf(log, cluster, set.word, set.event)});
  }
  for (const auto& [word, event] : words.waits) {
    waits_.try_emplace(word, TextOf(log, cluster, word, event));
    waiting_[word].insert(cluster);
  }
  if (!words.out_of_round.empty() && out_of_round_.empty()) {
    const GlobalWord& word = *words.out_of_round.begin();
    out_of_round_ = ElementOf(*log.code, run::WithoutTurn(word));
  }
  for (const run::Flags& f : log.flags) {
    if (f.by_all) by_all_.emplace(f.decl, run::AddersOf(f));
    if (AreInTurn(f)) in_turn_.insert(f.decl);
  }
}

bool FlagGraph::SetOnce(const GlobalWord& word) const {
  auto found = sets_.find(word);
  if (found == sets_.end()) return false;
  auto all = by_all_.find(word.decl);
  const int64_t sets = all == by_all_.end() ? 1 : all->second;
  return std::ssize(found->second) == sets &&
         std::all_of(found->second.begin(), found->second.end(),
                     [](const Set& set) { return set.alone; });
}

int FlagGraph::IdOf(const SyncWord& word) const {
  auto [id, first] =
      known_.ids.try_emplace(word, static_cast<int>(std::ssize(known_.words)));
  if (first) known_.words.push_back({word, false, false, {}});
  return id->second;
}

// With what sets it.
const FlagGraph::Word& FlagGraph::WordOf(int id) const {
  const SyncWord word = known_.words[id].word;
  auto sets = sets_.find(word.word);
  if (sets == sets_.end() || known_.words[id].set) return known_.words[id];
  std::set<int> before;
  for (const Set& set : sets->second) {
    for (const SyncWord& w : set.Before(word.by_fence_sc))
      before.insert(IdOf(w));
  }
  Word& out = known_.words[id];
  out.set = true;
  out.once = SetOnce(word.word);
  out.before.assign(before.begin(), before.end());
  return out;
}

// Words whose releases come before what comes after one was acquired. What is
// known of another that is come to is taken over: it is all that is reached
// from there.
const FlagGraph::Ids& FlagGraph::ToldBy(int acquired, bool surely) const {
  auto found = known_.told.find({acquired, surely});
  if (found != known_.told.end()) return found->second;
  Ids out;
  std::vector<bool> seen(known_.words.size());
  for (std::vector<int> todo{acquired}; !todo.empty();) {
    const int id = todo.back();
    todo.pop_back();
    if (out.Has(id)) continue;
    auto known = known_.told.find({id, surely});
    if (known != known_.told.end()) {
      out.AddAll(known->second);
      continue;
    }
    const Word& word = WordOf(id);
    if (!word.set || (surely && !word.once)) continue;
    out.Add(id);
    seen.resize(known_.words.size());
    for (int before : word.before) {
      if (!seen[before]) todo.push_back(before);
      seen[before] = true;
    }
  }
  if (known_.told_bits + known_.words.size() > kMostToldBits) {
    known_.told.clear();
    known_.told_bits = 0;
  }
  known_.told_bits += known_.words.size();
  return known_.told[{acquired, surely}] = std::move(out);
}

bool FlagGraph::Tells(const SyncWords& acquired,
                      const SyncWords& released) const {
  if (known_.asked != acquired) {
    known_.told_asked = {};
    for (const SyncWord& word : acquired)
      known_.told_asked.AddAll(ToldBy(IdOf(word), true));
    known_.asked = acquired;
  }
  return std::any_of(released.begin(), released.end(), [&](const SyncWord& w) {
    return known_.told_asked.Has(IdOf(w));
  });
}

bool FlagGraph::MayTell(const SyncWord& acquired,
                        const SyncWord& released) const {
  const int id = IdOf(acquired);
  return ToldBy(id, false).Has(IdOf(released));
}

bool FlagGraph::Followed(const SyncWord& acquired) const {
  auto [known, first] = known_.followed.try_emplace(IdOf(acquired), false);
  if (first) known->second = IsFollowed(known->first);
  return known->second;
}

bool FlagGraph::IsFollowed(int acquired) const {
  const Ids told = ToldBy(acquired, false);
  if (!told.Has(acquired)) return false;
  const int words = static_cast<int>(std::ssize(known_.words));
  for (int id = 0; id < words; ++id) {
    if (!told.Has(id)) continue;
    const std::vector<int>& before = WordOf(id).before;
    if (!std::all_of(before.begin(), before.end(),
                     [&](int w) { return told.Has(w); }))
      return false;
  }
  return true;
}

GlobalWords FlagGraph::WaitedForWithout(const GlobalWords& come) const {
  GlobalWords out;
  for (const auto& [word, wait] : waits_) {
    if (come.count(word) == 0) out.insert(word);
  }
  return out;
}

// Sets of which each comes after waiting for the next one's word, from a word
// that is on the way to a cycle, once around.
std::vector<const FlagGraph::Set*> FlagGraph::CycleFrom(
    const GlobalWord& word, const GlobalWords& never) const {
  std::vector<const Set*> way;
  std::map<GlobalWord, size_t> at;
  for (GlobalWord now = word; at.try_emplace(now, way.size()).second;) {
    auto sets = sets_.find(now);
    if (sets == sets_.end()) return {};  // it ends at one that nobody sets
    const Set& set = sets->second[0];
    way.push_back(&set);
    auto next = std::find_if(
        set.needs.begin(), set.needs.end(),
        [&](const GlobalWord& need) { return never.count(need) != 0; });
    // It waits for something else that one of them holds up.
    if (next == set.needs.end()) return {};
    now = *next;
    if (at.count(now) != 0) {
      way.erase(way.begin(), way.begin() + static_cast<ptrdiff_t>(at[now]));
      return way;
    }
  }
  return way;
}

void FlagGraph::TellCycle(const std::vector<const Set*>& cycle,
                          ir::Diagnostic& d) const {
  std::string once_around;
  const auto label = [&d](const Text& at, std::string_view what) {
    const bool told =
        at.span.line == d.span.line ||
        std::any_of(d.labels.begin(), d.labels.end(), [&](const ir::Label& l) {
          return l.span.line == at.span.line;
        });
    if (!told)
      d.labels.push_back({at.span, ir::Cat(at.who, ": ", at.mnemonic, what)});
  };
  for (const Set* set : cycle) {
    ir::Append(&once_around, once_around.empty() ? "" : ", then ",
               set->text.name, " of cluster ", set->text.cluster);
    label(waits_.at(set->word), ", waits as well");
    label(set->text, ", after the wait");
  }
  if (!cycle.empty())
    d.notes.push_back(ir::Cat(
        "each waits for the next, the last for the first: ", once_around));
}

// One mistake: the same lines that wait for each other, of whichever CTAs, and
// who only waits for one of them.
std::string FlagGraph::KeyOf(const GlobalWord& word,
                             const std::vector<const Set*>& cycle) const {
  std::set<std::string> waits;
  for (const Set* set : cycle)
    waits.insert(ir::Cat(set->word.decl, " ", waits_.at(set->word).span.line));
  if (cycle.empty())
    waits.insert(ir::Cat(word.decl, " ", waits_.at(word).span.line));
  std::string key = "flag";
  for (const std::string& wait : waits) ir::Append(&key, " ", wait);
  return key;
}

void FlagGraph::Report(const GlobalWords& all, Findings& findings) const {
  for (const GlobalWord& word : all) {
    bool never = sets_.count(word) == 0;
    const std::vector<const Set*> cycle =
        never ? std::vector<const Set*>() : CycleFrom(word, all);
    const bool in_cycle =
        std::any_of(cycle.begin(), cycle.end(),
                    [&](const Set* set) { return set->word == word; });
    const Wait& wait =
        waits_.at(cycle.empty() || in_cycle ? word : cycle.front()->word);
    Finding* found = findings.Add(
        never ? ir::Code("deadlock/missing-arrival") : "deadlock/cycle",
        KeyOf(word, cycle));
    if (found == nullptr) continue;
    ir::Diagnostic& d = found->diagnostic;
    d.message =
        ir::Cat("cluster ", wait.cluster, " waits for ", wait.name,
                never ? ", which nobody sets"
                      : ", which is only set by those who wait for each other");
    d.span = wait.span;
    d.span_text = ir::Cat(wait.who, ": ", wait.mnemonic);
    d.help = never
                 ? "let some CTA set each flag that is waited for"
                 : "let each CTA set its flag before it waits for others', or "
                   "wait in one direction only";
    TellCycle(cycle, d);
  }
}

}  // namespace tilesim::checkers::program
