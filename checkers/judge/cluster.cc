#include "checkers/judge/cluster.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "checkers/explore/search.h"
#include "checkers/judge/control_values.h"
#include "checkers/order/agents.h"
#include "checkers/order/certificate.h"
#include "checkers/order/room.h"
#include "checkers/pairwise/check_run.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/peeks.h"
#include "checkers/run/run_end.h"
#include "ir/cat.h"

namespace tilesim::checkers::judge {
using explore::Exploration;
using explore::Explore;
using footprint::Fragments;
using order::Agents;
using order::Certificate;
using order::Certify;
using order::CheckInits;
using pairwise::CheckRun;
using report::Finding;
using report::Findings;
using report::SignatureOf;
using run::Log;
using run::Path;
using run::RunCluster;
using run::RunOptions;
using run::WrittenOf;

namespace {

// CTAs that are run side by side where clusters talk over global memory.
constexpr int64_t kMaxTogether = 4;

// So much shorter is a run that is cut because there was no room to judge it
// (order/room.h).
constexpr int64_t kShorter = 4;

// States that are searched of a run that was cut.
constexpr int64_t kStatesOfCut = 2'000;

// Of compiled code whose first run has an error: what else there is.
constexpr int64_t kStatesOfWrong = 10'000;

}  // namespace

Certificate CertifyValues(const Log& log, Fragments& fragments,
                          Findings& findings) {
  Certificate out = Certify(log, findings);
  std::vector<std::string> open = OpenValues(log, fragments);
  out.holds &= open.empty();
  out.determined &= open.empty();
  out.open.insert(out.open.end(), open.begin(), open.end());
  return out;
}

int64_t SideBySide(const machine::Code& code) {
  const ir::BoundKernel& b = code.bound;
  if (b.cluster_size() > 1 || b.ctas() > kMaxTogether) return 1;
  std::vector<int32_t> written = WrittenOf(code);
  bool talk = std::any_of(written.begin(), written.end(), [&](int32_t decl) {
    return b.decls[decl].space == ir::Space::kGlobal;
  });
  return talk ? b.ctas() : 1;
}

namespace {

// The machine warns where it saw no harm, the order found some.
bool Outdone(const ir::Diagnostic& d, const Findings& findings) {
  if (d.severity == ir::Severity::kError) return false;
  return std::any_of(
      findings.all().begin(), findings.all().end(), [&](const Finding& f) {
        const ir::Diagnostic& other = f.diagnostic;
        return other.severity == ir::Severity::kError && other.code == d.code &&
               other.span.line == d.span.line &&
               other.span.column == d.span.column;
      });
}

// Whoever touches what an operation still uses has not waited for it, so that
// it is in flight at the end as well: not reported twice.
bool Consequence(const ir::Diagnostic& d, const Findings& findings) {
  if (Outdone(d, findings)) return true;
  if (d.code != "exit/in-flight") return false;
  for (const Finding& f : findings.all()) {
    for (const ir::Label& l : f.diagnostic.labels) {
      if (l.span.line == d.span.line && l.span.column == d.span.column)
        return true;
    }
  }
  return false;
}

void Add(const ir::Diagnostic& d, bool every_schedule, Findings& findings) {
  Finding* finding = findings.Add(d);
  if (finding != nullptr) finding->every_schedule = every_schedule;
}

bool Peeks(const Log& log) {
  return std::any_of(log.events.begin(), log.events.end(), [](const auto& e) {
    return std::any_of(e.uses.begin(), e.uses.end(), run::IsPeek);
  });
}

// Of what a failed condition leads to it is the cause.
void SayBecause(Finding& cause, Findings& consequences) {
  for (Finding& f : consequences.all()) {
    f.because = cause.key;
    if (!cause.witness.empty()) continue;
    cause.witness = f.witness;
    cause.consequence = SignatureOf(f.diagnostic);
  }
}

// What happens for another number of arrivals or bytes than it was meant for.
bool IsOfPhases(const ir::Diagnostic& d) {
  return d.code.family() == "deadlock" || d.code == "parity/unconsumed" ||
         d.code == "arrival-count/over" || d.code == "tx-count/over";
}

// Whether something that one lane of a warp does can come before, or after, the
// same or another thing that a lane beside it does.
bool LanesActApart(const Log& log) {
  Agents agents(log, Agents::Unit::kTwins);
  std::map<std::pair<int32_t, int32_t>, int32_t> acts;  // of a warp, the first
  for (const run::Event& e : log.events) {
    for (int32_t agent : agents.Of(e)) {
      const auto& a = agents[agent];
      if (acts.emplace(std::pair{a.cta, a.warp}, agent).first->second != agent)
        return true;
    }
  }
  return false;
}

bool HasParts(const Log& log) {
  return std::any_of(log.events.begin(), log.events.end(),
                     [](const auto& e) { return e.last_part >= 0; });
}

class Judge {
 public:
  Judge(const machine::Code& code, const RunOptions& run, int64_t max_states,
        Fragments& fragments)
      : code_(code),
        run_(run),
        max_states_(max_states),
        fragments_(fragments) {}

  ClusterVerdict Run() {
    Decide();
    Findings all = std::exchange(out_.findings, {});
    out_.findings.Merge(
        all, [&](const Finding& f) { return !Consequence(f.diagnostic, all); });
    return std::move(out_);
  }
  // Of the canonical run.
  int64_t events() const {
    return static_cast<int64_t>(out_.log.events.size());
  }

 private:
  void Decide() {
    Findings in_run, concluded;
    Certificate certificate = Canonical(in_run, concluded);
    if (!certificate.holds && Peeks(out_.log)) {
      // It stands for no other: on with one whose answers are as they come.
      run_.peeks = false;
      return Decide();
    }
    out_.holds = certificate.holds;
    out_.same_accesses = certificate.determined;
    if (!certificate.of_lanes || !certificate.holds)
      out_.open.AddAll(out_.log.ways);
    if (certificate.holds) {
      out_.all_interleavings = true;
      out_.findings.Merge(in_run);
      out_.findings.Merge(concluded);
      for (const ir::Diagnostic& d : out_.log.findings)
        Add(d, true, out_.findings);
      return;
    }
    Searched(certificate, in_run, concluded);
  }

  Certificate Canonical(Findings& in_run, Findings& concluded) {
    out_.assumed.equal_reads = code_.equal_reads;
    out_.log = RunCluster(code_, run_);
    out_.cut = events() >= run_.max_events;
    CheckRun(out_.log, fragments_, in_run);
    return CertifyValues(out_.log, fragments_, concluded);
  }

  // The search decides what of the conclusions is true. They stay if it saw
  // something go wrong, or waits and arrivals that do not always mean the same
  // phase, or did not see everything.
  void Searched(const Certificate& certificate, Findings& in_run,
                Findings& concluded) {
    const bool wrong = in_run.has_errors() || out_.log.erred();
    Exploration e = AllSchedules(wrong);
    out_.states = e.states;
    out_.all_interleavings = e.complete;
    Findings seen;
    seen.Merge(e.findings);
    bool only = e.complete && !e.faults && e.ends.size() == 1;
    for (const Path& path : e.ends) JudgeEnd(path, only, seen);
    std::string missed = MissedOutcomes(polled_);
    if (!missed.empty()) out_.open.Add(std::move(missed));
    out_.all_interleavings &= out_.open.empty();
    bool nothing = e.deviations.empty() && seen.all().empty();
    bool dropped = e.complete && (nothing || !out_.same_accesses);
    out_.assumed.lanes_wait = dropped && LanesActApart(out_.log);
    out_.assumed.at_once = dropped && HasParts(out_.log);
    if (!e.complete) DropPublished(concluded);
    if (!dropped) KeepConclusions(e, in_run, seen, concluded);
    if (dropped || concluded.all().empty()) out_.findings.Merge(seen);
    if (e.complete) return;
    out_.open.AddAll(certificate.open);
    // Said once.
    const auto& said = out_.open.all();
    if (std::find(said.begin(), said.end(), e.why) == said.end())
      out_.open.Add(ir::Cat("not all schedules were searched: ", e.why));
  }

  // Of mbarriers whose initialisation a word publishes, which the conclusions
  // know nothing of: no error, and open where the search did not end.
  void DropPublished(Findings& concluded) const {
    Findings unpublished, all = std::exchange(concluded, {});
    CheckInits(out_.log, unpublished);
    concluded.Merge(all, [&](const Finding& f) {
      return !order::OfLives(f) || unpublished.Has(f);
    });
  }

  // `wrong`: so is a schedule that was seen.
  Exploration AllSchedules(bool wrong) {
    Exploration out;
    // What others write this cluster alone does not show.
    out.why = OpenWords(out_.log);
    if (out_.log.not_followed) out.why = "not all of a run could be followed";
    if (out.why.empty() && max_states_ == 0)
      out.why = "the search stopped after what it found";
    if (!out.why.empty()) return out;
    // Of a run that was cut no search comes to the end, and each of its many
    // states is large.
    int64_t most = out_.cut || run::GoesRound(out_.log)
                       ? std::min(max_states_, kStatesOfCut)
                       : max_states_;
    if (wrong && code_.guide != nullptr) most = std::min(most, kStatesOfWrong);
    explore::ExploreOptions o{run_.cluster, run_.clusters, run_.environment,
                              most};
    o.doing = run_.doing;
    return Explore(code_, o);
  }

  void KeepConclusions(const Exploration& e, Findings& in_run,
                       const Findings& seen, Findings& concluded) {
    Findings consequences;
    for (const ir::Diagnostic& d : out_.log.findings)
      Add(d, e.EverySchedule(d), out_.findings);
    for (Finding& f : in_run.all()) {
      const Finding* again = seen.Find(f);
      f.every_schedule = again != nullptr && again->every_schedule;
    }
    out_.findings.Merge(in_run);
    consequences.Merge(seen, [&](const Finding& f) {
      return !out_.findings.Has(f) && !concluded.Has(f);
    });
    if (concluded.all().empty()) return;
    Finding& cause = concluded.all().front();
    SayBecause(cause, consequences);
    // What not every schedule has comes of what makes them differ.
    for (Finding& f : out_.findings.all()) {
      if (e.complete && !f.every_schedule && IsOfPhases(f.diagnostic))
        f.because = cause.key;
    }
    out_.findings.Merge(concluded);
    out_.findings.Merge(consequences);
  }

  // The order that this schedule stands for.
  void JudgeEnd(const Path& path, bool only, Findings& seen) {
    RunOptions o = run_;
    o.path = &path;
    Log log = RunCluster(code_, o);
    Findings found, certified, published;
    CheckRun(log, fragments_, found);
    Certify(log, certified);
    out_.open.AddAll(AddPolled(log, fragments_, polled_));
    CheckInits(log, published);
    for (const ir::Diagnostic& d : log.findings) {
      if (d.severity == ir::Severity::kWarning) Add(d, true, found);
    }
    // A use behind an inval is told where it happens.
    found.Merge(certified, [&](const Finding& f) {
      const bool init = f.diagnostic.code == "init/unpublished";
      return !f.concluded || (init && published.Has(f));
    });
    for (Finding& f : found.all()) {
      f.every_schedule &= only;
      f.witness = path;
    }
    seen.Merge(found);
    if (!out_.same_accesses) out_.orders.push_back(std::move(log));
  }

  const machine::Code& code_;
  RunOptions run_;
  int64_t max_states_;
  Fragments& fragments_;
  Polled polled_;  // in all orders
  ClusterVerdict out_;
};

}  // namespace

ClusterVerdict VerdictOfShown(const machine::Code& code,
                              const RunOptions& run) {
  ClusterVerdict out;
  out.log = RunCluster(code, run);
  out.holds = out.log.finished && !out.log.faulted && !out.log.erred() &&
              out.log.undetermined.empty();
  out.all_interleavings = out.same_accesses = out.holds;
  return out;
}

ClusterVerdict VerdictOfOneSchedule(const machine::Code& code,
                                    const RunOptions& run,
                                    Fragments& fragments) {
  ClusterVerdict out;
  out.log = RunCluster(code, run);
  Findings in_run;
  CheckRun(out.log, fragments, in_run);
  for (const ir::Diagnostic& d : out.log.findings) Add(d, false, in_run);
  for (Finding& f : in_run.all()) f.every_schedule = false;
  out.findings.Merge(in_run, [&](const Finding& f) {
    return !Consequence(f.diagnostic, in_run);
  });
  return out;
}

ClusterVerdict JudgeCluster(const machine::Code& code, const RunOptions& run,
                            int64_t max_states, Fragments& fragments) {
  RunOptions o = run;
  for (;;) {
    Judge judge(code, o, max_states, fragments);
    try {
      return judge.Run();
    } catch (const order::OutOfRoom&) {
      o.max_events = judge.events() / kShorter;
      o.short_of = order::Room::Most();
      if (o.max_events == 0) throw;
    }
  }
}

}  // namespace tilesim::checkers::judge
