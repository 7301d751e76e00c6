#include "checkers/pipeline/step_epochs.h"

#include <algorithm>
#include <set>

#include "checkers/grid/reached.h"
#include "checkers/run/step_words.h"

namespace tilesim::checkers::pipeline {
using grid::Site;
using program::SyncWords;
using run::Event;
using run::GlobalWord;

namespace {

// Where ops stand in the text: as many before them as `at`; in the loop or
// behind it.
class StepPlaces {
 public:
  enum class Where : uint8_t { kBefore, kInside, kBehind };
  struct Place {
    int at = 0;
    Where where = Where::kBefore;
    bool several = false;  // a function that is called several times
  };

  StepPlaces(const ir::Kernel& kernel, const ir::Stmt& loop) {
    Where where = Where::kBefore;
    for (const ir::Stmt& s : kernel.body) {
      Walk(s, &s == &loop ? Where::kInside : where);
      if (&s == &loop) where = Where::kBehind;
    }
    for (const ir::Stmt& s : loop.body) {
      const Place* place = s.op ? Of(*s.op) : nullptr;
      if (place != nullptr && !mark_) mark_ = place->at;
    }
  }

  // An op that each step executes once.
  const std::optional<int>& mark() const { return mark_; }
  const Place* Of(const ir::Op& op) const {
    auto at = places_.find(Site::Of(op));
    return at == places_.end() || at->second.several ? nullptr : &at->second;
  }

 private:
  void Walk(const ir::Stmt& s, Where where) {
    if (s.op) {
      auto [at, fresh] =
          places_.try_emplace(Site::Of(*s.op), Place{next_++, where, false});
      at->second.several |= !fresh;
    }
    for (const ir::Block* block : {&s.body, &s.orelse}) {
      for (const ir::Stmt& inner : *block) Walk(inner, where);
    }
  }

  std::map<Site, Place> places_;
  std::optional<int> mark_;
  int next_ = 0;
};

// How often warps have executed the mark.
class Marks {
 public:
  // False: only some lanes of a warp have.
  bool Add(const Event& e) {
    const ir::ThreadSet& who = e.threads();
    for (int w = who.first_warp; w < who.first_warp + who.warps; ++w)
      times_[w] = e.nth + 1;
    return who.whole_warps();
  }

  std::optional<int64_t> Of(const ir::ThreadSet& who) const {
    std::optional<int64_t> out;
    for (int w = who.first_warp; w < who.first_warp + who.warps; ++w) {
      const auto at = times_.find(w);
      const int64_t times = at == times_.end() ? 0 : at->second;
      if (out && *out != times) return std::nullopt;
      out = times;
    }
    return out;
  }

 private:
  std::map<int, int64_t> times_;
};

bool Holds(const SyncWords& words, const GlobalWord& word) {
  return words.contains({word, false});
}

}  // namespace

std::optional<StepEpochs> StepEpochs::In(const run::Log& log,
                                         const run::Flags& flags) {
  const ir::Kernel& kernel = log.code->kernel();
  const ir::Stmt* loop = run::LoopOf(kernel, *flags.steps);
  if (loop == nullptr || log.ctas != 1) return std::nullopt;
  const StepPlaces places(kernel, *loop);
  StepEpochs out;
  out.by_all_ = flags.by_all;
  out.decl_ = flags.decl;
  if (!places.mark()) return std::nullopt;
  const grid::Reached reached(kernel);
  for (int32_t op : flags.waits) {
    const ir::Op& wait = *log.code->ops[op].op;
    if (reached.PathInLoop(wait) != nullptr) out.fixed_.insert(Site::Of(wait));
  }
  Marks marks;
  std::set<GlobalWord> set;
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    const ir::Op& op = *log.code->ops[e.op].op;
    const StepPlaces::Place* place = places.Of(op);
    if (place == nullptr) continue;
    if (place->at == *places.mark() && !marks.Add(e)) return std::nullopt;
    const auto at = static_cast<int32_t>(i);
    if (place->where != StepPlaces::Where::kInside) {
      out.after_[at] = place->where == StepPlaces::Where::kBehind;
      continue;
    }
    auto step = marks.Of(e.threads());
    if (!step) continue;
    if (place->at >= *places.mark()) --*step;
    out.step_[at] = *step;
    const bool sets = flags.sets.contains(e.op);
    if (!sets && !flags.waits.contains(e.op)) continue;
    const ir::TileValue& tile = e.concrete().tile(e.effects()[0].operand);
    const auto word = run::GlobalWordAt(*log.code, flags.decl, tile.start);
    if (!word || *step < 0) return std::nullopt;
    Set& to = sets ? out.set_ : out.waits_[Site::Of(op)];
    const auto [known, fresh] = to.words.try_emplace(*step, *word);
    if (known->second != *word) return std::nullopt;
    if (sets && !set.insert(*word).second) return std::nullopt;
  }
  return out;
}

void StepEpochs::Add(int32_t event, const SyncWords& released,
                     const SyncWords& acquired, grid::SyncEdges& out) const {
  if (by_all_)
    AddBarrier(event, released, acquired, out);
  else
    AddFlags(event, released, acquired, out);
}

// Of an op in step n, `shift` 0: it comes before the word of step n, and those
// that follow; after those of steps before. 1: n + 1 instead of n. Of an op
// before the loop it is as in step 0, of one behind it as after the last.
void StepEpochs::AddBarrier(int32_t event, const SyncWords& released,
                            const SyncWords& acquired,
                            grid::SyncEdges& out) const {
  const auto steps = static_cast<int64_t>(set_.words.size());
  const auto in = step_.find(event);
  const auto outside = after_.find(event);
  for (int shift : {0, 1}) {
    int64_t epoch = shift == 1 ? steps : 0;
    if (in != step_.end())
      epoch = in->second + shift;
    else if (outside == after_.end())
      continue;
    bool before = in != step_.end() || (shift == 0 && !outside->second);
    bool after = in != step_.end() || (shift == 1 && outside->second);
    for (const auto& [step, word] : set_.words) {
      before &= step < epoch || Holds(released, word);
      after &= step >= epoch || Holds(acquired, word);
    }
    if (before) out.before_steps.insert({decl_, shift});
    if (after) out.after_steps.insert({decl_, shift});
  }
}

// The word that the CTA sets in the step of the access, and those for which it
// waits in that; and those of the steps that follow, or were before.
void StepEpochs::AddFlags(int32_t event, const SyncWords& released,
                          const SyncWords& acquired,
                          grid::SyncEdges& out) const {
  const auto in = step_.find(event);
  if (in == step_.end()) return;
  const auto set = set_.words.find(in->second);
  if (set != set_.words.end() && Holds(released, set->second))
    out.sets.insert(decl_);
  for (const auto& [wait, words] : waits_) {
    const auto seen = words.words.find(in->second);
    if (seen != words.words.end() && Holds(acquired, seen->second))
      out.waits.insert(wait);
  }
  // Words of all steps from its own on, or the next; of all before.
  for (int shift : {0, 1}) {
    const int64_t epoch = in->second + shift;
    bool before = true;
    for (const auto& [step, word] : set_.words)
      before &= step < epoch || Holds(released, word);
    if (before) out.before_steps.insert({decl_, shift});
    for (const Site& wait : fixed_) {
      const auto words = waits_.find(wait);
      if (words == waits_.end()) continue;
      bool after = true;
      for (int64_t step = 0; step < epoch; ++step) {
        const auto seen = words->second.words.find(step);
        after &=
            seen != words->second.words.end() && Holds(acquired, seen->second);
      }
      if (after) out.seen_steps.insert({wait, shift});
    }
  }
}

}  // namespace tilesim::checkers::pipeline
