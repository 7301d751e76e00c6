#include "checkers/program/lock_order.h"

#include <algorithm>

#include "checkers/report/names.h"
#include "checkers/run/locks.h"
#include "checkers/run/turns.h"
#include "ir/cat.h"

namespace tilesim::checkers::program {
using report::ElementOf;
using run::GlobalWord;
using run::Log;

namespace {

constexpr std::string_view kHow =
    ": a lock is followed where one thread takes it and, after that, one puts "
    "it back, and a CTA holds one at a time";

}  // namespace

void LockOrder::Add(const Log& log, int64_t cluster,
                    const ReleaseAcquire& words) {
  for (const run::Flags& f : log.flags) {
    if (AreLocks(f)) locks_.insert(f.decl);
    if (AreGuarded(f)) guarded_.insert(f.decl);
  }
  if (locks_.empty()) return;
  auto line = [&](int32_t event) {
    return report::SpanOf(log.events[event]).line;
  };
  if (words.stray >= 0)
    open_.insert(ir::Cat("line ", line(words.stray),
                         " puts a lock back that the CTA does not hold, or "
                         "takes one that it holds",
                         kHow));
  if (!run::MeetInRounds(log))
    open_.insert(
        "threads that try to take a lock in a loop with a barrier meet others "
        "there that are not in the loop: how often they do was not followed");
  for (const LockSection& s : words.sections) {
    const run::Event& take = log.events[s.take];
    const GlobalWord word = run::WithoutTurn(s.word);
    Section section{s,
                    cluster,
                    ElementOf(*log.code, word),
                    report::WhoOf(log, take),
                    report::SpanOf(take),
                    report::MnemonicOf(take)};
    if (s.put_back >= 0 && !s.one_by_one)
      open_.insert(
          ir::Cat("several threads take the lock of line ", line(s.take),
                  " or put it back (line ", line(s.put_back),
                  "), or nothing orders who does after who takes it", kHow));
    if (s.put_back >= 0 && !s.apart)
      open_.insert(ir::Cat("the lock of line ", line(s.take),
                           " is taken while the CTA holds one", kHow));
    if (!s.hands_on) not_handed_on_.insert(word);
    std::vector<Section>& all = sections_[word];
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const Section& other) {
          return other.cluster == cluster && other.word == s.word &&
                 (other.put_back < 0) == (s.put_back < 0);
        });
    if (!known) all.push_back(std::move(section));
  }
}

SyncWords LockOrder::Holds(const SyncWords& acquired,
                           const SyncWords& released) const {
  SyncWords out;
  for (const SyncWord& word : acquired) {
    if (IsLock(word.word.decl) && released.contains(word)) out.insert(word);
  }
  return out;
}

bool LockOrder::Share(const SyncWords& a, const SyncWords& b,
                      const std::set<GlobalWord>& but) {
  return std::any_of(a.begin(), a.end(), [&](const SyncWord& x) {
    const GlobalWord word = run::WithoutTurn(x.word);
    return (x.by_fence_sc || !but.contains(word)) &&
           std::any_of(b.begin(), b.end(), [&](const SyncWord& y) {
             return x.by_fence_sc == y.by_fence_sc &&
                    run::WithoutTurn(y.word) == word;
           });
  });
}

bool LockOrder::Apart(const SyncWords& a, const SyncWords& b) const {
  return Share(a, b, not_handed_on_);
}

bool LockOrder::MayBeApart(const SyncWords& a, const SyncWords& b) const {
  return Share(a, b, {});
}

std::set<int64_t> LockOrder::TakersOf(const SyncWords& holds) const {
  std::set<int64_t> out;
  for (const SyncWord& word : holds) {
    auto all = sections_.find(run::WithoutTurn(word.word));
    if (all == sections_.end()) continue;
    for (const Section& s : all->second) out.insert(s.cluster);
  }
  return out;
}

bool LockOrder::Judge(report::Findings& findings,
                      std::set<std::string>& open) const {
  for (const auto& [word, all] : sections_) {
    const auto kept =
        std::find_if(all.begin(), all.end(),
                     [](const Section& s) { return s.put_back < 0; });
    if (kept == all.end()) continue;
    // Whoever takes it after that waits for ever; the CTA itself, as well.
    const auto other = std::find_if(
        all.begin(), all.end(),
        [&](const Section& s) { return s.cluster != kept->cluster; });
    if (other == all.end()) continue;
    const bool at_times =
        std::any_of(all.begin(), all.end(), [&](const Section& s) {
          return s.cluster == kept->cluster && s.word == kept->word &&
                 s.put_back >= 0;
        });
    if (at_times) {
      open.insert(ir::Cat("whether the lock of line ", kept->span.line,
                          " is put back depends on words that it guards"));
      continue;
    }
    report::Finding* found =
        findings.Add("deadlock/missing-arrival",
                     ir::Cat("lock ", word.decl, " ", kept->span.line));
    if (found == nullptr) continue;
    ir::Diagnostic& d = found->diagnostic;
    d.message = ir::Cat("cluster ", kept->cluster, " takes the lock ",
                        kept->name, " and does not put it back: cluster ",
                        other->cluster, " waits for it for ever");
    d.span = kept->span;
    d.span_text = ir::Cat(kept->who, ": ", kept->mnemonic);
    if (other->span.line != kept->span.line)
      d.labels.push_back(
          {other->span, ir::Cat(other->who, ": ", other->mnemonic)});
    d.help = "let who takes a lock put it back, whatever else it does";
  }
  open.insert(open_.begin(), open_.end());
  return open_.empty();
}

}  // namespace tilesim::checkers::program
