#include "checkers/sizes/induction/resumable_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::induction {
using run::CanonicalRun;
using run::HandedOut;
using run::Log;
using run::RunOptions;
using run::WithFlags;
using run::WithTicket;
using state::kFreshSymbols;
using state::SymbolicState;

namespace {

// Turns from one at which a run can be taken up again to the next: so many, or
// an eighth of those before.
constexpr int64_t kSaved = 16;
constexpr int64_t kSavedOf = 8;

}  // namespace

int64_t ResumableRun::Run(std::vector<LoopSummary> loops) {
  int64_t same = SameUpTo(loops);
  while (!saved_.empty() && saved_.back().turn > same) saved_.pop_back();
  loops_ = std::move(loops);
  saved_.empty() ? Begin() : Resume();
  size_t begun = log().events.size();
  run_->Run();
  return static_cast<int64_t>(log().events.size() - begun);
}

void ResumableRun::Begin() {
  SetEnvironment();
  RunOptions o;
  o.cluster = cluster_;
  o.max_events = max_events_;
  o.observer = this;
  o.early = true;
  o.environment = &environment_;
  notes_.BackTo(0);
  inductive_ = std::make_unique<InductiveRun>(
      code_, SymbolicState(code_, family_), loops_, kFreshSymbols, &notes_);
  run_ = std::make_unique<CanonicalRun>(code_, o);
}

// What the family is fixed to besides sizes: what its CTA is told by others.
void ResumableRun::SetEnvironment() {
  if (family_.handed_out)
    environment_ = HandedOut(cluster_, family_.handed_out->base(), {});
  if (family_.ticket) environment_ = WithTicket(*family_.ticket, code_, {});
  if (!family_.flags.empty())
    environment_ = WithFlags(family_.flags, code_, environment_);
}

void ResumableRun::Resume() {
  const Saved& from = saved_.back();
  notes_.BackTo(from.turn);
  inductive_ = std::make_unique<InductiveRun>(from.inductive);
  inductive_->Replan(loops_);
  run_->Restore(*from.state, this);
}

bool ResumableRun::Turn(const machine::State& state, const Log& log) {
  Save();
  return inductive_->Turn(state, log);
}

void ResumableRun::Save() {
  int64_t turn = notes_.turns();
  int64_t last = saved_.empty() ? 0 : saved_.back().turn;
  bool wanted = turn - last >= std::max(kSaved, turn / kSavedOf) &&
                !inductive_->failed() && !inductive_->undecided();
  auto state = wanted ? run_->Save() : nullptr;
  if (state != nullptr) saved_.push_back({turn, state, *inductive_});
}

int64_t ResumableRun::SameUpTo(const std::vector<LoopSummary>& loops) const {
  int64_t out = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < std::max(loops.size(), loops_.size()); ++i) {
    bool now = i < loops.size(), before = i < loops_.size();
    if (now && before && loops[i] == loops_[i]) continue;
    if (now) out = std::min(out, loops[i].first());
    if (before) out = std::min(out, loops_[i].first());
  }
  return out;
}

}  // namespace tilesim::checkers::sizes::induction
