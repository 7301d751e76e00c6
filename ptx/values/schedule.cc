#include "ptx/values/schedule.h"

#include <algorithm>
#include <set>

#include "sim/machine/deadlock.h"

namespace tilesim::ptx {
namespace {

using machine::Strand;

// Rounds in which all that was done was to load, before the next cluster
// starts, and before it is given up where there is none.
constexpr int kIdleRounds = 64, kMostIdleRounds = 1 << 16;

bool OnlyLoads(ir::OpKind kind) {
  return kind == ir::OpKind::kLd || kind == ir::OpKind::kLdGlobal ||
         kind == ir::OpKind::kLdShared || kind == ir::OpKind::kAtomCas ||
         kind == ir::OpKind::kAtomAdd || kind == ir::OpKind::kAtomExch;
}

class Run {
 public:
  Run(machine::Machine& machine, const ScheduleOptions& options)
      : machine_(machine), options_(options), state_(machine.Start()) {}

  Scheduled Go() {
    Scheduled out;
    int idle = 0;
    while (true) {
      if (options_.stop != nullptr && *options_.stop) {
        out.stopped = true;
        return out;
      }
      if (running_.empty() && !Start()) break;
      if (options_.max_rounds > 0 && ++rounds_ > options_.max_rounds) {
        out.too_long = true;
        out.ctas = ended_;
        return out;
      }
      const Round round = One();
      Sweep();
      idle = round == Round::kWorked ? 0 : idle + 1;
      if (faulted_) return out;
      if (round == Round::kWorked || idle < kIdleRounds) {
        if (round != Round::kStuck) continue;
      }
      if (Start()) {
        idle = 0;
      } else if (round == Round::kStuck || idle > kMostIdleRounds) {
        out.deadlock = machine::ExplainDeadlock(machine_, state_);
        return out;
      }
    }
    out.finished = true;
    out.ctas = ended_;
    return out;
  }

 private:
  enum class Round : uint8_t { kWorked, kLoaded, kStuck };

  // The next cluster that nobody has taken over.
  bool Start() {
    machine::Grid& grid = state_.grids[0];
    while (next_ < options_.clusters.size() &&
           options_.clusters[next_] < grid.next_cluster)
      ++next_;
    if (next_ == options_.clusters.size() ||
        static_cast<int64_t>(running_.size()) >= options_.resident)
      return false;
    rounds_ = 0;
    const int64_t cluster = options_.clusters[next_++];
    grid.next_cluster = cluster + 1;
    auto ctas = machine_.Launch(state_, 0, cluster);
    running_.insert(state_.ctas[static_cast<size_t>(ctas[0])].cluster);
    for (int32_t cta : ctas) {
      const auto& strands = state_.ctas[static_cast<size_t>(cta)].strands;
      strands_.insert(strands_.end(), strands.begin(), strands.end());
    }
    return true;
  }

  Round One() {
    Round round = Round::kStuck;
    for (size_t i = 0; i < strands_.size(); ++i) {
      const int32_t s = strands_[i];
      const Strand& strand = state_.strands[static_cast<size_t>(s)];
      if (strand.status == Strand::Status::kFree ||
          strand.status == Strand::Status::kExited)
        continue;
      round = std::min(round, Step(s));
      if (faulted_) return round;
    }
    if (Finish()) round = Round::kWorked;
    return round;
  }

  Round Step(int32_t s) {
    using Kind = machine::StepResult::Kind;
    const machine::StepResult r = machine_.Step(state_, s);
    for (int32_t other : r.strands) {
      if (std::find(strands_.begin(), strands_.end(), other) == strands_.end())
        strands_.push_back(other);
    }
    flights_.insert(flights_.end(), r.issued.begin(), r.issued.end());
    signals_.clear();
    machine_.TakeSignals(signals_);
    if (r.kind == Kind::kFault) faulted_ = true;
    if (r.kind == Kind::kBlocked)
      return r.strands.empty() && !r.merged ? Round::kStuck : Round::kWorked;
    const bool loads =
        r.kind == Kind::kExecuted && r.op >= 0 &&
        OnlyLoads(
            machine_.code(0).ops[static_cast<size_t>(r.op)].op->info->kind);
    return loads ? Round::kLoaded : Round::kWorked;
  }

  // Every operation that may be done is.
  bool Finish() {
    bool some = false;
    for (bool again = true; again;) {
      again = false;
      std::vector<int32_t> left;
      std::vector<int32_t> now;
      std::swap(now, flights_);
      for (int32_t f : now) {
        if (!machine_.MayFinish(state_, f)) {
          left.push_back(f);
          continue;
        }
        machine_.Reach(state_, f, ir::Milestone::kRead);
        machine_.Reach(state_, f, ir::Milestone::kDone);
        again = some = true;
      }
      flights_.insert(flights_.begin(), left.begin(), left.end());
    }
    signals_.clear();
    machine_.TakeSignals(signals_);
    return some;
  }

  // Clusters and strands that have ended are forgotten.
  void Sweep() {
    const int64_t ended = state_.grids[0].finished_ctas;
    if (ended == ended_) return;
    ended_ = ended;
    if (options_.progress)
      options_.progress(ended, static_cast<int64_t>(options_.clusters.size()) *
                                   machine_.code(0).bound.cluster_size());
    std::erase_if(running_, [&](int32_t c) {
      const auto& ctas = state_.clusters[static_cast<size_t>(c)].ctas;
      return std::none_of(ctas.begin(), ctas.end(), [&](int32_t cta) {
        return state_.ctas[static_cast<size_t>(cta)].live;
      });
    });
    std::erase_if(strands_, [&](int32_t s) {
      const Strand& strand = state_.strands[static_cast<size_t>(s)];
      return strand.status == Strand::Status::kFree ||
             strand.status == Strand::Status::kExited;
    });
  }

  machine::Machine& machine_;
  const ScheduleOptions& options_;
  machine::State state_;
  size_t next_ = 0;
  std::set<int32_t> running_;  // clusters
  std::vector<int32_t> strands_, flights_;
  std::vector<machine::Signal> signals_;
  int64_t ended_ = 0, rounds_ = 0;
  bool faulted_ = false;
};

}  // namespace

Scheduled RunClusters(machine::Machine& machine,
                      const ScheduleOptions& options) {
  return Run(machine, options).Go();
}

}  // namespace tilesim::ptx
