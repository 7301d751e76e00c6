#include "checkers/pipeline/word_order.h"

#include <algorithm>
#include <utility>

#include "checkers/grid/reached.h"
#include "checkers/pipeline/awaited_in_turn.h"
#include "checkers/pipeline/step_epochs.h"
#include "checkers/program/global_uses.h"
#include "checkers/program/release_acquire.h"
#include "checkers/proof/condition.h"
#include "checkers/run/answers_read.h"
#include "checkers/run/flags.h"
#include "checkers/run/ticket.h"

namespace tilesim::checkers::pipeline {
using grid::AllSyncEdges;
using grid::Site;
using grid::SyncEdges;
using program::SyncWords;
using run::Event;
using run::GlobalWord;
using run::GlobalWords;

namespace {

// Of each declaration the one word of it; none where there are several, or may
// be with more steps.
std::map<int32_t, GlobalWord> OneEach(const GlobalWords& words,
                                      const std::vector<run::Flags>& flags) {
  std::map<int32_t, int> count;
  for (const GlobalWord& w : words) ++count[w.decl];
  std::map<int32_t, GlobalWord> out;
  for (const GlobalWord& w : words) {
    if (count[w.decl] == 1) out[w.decl] = w;
  }
  for (const run::Flags& f : flags) {
    if (f.steps) out.erase(f.decl);
  }
  return out;
}

// By ops that wait for flags the one word of each. Of a function that is called
// several times the text does not say which word.
struct WaitedFor {
  std::map<Site, GlobalWord> by_one;  // op
  // Words that several ops wait for: that such a word was seen does not tell by
  // which.
  std::map<Site, GlobalWord> by_several;

  // `each_time`: words of which all waits come before.
  void Add(const SyncWords& acquired, bool by_fence_sc,
           const GlobalWords& each_time, SyncEdges& out) const {
    for (const auto& [wait, word] : by_one) {
      if (acquired.count({word, by_fence_sc}) != 0) out.waits.insert(wait);
    }
    for (const auto& [wait, word] : by_several) {
      if (!by_fence_sc && each_time.contains(word)) out.waits.insert(wait);
    }
  }
};

WaitedFor WaitedForIn(const run::Log& log) {
  std::map<Site, GlobalWords> words;
  std::map<GlobalWord, std::set<Site>> ops;
  std::map<Site, int> calls;
  for (const run::Flags& f : log.flags) {
    if (f.steps) continue;
    for (int32_t op : f.waits) ++calls[Site::Of(*log.code->ops[op].op)];
    for (const Event& e : log.events) {
      if (e.kind != Event::Kind::kOp || !f.waits.contains(e.op)) continue;
      const ir::TileValue& t = e.concrete().tile(e.effects()[0].operand);
      auto word = run::GlobalWordAt(*log.code, f.decl, t.start);
      if (!word) continue;
      const Site op = Site::Of(*e.concrete().op);
      words[op].insert(*word);
      ops[*word].insert(op);
    }
  }
  WaitedFor out;
  for (const auto& [op, all] : words) {
    if (all.size() != 1 || calls[op] != 1) continue;
    const bool one = ops[*all.begin()].size() == 1;
    (one ? out.by_one : out.by_several).emplace(op, *all.begin());
  }
  return out;
}

std::set<int32_t> DeclsOf(const std::map<int32_t, GlobalWord>& one,
                          const SyncWords& here, bool by_fence_sc) {
  std::set<int32_t> out;
  for (const auto& [decl, word] : one) {
    if (here.count({word, by_fence_sc}) != 0) out.insert(decl);
  }
  return out;
}

// Of a declaration of which a CTA waits for several words, one after the other,
// the op that waits, and the words by how often it was executed before.
struct Turns {
  int32_t wait = -1;
  std::map<int64_t, GlobalWord> words;
};

std::map<int32_t, Turns> TurnsIn(const run::Log& log) {
  std::map<int32_t, Turns> out;
  for (const run::Flags& f : log.flags) {
    if (f.waits.size() != 1 || log.ctas != 1 || f.steps) continue;
    Turns turns{*f.waits.begin(), {}};
    GlobalWords seen;
    bool each = true;  // another word each time, by all who wait
    for (const Event& e : log.events) {
      if (e.kind != Event::Kind::kOp || e.op != turns.wait) continue;
      const ir::TileValue& t = e.concrete().tile(e.effects()[0].operand);
      auto word = run::GlobalWordAt(*log.code, f.decl, t.start);
      if (!word) continue;
      auto [at, fresh] = turns.words.try_emplace(e.nth, *word);
      each &= at->second == *word && (!fresh || seen.insert(*word).second);
    }
    if (each && turns.words.size() > 1) out[f.decl] = std::move(turns);
  }
  return out;
}

// Of words of steps.
std::vector<StepEpochs> StepsIn(const run::Log& log) {
  std::vector<StepEpochs> out;
  for (const run::Flags& f : log.flags) {
    auto steps = f.steps ? StepEpochs::In(log, f) : std::nullopt;
    if (steps) out.push_back(std::move(*steps));
  }
  return out;
}

// As many numbers as CTAs count in the word: whoever draws the last of them
// comes after all.
bool IsLast(const run::Log& log) {
  return !proof::IsJudged(proof::Condition::kOneLast) || log.ticket->last;
}

Site SiteOf(const Event& e, const ir::Effect& f) {
  return Site::Of(*e.concrete().op, f.operand,
                  f.kind == ir::EffectKind::kWrite);
}

template <typename T>
void KeepCommon(std::set<T>& all, const std::set<T>& now) {
  std::erase_if(all, [&](const T& one) { return !now.contains(one); });
}

void KeepCommon(SyncEdges& all, const SyncEdges& now) {
  all.counted &= now.counted;
  all.after_all &= now.after_all;
  KeepCommon(all.sets, now.sets);
  KeepCommon(all.waits, now.waits);
  KeepCommon(all.before_steps, now.before_steps);
  KeepCommon(all.after_steps, now.after_steps);
  KeepCommon(all.seen_steps, now.seen_steps);
}

void KeepCommon(AllSyncEdges& all, const AllSyncEdges& now) {
  KeepCommon(all.by_release, now.by_release);
  KeepCommon(all.by_fence_sc, now.by_fence_sc);
}

// What a CTA does not come to, where sizes and its place alone decide that: of
// an access of it what they would say of it holds.
struct NotReached {
  std::set<int32_t> sets;  // by declaration
  std::set<Site> waits, waits_in_steps;
};

NotReached NotReachedIn(const run::Log& log) {
  NotReached out;
  const grid::Reached reached(log.code->kernel());
  std::set<int32_t> ran;
  for (const Event& e : log.events) {
    if (e.kind == Event::Kind::kOp) ran.insert(e.op);
  }
  const auto passed = [&](int32_t op) {
    return !ran.contains(op) &&
           reached.PathTo(*log.code->ops[op].op) != nullptr;
  };
  const auto passed_in_steps = [&](int32_t op) {
    return !ran.contains(op) &&
           reached.PathInLoop(*log.code->ops[op].op) != nullptr;
  };
  for (const run::Flags& f : log.flags) {
    if (f.by_all) continue;
    for (int32_t op : f.waits) {
      if (f.steps && passed_in_steps(op))
        out.waits_in_steps.insert(Site::Of(*log.code->ops[op].op));
    }
    for (int32_t op : f.waits) {
      if (passed(op)) out.waits.insert(Site::Of(*log.code->ops[op].op));
    }
    if (f.sets.size() == 1 && passed(*f.sets.begin())) out.sets.insert(f.decl);
  }
  return out;
}

// What would be said of what the CTA does not come to.
SyncEdges OfNobody(const NotReached& passed) {
  SyncEdges out;
  out.sets = passed.sets;
  out.waits = passed.waits;
  for (const Site& wait : passed.waits_in_steps) {
    for (int shift : {0, 1}) out.seen_steps.insert({wait, shift});
  }
  return out;
}

}  // namespace

// docs/all_sizes.md 5.2: who draws the last number comes after all that
// counted, who saw a flag after what came before its only store.
void WordOrder::Add(const std::vector<program::JudgedRun>& runs,
                    footprint::Fragments& fragments) {
  for (const program::JudgedRun& run : runs)
    Add(*run.log, run.order.value_or(order::Order::Kind::kNoFlags), fragments);
}

void WordOrder::Add(const run::Log& log, order::Order::Kind kind,
                    footprint::Fragments& fragments) {
  AddExecuted(log);
  AddCount(log);
  if (!log.ticket && log.flags.empty()) return;
  program::ReleaseAcquire handed =
      program::ReleaseAcquireIn(log, kind, fragments);
  AddFlags(log);
  auto sets = OneEach(run::FlagsSetIn(log), log.flags);
  const WaitedFor waits = WaitedForIn(log);
  bool last = log.ticket && IsLast(log);
  const std::map<int32_t, Turns> turns = TurnsIn(log);
  const AwaitedInTurn in_turn(log.code->kernel());
  const NotReached passed = NotReachedIn(log);
  const std::vector<StepEpochs> steps = StepsIn(log);
  for (int32_t decl : passed.sets) words_.in_some.insert(words_.set.at(decl));
  words_.in_some.insert(passed.waits.begin(), passed.waits.end());
  words_.in_some.insert(passed.waits_in_steps.begin(),
                        passed.waits_in_steps.end());
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    const GlobalWords each_time = handed.acquired_each_time.empty()
                                      ? GlobalWords()
                                      : handed.acquired_each_time[i];
    auto edges = [&](const SyncWords& released, const SyncWords& acquired,
                     bool fence_sc) {
      SyncEdges out = OfNobody(passed);
      auto has = [&](const SyncWords& words) {
        return log.ticket && words.count({log.ticket->word, fence_sc}) != 0;
      };
      out.counted = has(released);
      out.after_all = last && has(acquired);
      out.sets.merge(DeclsOf(sets, released, fence_sc));
      waits.Add(acquired, fence_sc, each_time, out);
      for (const auto& [decl, turn] : turns) {
        auto word = turn.words.find(e.nth);
        if (word != turn.words.end() &&
            acquired.count({word->second, fence_sc}) != 0 &&
            in_turn.SameIteration(*log.code->ops[e.op].op,
                                  *log.code->ops[turn.wait].op))
          out.waits.insert(Site::Of(*log.code->ops[turn.wait].op));
      }
      if (!fence_sc) {
        for (const StepEpochs& s : steps)
          s.Add(static_cast<int32_t>(i), released, acquired, out);
      }
      return out;
    };
    const auto of = [&](const std::vector<SyncWords>& all) {
      return all.empty() ? SyncWords() : all[i];
    };
    const auto by = [&](const SyncWords& released, const SyncWords& acquired) {
      return AllSyncEdges{edges(released, acquired, false),
                          edges(released, acquired, true)};
    };
    AddEvent(e, {by(of(handed.released), of(handed.acquired)),
                 by(of(handed.released_fenced), of(handed.acquired_fenced))});
  }
}

// Whose run does not come to what counts is in order with nobody by that.
void WordOrder::AddCount(const run::Log& log) {
  some_do_not_count_ |= !log.ticket;
  if (log.ticket) {
    words_.count = Site::Of(*log.code->ops[log.ticket->op].op);
    for (int32_t op : log.ticket->put_back)
      words_.put_back.insert(Site::Of(*log.code->ops[op].op));
  }
  if (some_do_not_count_ && words_.count) words_.in_some.insert(*words_.count);
}

// The ops that wait for a declaration's flags; and the one that sets them,
// where there is one.
void WordOrder::AddFlags(const run::Log& log) {
  for (const run::Flags& f : log.flags) {
    if (f.by_all && !f.steps)
      (f.of_some ? words_.by_some : words_.by_all).insert(f.decl);
    const ir::Stmt* loop = f.by_all && f.steps
                               ? run::LoopOf(log.code->kernel(), *f.steps)
                               : nullptr;
    if (loop != nullptr) words_.steps[f.decl] = Site::Of(*loop);
    if (f.steps && !f.by_all)
      words_.own_steps[f.decl] = {{f.steps->line, f.steps->column},
                                  f.steps->dims};
    for (int32_t op : f.waits)
      words_.wait.emplace(Site::Of(*log.code->ops[op].op), f.decl);
    if (f.sets.size() == 1)
      words_.set[f.decl] = Site::Of(*log.code->ops[*f.sets.begin()].op);
  }
}

void WordOrder::AddExecuted(const run::Log& log) {
  if (!words_.executed) words_.executed.emplace();
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp) continue;
    for (const ir::Effect& f : e.effects()) {
      if (program::TouchesGlobal(e, f)) words_.executed->insert(SiteOf(e, f));
    }
  }
  for (int32_t op : run::QueriesOutOfTurn(log))
    words_.out_of_turn.insert(Site::Of(*log.code->ops[op].op));
  if (log.ticket && log.ticket->last) AddLast(log);
}

namespace {

// The warps that made each access: of a function that is called several times,
// in every call.
std::map<Site, uint32_t> MadeBy(const run::Log& log) {
  std::map<std::pair<Site, int32_t>, uint32_t> by_op;
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp) continue;
    const uint64_t warps = ((uint64_t{1} << e.threads().warps) - 1)
                           << e.threads().first_warp;
    for (const ir::Effect& f : e.effects()) {
      if (program::TouchesGlobal(e, f))
        by_op[{SiteOf(e, f), e.op}] |= static_cast<uint32_t>(warps);
    }
  }
  std::map<Site, int> calls, made_in;
  for (const machine::CompiledOp& op : log.code->ops) ++calls[Site::Of(*op.op)];
  std::map<Site, uint32_t> out;
  for (const auto& [access, warps] : by_op) {
    const Site& site = access.first;
    out.try_emplace(site, warps).first->second &= warps;
    ++made_in[site];
  }
  std::erase_if(out, [&](const auto& made) {
    const Site& site = made.first;
    return made_in[site] != calls[{site.line, site.column}];
  });
  return out;
}

}  // namespace

// docs/all_sizes.md 5.10.
void WordOrder::AddLast(const run::Log& log) {
  std::map<Site, uint32_t> made = MadeBy(log);
  std::map<Site, uint32_t>& all = words_.by_last;
  if (!std::exchange(some_last_, true)) {
    all = std::move(made);
  } else if (!proof::IsJudged(proof::Condition::kLastStores)) {
    all.insert(made.begin(), made.end());
  } else {
    for (auto& [site, warps] : all) {
      const auto now = made.find(site);
      warps &= now == made.end() ? 0 : now->second;
    }
  }
}

void WordOrder::AddEvent(const Event& e, const grid::Handed& now) {
  for (const ir::Effect& f : e.effects()) {
    if (!program::TouchesGlobal(e, f)) continue;
    Site site = SiteOf(e, f);
    auto [known, fresh] = words_.handed.try_emplace(site, now);
    known->second.async |= f.proxy != ir::Proxy::kGeneric;
    if (fresh) continue;
    KeepCommon(known->second.plain, now.plain);
    KeepCommon(known->second.fenced, now.fenced);
  }
}

}  // namespace tilesim::checkers::pipeline
