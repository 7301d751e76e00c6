#include "checkers/pipeline/judge_instance.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkers/cause/cause.h"
#include "checkers/judge/cluster.h"
#include "checkers/pipeline/alike.h"
#include "checkers/pipeline/handed.h"
#include "checkers/pipeline/judged_runs.h"
#include "checkers/pipeline/legality.h"
#include "checkers/pipeline/polls.h"
#include "checkers/pipeline/practice.h"
#include "checkers/plan/sm_count.h"
#include "checkers/program/shared_places.h"
#include "checkers/run/environment.h"
#include "checkers/run/grid_rounds.h"
#include "checkers/run/locks.h"
#include "checkers/run/protocol.h"
#include "checkers/run/runner.h"
#include "checkers/run/turns.h"
#include "checkers/witness/replay.h"
#include "checkers/witness/trace.h"
#include "checkers/witness/witness.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
using judge::ClusterVerdict;
using order::Order;
using report::Finding;
using report::Findings;
using report::Provenance;
using run::Environment;
using run::Environments;
using run::GlobalWords;
using run::Log;
using run::Protocol;

namespace {

// Numbers that a cluster may draw; of more, the first and the last.
constexpr size_t kMaxNumbers = 256;

// Of compiled code, of clusters that are run to be compared with others.
constexpr int64_t kMaxEventsAlike = 8'000'000;
// Of compiled code, of a cluster's run once that of another was too long: the
// verdict is incomplete then, and most that is wrong is so early.
constexpr int64_t kMaxEventsOnceCut = 20'000;
// Of a schedule of a whole grid, side by side.
constexpr int64_t kMaxEventsTogether = 20'000;
// To judge one takes so many times as long.
constexpr int64_t kTimesJudged = 3;

class InstanceJudge {
 public:
  InstanceJudge(const InstanceTask& task, Judging& judging)
      : task_(task),
        judging_(judging),
        code_(*task.instance.code),
        sizes_(task.plan.SizesOf(code_.bound)) {
    alike_.emplace(code_, *judging_.fragments);
  }

  InstanceResult Run() {
    CheckScope& scope = out_.part.scope;
    for (const auto& [name, value] : task_.instance.sizes)
      scope.params[name].insert(value);
    std::vector<int64_t> which = ClustersToRun();
    scope.clusters = clusters();
    if (!JudgeLegality(task_.plan, judging_.options.legality, code_.bound,
                       findings()))
      return std::move(out_);
    if (LosesValues()) return std::move(out_);
    Environments draws;
    if (task_.inputs == nullptr) {
      draws = run::DrawsOf(code_, task_.once);
    } else {
      draws.each = {*task_.inputs};
    }
    out_.draws = draws.open;
    if (task_.together) {
      TogetherInSomeSchedules(draws.each);
      return std::move(out_);
    }
    for (size_t i = 0; i < draws.each.size(); ++i) {
      if (i < draws.drawn || !findings().has_errors())
        Draw(which, draws.each[i]);
    }
    scope.clusters_checked = checked_.value_or(0);
    if (scope.clusters_checked < clusters() && task_.instance.clusters.empty())
      out_.cut_grid = clusters();
    return std::move(out_);
  }

 private:
  Findings& findings() { return out_.part.findings; }
  report::Reasons& open() { return out_.part.open; }
  // Nothing is shown of it but by running it.
  bool Compiled() const { return code_.guide != nullptr; }
  int64_t clusters() const {
    return code_.bound.ctas() / code_.bound.cluster_size();
  }

  bool Wrong() const {
    return task_.known.has_errors() || out_.part.findings.has_errors();
  }

  // Grids are chosen small; of a large one that was asked for, some.
  std::vector<int64_t> ClustersToRun() {
    std::vector<int64_t> which = task_.instance.clusters;
    if (!which.empty()) return which;
    int64_t most = Compiled() || !run::FlagsOf(code_).empty() ? plan::kMaxOfEach
                                                              : kMaxClusters;
    const bool all = clusters() <= most || alike_->possible();
    which.resize(all ? clusters() : kMaxClusters);
    std::iota(which.begin(), which.end(), 0);
    return which;
  }

  // Nothing is run then: it would be of other values.
  bool LosesValues() {
    const std::vector<std::string> why = program::LostValues(code_);
    for (const std::string& w : why) open().Add(w);
    if (!why.empty()) out_.holds = false;
    return !why.empty();
  }

  program::KernelRun KernelRunIn(std::string inputs) const {
    return {task_.plan.index, sizes_, std::move(inputs), code_.bound.sm_count};
  }

  // The clusters of a grid with the inputs of `draw`.
  void Draw(const std::vector<int64_t>& which, const Environment& draw) {
    int64_t max_events = judging_.options.max_events;
    grid_inputs_ = TextOf(draw, code_.kernel());
    of_grid_ = draw.inputs;
    alike_.emplace(code_, *judging_.fragments);
    std::optional<Protocol> protocol =
        ProtocolOf(code_, which, draw, max_events);
    std::optional<ClusterVerdict> together;
    if (judge::SideBySide(code_) > 1 &&
        (!protocol || run::WrittenForAsync(code_)))
      together = Judge(Together(0, clusters(), draw));
    // CTAs that keep a protocol can be judged one by one where that is too much
    // to search.
    if (together &&
        (!protocol || together->holds || together->findings.has_errors())) {
      Clusters(0, clusters(), draw, *std::move(together));
      Checked(clusters());
      if (run::Requests(code_))
        open().Add(
            "a cluster that cluster launch control hands out is not launched: "
            "that others wait for it was not searched");
      return;
    }
    Environment with = draw;
    if (protocol) with = WithFlags(protocol->flags, code_, draw);
    flags_hold_ = static_cast<int64_t>(which.size()) == clusters();
    const bool locks = HaveLocks(with.flags);
    if (locks || AskInRounds(with.flags)) FindLockStates(which, with, draw);
    // Whose bytes other kernels meet is seen of clusters that are judged.
    const bool each =
        (judging_.program.kernels.size() > 1 || run::WaitInTurn(with.flags) ||
         run::HaveRounds(with.flags) || locks) &&
        std::ssize(which) <= plan::kMaxOfEach;
    // What other kernels do there is not compared with clusters that stand for
    // it.
    const bool alone = judging_.program.kernels.size() == 1;
    if (alone && HandedClusters::Are(code_) && with.flags.empty() &&
        Handed(with)) {
      Checked(clusters());
    } else if (alike_->possible() && !each && std::ssize(which) > 1) {
      Alike(which, protocol, with);
    } else {
      for (int64_t c : which) Cluster(c, which.front(), protocol, with);
      Checked(static_cast<int64_t>(which.size()));
    }
    flags_hold_ &= (!locks || each) && run::RoundsHold(code_, with.flags);
    if (!with.flags.empty() && !flags_hold_)
      open().Add(
          locks ? "it was not checked that each lock is held by one CTA at a "
                  "time: not all clusters were judged, or schedules were "
                  "searched"
                : "it was not checked that every flag is set: not all clusters "
                  "were run, or schedules were searched");
    std::optional<GlobalWords> come;
    if (!with.flags.empty() && flags_hold_)
      come = FlagsThatCome(code_, with.flags, which, draw, max_events);
    EndGrid(draw, come, locks || (protocol && protocol->counter));
  }

  void TogetherInSomeSchedules(const std::vector<Environment>& draws) {
    constexpr size_t kMostDraws = 4;
    for (size_t i = 0; i < std::min(draws.size(), kMostDraws); ++i) {
      grid_inputs_ = TextOf(draws[i], code_.kernel());
      of_grid_ = draws[i].inputs;
      for (run::Rank rank : {run::Rank::kNone, run::Rank::kFirstGoesOn,
                             run::Rank::kLastGoesOn}) {
        if (findings().has_errors()) return;
        run::RunOptions o = Together(0, clusters(), draws[i]);
        o.max_events = std::min(o.max_events, kMaxEventsTogether);
        o.rank = rank;
        o.peeks = false;
        Clusters(0, clusters(), draws[i],
                 judge::VerdictOfOneSchedule(code_, o, *judging_.fragments));
      }
    }
  }

  bool Handed(const Environment& with) {
    handed_.emplace(code_, *judging_.fragments, with,
                    judging_.options.max_events);
    return handed_->Show(
        [&](int64_t c, const Environment& e) { Clusters(c, 1, e); });
  }

  void FindLockStates(const std::vector<int64_t>& which,
                      const Environment& with, const Environment& draw) {
    run::LockStates states = LockStatesOf(code_, with.flags, which, draw,
                                          judging_.options.max_events);
    if (!states.open.empty()) open().Add(states.open);
    lock_states_ = std::move(states.each);
  }

  // With some inputs; of all, what was checked with each.
  void Checked(int64_t clusters) {
    checked_ = std::min(checked_.value_or(clusters), clusters);
  }

  // Of those that do on chip what another does, that one is judged. Once it
  // turns out that they may not stand for each other, as many as without.
  void Alike(const std::vector<int64_t>& which,
             const std::optional<Protocol>& protocol, const Environment& with) {
    std::vector<int64_t> same;
    int64_t events = 0;
    judged_ = 0;
    auto judge = [&](int64_t c) {
      if (judged_ >= plan::kMaxOfEach || events > kMaxEventsAlike) return false;
      Cluster(c, which.front(), protocol, with);
      events += kTimesJudged * last_events_;
      if (alike_->possible() && c != which.back()) Watch(c, with, events);
      return true;
    };
    for (int64_t c : which) {
      if (events > kMaxEventsAlike) break;
      if (!same.empty() && !alike_->possible()) break;
      if (alike_->IsAlike(c) ||
          (judged_ > 0 && alike_->possible() && IsAlike(c, with, events))) {
        same.push_back(c);
      } else if (!judge(c)) {
        break;
      }
    }
    if (alike_->possible()) {
      for (const auto& [a, b] : alike_->Meetings()) {
        for (int64_t c : {a, b}) {
          auto at = std::find(same.begin(), same.end(), c);
          if (at == same.end()) continue;
          same.erase(at);
          Cluster(c, which.front(), protocol, with);
        }
      }
    } else {
      while (!same.empty() && judge(same.front())) same.erase(same.begin());
      same.clear();
    }
    Checked(judged_ + static_cast<int64_t>(same.size()));
  }

  Log RunOf(int64_t cluster, const Environment& environment, int64_t& events) {
    run::RunOptions o;
    o.cluster = cluster;
    o.environment = &environment;
    o.max_events = judging_.options.max_events;
    Log log = run::RunCluster(code_, o);
    events += static_cast<int64_t>(log.events.size());
    return log;
  }

  // One that was judged runs again.
  void Watch(int64_t cluster, const Environment& environment, int64_t& events) {
    const auto* guide =
        dynamic_cast<const machine::Watchable*>(code_.guide.get());
    if (guide == nullptr) return;
    guide->Watch(cluster);
    const Log log = RunOf(cluster, environment, events);
    alike_->Watched(cluster, log, guide->Watched());
  }

  bool IsAlike(int64_t cluster, const Environment& environment,
               int64_t& events) {
    const Log log = RunOf(cluster, environment, events);
    if (!alike_->IsAlike(cluster, log)) return false;
    out_.ops.Add(log);
    return true;
  }

  // `counted`: by numbers that they draw, of which the schedule decides who
  // draws which.
  void EndGrid(const Environment& draw, const std::optional<GlobalWords>& come,
               bool counted) {
    size_t before = findings().all().size();
    program::GridRun grid{KernelRunIn(grid_inputs_), come ? &*come : nullptr};
    for (const auto& check : judging_.checks)
      check->OnGrid(grid, {findings(), open()});
    for (size_t i = before; i < findings().all().size(); ++i)
      findings().all()[i].every_schedule &= !counted;
    Locate(Provenance::kBetweenClusters, draw);
  }

  // A cluster with what it may be handed, and draw. Of those that are run the
  // first alone is handed what the instance says.
  void Cluster(int64_t cluster, int64_t first,
               const std::optional<Protocol>& protocol,
               const Environment& with) {
    if (protocol && protocol->counter)
      return Numbers(cluster, protocol->counter->TicketsOf(cluster), with);
    if (task_.instance.handed_out) {
      int64_t count = cluster == first ? *task_.instance.handed_out : 0;
      Clusters(cluster, 1, HandedOut(cluster, count, with));
      return;
    }
    if (HaveLocks(with.flags) || AskInRounds(with.flags))
      return Locked(cluster, with);
    Environments all = HandOutsOf(code_, cluster, with);
    open().AddAll(all.open);
    for (const Environment& e : all.each) Clusters(cluster, 1, e);
  }

  // A cluster with each number that it may draw. What it does with some of them
  // only, not every schedule has.
  void Numbers(int64_t cluster, const std::vector<run::Ticket>& tickets,
               const Environment& draw) {
    size_t before = findings().all().size();
    size_t most = kMaxNumbers;
    if (tickets.size() > most)
      open().Add(ir::Cat("of the numbers that a CTA may draw only ", most,
                         " of ", tickets.size(), " were checked"));
    std::vector<Findings> seen;
    for (size_t n = 0; n < tickets.size(); ++n) {
      if (n >= most / 2 && n + most / 2 < tickets.size()) continue;
      seen.push_back(Clusters(cluster, 1, WithTicket(tickets[n], code_, draw)));
    }
    InEverySchedule(before, seen);
  }

  // A cluster with everything that it may find where locks are, or semaphores.
  void Locked(int64_t cluster, const Environment& with) {
    const size_t before = findings().all().size();
    std::vector<Findings> seen;
    for (const std::vector<run::Flags>& state : lock_states_)
      seen.push_back(Clusters(cluster, 1, WithFlags(state, code_, with)));
    InEverySchedule(before, seen);
  }

  // What is wrong in some of the runs alone, not every schedule has.
  void InEverySchedule(size_t before, const std::vector<Findings>& seen) {
    for (size_t i = before; i < findings().all().size(); ++i) {
      Finding& f = findings().all()[i];
      f.every_schedule &= std::all_of(
          seen.begin(), seen.end(),
          [&](const Findings& findings) { return findings.Has(f); });
    }
  }

  // `count` clusters, side by side.
  run::RunOptions Together(int64_t cluster, int64_t count,
                           const Environment& environment) const {
    run::RunOptions o;
    o.cluster = cluster;
    o.clusters = count;
    o.environment = &environment;
    const int64_t most = judging_.options.max_events;
    o.max_events =
        cut_ && Compiled() ? std::min(most, kMaxEventsOnceCut) : most;
    o.another_cut = o.max_events < most;
    o.doing = DoingOf(cluster);
    if (o.doing) o.doing("");
    return o;
  }

  Findings Clusters(int64_t cluster, int64_t count,
                    const Environment& environment) {
    return Clusters(cluster, count, environment,
                    Judge(Together(cluster, count, environment)));
  }

  // `v`: of them, side by side. Returns what they do wrong by themselves.
  Findings Clusters(int64_t cluster, int64_t count,
                    const Environment& environment, ClusterVerdict v) {
    const run::RunOptions o = Together(cluster, count, environment);
    if (DropPollsThatOthersMayEnd(v.log, judging_.program, v.findings))
      open().Add("a thread polls memory for ever");
    const auto& ticket = v.log.ticket;
    if (ticket && !CountsOnce(v.log, *ticket))
      open().Add("our bug: a CTA counts other than once");
    if (ticket && !PutsBackLast(v.log, *ticket))
      open().Add(ir::Cat("`", code_.kernel().decls[ticket->word.decl].name,
                         "` is put back by another than the thread that draws "
                         "the last number"));
    AddVerdict(v);
    ++judged_;
    last_events_ = std::ssize(v.log.events);
    const bool holds = v.holds && v.open.all().empty();
    alike_->Judged(cluster, v.log, holds, !v.findings.has_errors());
    if (handed_) handed_->Judged(v.log, holds);
    int64_t ran = count * code_.bound.cluster_size();
    bool others = code_.bound.ctas() > ran || !environment.flags.empty();
    program::ClusterRun run{code_,
                            KernelRunIn(TextOf(environment, code_.kernel())),
                            grid_inputs_,
                            of_grid_,
                            WorkOf(cluster, environment),
                            !others,
                            RunsOf(v)};
    for (const auto& check : judging_.checks)
      check->OnCluster(run, {findings(), open()});
    judging_.order.Add(run.runs, task_.instance, *judging_.fragments);
    AddPolls(v);
    Explain(o, v);
    findings().Merge(v.findings);
    Locate(cluster, environment, count);
    return std::move(v.findings);
  }

  // Of one schedule: in another they may see something else.
  void AddPolls(ClusterVerdict& v) const {
    auto polls = PollsForEver(v.log, judging_.program);
    Finding* fresh = polls ? v.findings.Add(*polls) : nullptr;
    if (fresh != nullptr) fresh->every_schedule = false;
  }

  // What follows from what, where something is new.
  void Explain(const run::RunOptions& o, ClusterVerdict& v) {
    bool fresh = false;
    for (Finding& f : v.findings.all()) {
      const Finding* known = findings().Find(f);
      if (known == nullptr) known = task_.known.Find(f);
      fresh |= known == nullptr;
      if (known != nullptr) f.because = known->because;
      f.known = known != nullptr;
    }
    if (fresh) cause::Explain(v.log, o, *judging_.fragments, v.findings);
  }

  // "gemm, M = 128, K = 64: cluster 3 of 20", and what of it.
  run::Doing DoingOf(int64_t cluster) const {
    const run::Doing& say = judging_.options.doing;
    if (!say) return {};
    std::string head = code_.kernel().name;
    for (const auto& [name, value] : sizes_)
      ir::Append(&head, ", ", name, " = ", value);
    ir::Append(&head, ": cluster ", cluster + 1, " of ", clusters());
    return [&say, head](const std::string& what) {
      say(what.empty() ? head : ir::Cat(head, ", ", what));
    };
  }

  ClusterVerdict Judge(const run::RunOptions& o) {
    bool wrong = Wrong();
    ClusterVerdict v;
    if (task_.shown) v = judge::VerdictOfShown(code_, o);
    if (v.holds) return v;
    int64_t most = judging_.budget.ForCluster(task_.sizes_open, wrong);
    v = judge::JudgeCluster(code_, o, most, *judging_.fragments);
    judging_.budget.Spend(v.states, wrong);
    if (wrong && v.states > most) SayThatItStopped(v.open);
    return v;
  }

  // The few states that were left are no limit of the user's.
  static void SayThatItStopped(report::Reasons& open) {
    report::Reasons out;
    for (const std::string& why : open.all()) {
      const bool of_states = why.ends_with(" states (--max-states)");
      out.Add(of_states ? "not all schedules were searched: the search stopped "
                          "after what it found"
                        : why);
    }
    open = std::move(out);
  }

  void AddVerdict(const ClusterVerdict& v) {
    out_.ops.Add(v.log);
    out_.holds &= v.holds;
    flags_hold_ &= v.holds;
    CheckScope& scope = out_.part.scope;
    scope.all_interleavings &= v.all_interleavings;
    scope.assumed.Add(v.assumed);
    scope.states += v.states;
    cut_ |= v.cut;
    scope.trips = std::max(scope.trips, v.log.trips);
    open().AddAll(v.open);
    open().AddAll(v.log.limits);
  }

  // Where another place would show nothing, perhaps: which CTA of the grid, on
  // which GPU.
  void NotePlace(int64_t cluster, ir::Diagnostic& d) const {
    std::string out;
    if (cluster > 0)
      out = ir::Cat("in ", code_.bound.cluster_size() > 1 ? "cluster " : "CTA ",
                    cluster, " of the grid");
    if (plan::AsksForSms(code_.kernel()))
      ir::Append(&out, out.empty() ? "" : ", ", "on a GPU of ",
                 code_.bound.sm_count,
                 code_.bound.sm_count == 1 ? " SM" : " SMs");
    if (!out.empty()) d.notes.push_back(std::move(out));
  }

  void LocateOne(int64_t cluster, const std::string& where, Finding& f) const {
    if (!where.empty()) f.diagnostic.notes.push_back(where);
    NotePlace(cluster, f.diagnostic);
    f.seen = {code_.kernel().name, sizes_, code_.bound.sm_count, cluster};
  }

  // Findings that are new were seen here.
  void Locate(int64_t cluster, const Environment& environment,
              int64_t count = 1) {
    std::string where = TextOf(environment, code_.kernel());
    for (Finding& f : findings().all()) {
      for (Finding& e : f.elsewhere) {
        if (e.seen.kernel.empty()) LocateOne(cluster, where, e);
      }
    }
    for (; located_ < findings().all().size(); ++located_) {
      Finding& f = findings().all()[located_];
      // Legality says by itself where it was seen.
      if (task_.known.Has(f) || !f.seen.kernel.empty()) continue;
      LocateOne(cluster, where, f);
      // A witness says neither where it was seen nor who ran beside.
      f.no_witness = NoWitness(f, cluster, where, count);
      f.witness = f.no_witness.empty() && f.because.empty()
                      ? WitnessOf(f, cluster)
                      : run::Path();
      if (f.witness.empty()) {
        if (f.no_witness.empty())
          f.no_witness = "none of the schedules that were tried shows it";
        continue;
      }
      f.trace = witness::TraceOf(
          witness::ReplayPath(code_, cluster, f.witness, *judging_.fragments)
              .log);
    }
  }

  // Why none is looked for; empty: one is.
  std::string NoWitness(const Finding& f, int64_t cluster,
                        const std::string& where, int64_t count) const {
    if (judging_.options.witness_events <= 0) return "none was asked for";
    // A schedule costs more than all else.
    const bool warning = f.diagnostic.severity == ir::Severity::kWarning ||
                         IsOfPractice(f.diagnostic);
    if (Compiled() && warning && judging_.options.strict.empty())
      return "it is a warning; with --strict ptx a schedule is looked for";
    if (cluster == Provenance::kBetweenClusters)
      return "it is between clusters, whatever the schedule of either";
    if (count > 1) return "several clusters ran side by side";
    return where.empty() ? "" : "it depends on what is said of it: " + where;
  }

  run::Path WitnessOf(const Finding& f, int64_t cluster) {
    if (!simple_ || simple_->cluster() != cluster)
      simple_.emplace(code_, cluster);
    return witness::FindWitness(code_, f, judging_.options.witness_events,
                                *simple_, *judging_.fragments);
  }

  const InstanceTask& task_;
  Judging& judging_;
  const machine::Code& code_;
  ir::Overrides sizes_;  // and constants given
  std::string grid_inputs_;
  machine::Inputs of_grid_;
  InstanceResult out_;
  size_t located_ = 0;                    // findings
  std::optional<AlikeClusters> alike_;    // of compiled code
  std::optional<HandedClusters> handed_;  // likewise
  std::optional<witness::SimpleSchedules> simple_;
  bool cut_ = false;                // a run was, as too long
  int64_t judged_ = 0;              // clusters
  int64_t last_events_ = 0;         // of the last of them
  std::optional<int64_t> checked_;  // likewise
  // In the grid at hand: all clusters are run, and each run stands for all
  // schedules.
  bool flags_hold_ = true;
  std::vector<std::vector<run::Flags>> lock_states_;  // likewise
};

}  // namespace

InstanceResult JudgeInstance(const InstanceTask& task, Judging& judging) {
  return InstanceJudge(task, judging).Run();
}

}  // namespace tilesim::checkers::pipeline
