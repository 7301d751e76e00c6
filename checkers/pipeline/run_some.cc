#include "checkers/pipeline/run_some.h"

#include <algorithm>
#include <optional>

#include "checkers/judge/cluster.h"
#include "checkers/run/environment.h"
#include "checkers/run/locks.h"
#include "checkers/run/protocol.h"
#include "checkers/run/runner.h"
#include "checkers/run/words_used.h"

namespace tilesim::checkers::pipeline {
namespace {

using run::Environment;

// Events of all runs where words decide.
constexpr int64_t kMaxEventsOfSome = 1'000'000;

class Runs {
 public:
  Runs(const machine::Code& code, int64_t max_events)
      : code_(code),
        clusters_(code.bound.ctas() / code.bound.cluster_size()),
        max_events_(max_events) {}

  void FirstAndLast() {
    const Environment any;
    One(0, 1, any);
    if (clusters_ > 1) One(clusters_ - 1, 1, any);
  }

  // As JudgeInstance has them. Where a CTA counts is known only once it has
  // run: those that draw numbers come last.
  void WithWords() {
    const run::Environments draws = run::DrawsOf(code_);
    for (const Environment& draw : {draws.each.front(), draws.each.back()}) {
      if (judge::SideBySide(code_) > 1) One(0, clusters_, draw);
      // Who sets a flag may come after a wait for one.
      const Environment ones = Ones(draw);
      for (int64_t c = 0; c < clusters_ && Left(); ++c) One(c, 1, ones);
      const Environment with = run::WithFlags(run::FlagsOf(code_), code_, draw);
      for (int64_t c = 0; c < clusters_ && Left(); ++c) One(c, 1, with);
      std::optional<run::TicketCounter> counter = run::TicketCounter::Of(code_);
      for (int64_t c = 0; counter && c < clusters_ && Left(); ++c)
        One(c, 1, run::WithTicket(counter->TicketsOf(c).back(), code_, draw));
    }
  }

 private:
  bool Left() const { return events_ < kMaxEventsOfSome; }

  // Every word that is 0 at first is 1, but for locks, which would be tried in
  // vain for ever.
  Environment Ones(const Environment& draw) const {
    Environment out = draw;
    for (size_t i = 0; i < code_.control_decl.size(); ++i) {
      const auto decl = static_cast<int32_t>(i);
      if (run::ZeroAtFirst(code_, decl) && !run::IsTriedFor(code_, decl))
        out.inputs[code_.kernel().decls[i].name] = run::Filled(code_, decl, 1);
    }
    return out;
  }

  void One(int64_t cluster, int64_t count, const Environment& environment) {
    run::RunOptions o;
    o.cluster = cluster;
    o.clusters = count;
    o.environment = &environment;
    o.max_events = max_events_;
    events_ += static_cast<int64_t>(run::RunCluster(code_, o).events.size());
  }

  const machine::Code& code_;
  const int64_t clusters_;
  const int64_t max_events_;
  int64_t events_ = 0;
};

}  // namespace

void RunSome(const machine::Code& code, bool words, int64_t max_events) {
  run::FlagsOf(code);  // semaphores find their turn
  Runs runs(code, max_events);
  runs.FirstAndLast();
  if (words) runs.WithWords();
}

}  // namespace tilesim::checkers::pipeline
