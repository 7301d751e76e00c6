#include "checkers/check.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "checkers/judge/cluster.h"
#include "checkers/pipeline/alone.h"
#include "checkers/plan/instance.h"
#include "checkers/program/across_clusters.h"
#include "checkers/program/across_kernels.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/environment.h"
#include "checkers/run/runner.h"
#include "checkers/run/talk.h"
#include "checkers/sizes/cover.h"
#include "checkers/witness/replay.h"
#include "checkers/witness/witness.h"
#include "ir/cat.h"

namespace tilesim::checkers {
using footprint::Fragments;
using judge::ClusterVerdict;
using judge::JudgeCluster;
using judge::SideBySide;
using judge::VerdictOfShown;
using order::Order;
using pipeline::CoverAlone;
using plan::AsksForSms;
using plan::ChooseInstances;
using plan::GridsOfSeveral;
using plan::Instance;
using plan::InstanceAt;
using plan::InstanceOptions;
using plan::Instances;
using plan::kMaxOfEach;
using plan::LargeGrid;
using plan::SmsOf;
using program::AcrossClusters;
using program::AcrossKernels;
using program::KernelRace;
using program::KernelRun;
using report::Findings;
using report::Found;
using run::CountsOnce;
using run::DrawsOf;
using run::Environment;
using run::Environments;
using run::FlagsOf;
using run::FlagsThatCome;
using run::GlobalWords;
using run::HandedOut;
using run::HandOutsOf;
using run::Log;
using run::OpsRun;
using run::RunOptions;
using run::Talk;
using run::TalkOf;
using run::Ticket;
using run::WithFlags;
using run::WithTicket;
using run::WrittenForAsync;
using sizes::Covered;
using sizes::CoverSizes;
using sizes::Judged;
using witness::FindWitness;
using witness::ReplayPath;
using witness::StoryOf;

namespace {

// Grids are chosen small; of a large one that was asked for, this many.
constexpr int64_t kMaxClusters = 32;

// Positions that are searched for a cluster if nothing else is wanted; and
// where the verdict will be no proof.
constexpr int64_t kStates = 100'000;
constexpr int64_t kStatesOfSome = 10'000;
// Positions, in all, that are searched for what else is wrong where something
// was found before.
constexpr int64_t kMoreStates = 5'000;

// Numbers that a cluster may draw; of more, the first and the last.
constexpr size_t kMaxNumbers = 256;

// Elements, of 4 bits or more, of which strides of tensors have to be
// multiples; and steps of a parameter in which an extent may become one.
constexpr int64_t kPeriod = 64;
constexpr int64_t kFewSteps = 16;

// Clusters of a grid that are run.
int64_t MostOf(const machine::Code& code) {
  return FlagsOf(code).empty() ? kMaxClusters : kMaxOfEach;
}

bool Names(const ir::Kernel& kernel, const std::string& name) {
  auto same = [&](const auto& item) { return item.name == name; };
  return std::any_of(kernel.params.begin(), kernel.params.end(), same) ||
         std::any_of(kernel.constants.begin(), kernel.constants.end(), same);
}

// The clusters whose work one does: its own, and what it is handed.
std::vector<int64_t> WorkOf(int64_t cluster, const Environment& environment) {
  std::vector<int64_t> out{cluster};
  const auto& more = environment.handed_out;
  if (more) out.insert(out.end(), more->begin(), more->end());
  return out;
}

// Globals that decide control and that another kernel of the file has as well.
std::vector<std::string> SharedControl(const ir::Program& program,
                                       const machine::Code& code) {
  std::vector<std::string> out;
  for (size_t i = 0; i < code.control_decl.size(); ++i) {
    const std::string& name = code.kernel().decls[i].name;
    bool global = code.bound.decls[i].space == ir::Space::kGlobal;
    bool shared = std::any_of(
        program.kernels.begin(), program.kernels.end(), [&](const auto& k) {
          return k.name != code.kernel().name &&
                 std::any_of(k.decls.begin(), k.decls.end(),
                             [&](const auto& d) { return d.name == name; });
        });
    if (code.control_decl[i] && global && shared) out.push_back(name);
  }
  return out;
}

// The switch that makes a warning an error.
std::string_view SwitchOf(std::string_view code) {
  if (code == "proxy-fence/war") return "proxy-war";
  return code == "tcgen05/order" ? "tensor-war" : "";
}

class ProgramCheck {
 public:
  ProgramCheck(const ir::Program& program, const CheckOptions& options)
      : program_(program), options_(options), kernels_(program, fragments_) {}

  CheckReport Run() {
    report_.scope.all_interleavings = true;
    report_.scope.all_sizes = true;
    for (size_t i = 0; i < program_.kernels.size(); ++i) Kernel(i);
    Between();
    Decide();
    return std::move(report_);
  }

 private:
  // Each kernel takes the -D it knows; what none knows the first reports.
  ir::Overrides DefinesOf(size_t index) const {
    ir::Overrides out;
    for (const auto& [name, value] : options_.defines) {
      bool known = std::any_of(
          program_.kernels.begin(), program_.kernels.end(),
          [&, n = name](const ir::Kernel& k) { return Names(k, n); });
      if (Names(program_.kernels[index], name) || (!known && index == 0))
        out[name] = value;
    }
    return out;
  }

  void Begin(size_t index) {
    index_ = index;
    findings_ = Findings();
    holds_ = true;
    run_.clear();
    across_.clear();
    ops_run_ = OpsRun();
    left_out_ = 0;
    sizes_open_ = false;
  }

  void Kernel(size_t index) {
    Begin(index);
    const ir::Kernel& kernel = program_.kernels[index];
    InstanceOptions io{DefinesOf(index), options_.sm_count, options_.trips};
    Covered covered;
    if (options_.trips == 0) covered = Cover(kernel, io);
    covered.all ? Shown(kernel, io) : Some(kernel, io, covered);
    if (AsksForSms(kernel)) AddGpus(covered.all);
    report_.scope.all_sizes &= covered.all;
    report_.scope.all_of.insert(covered.open.begin(), covered.open.end());
    if (left_out_ > 0)
      Open(ir::Cat("of grids of up to ", left_out_, " clusters only ",
                   kMaxClusters, " were checked"));
    Tell();
  }

  // Of all sizes, the largest.
  void AddGpus(bool all_sizes) {
    std::set<int64_t> sms;
    for (const auto& [sizes, count] : run_) sms.insert(count);
    if (all_sizes && !sms.empty()) sms = {*sms.rbegin()};
    report_.scope.sms.insert(sms.begin(), sms.end());
  }

  // Strides and places in global memory, of which alone legality depends in
  // sizes that stand for others, have to be multiples of a power of 2: each
  // parameter takes all its remainders, next to the smallest sizes.
  void Legal(const ir::Kernel& kernel) {
    if (!options_.legality || run_.empty()) return;
    const auto [sizes, sms] = *run_.begin();
    for (const ir::Param& p : kernel.params) {
      for (const ir::Overrides& at : Beside(p, sizes)) {
        if (LegalAt(kernel, at, sms)) continue;
        // Not permitted alone: together with another.
        for (const ir::Param& q : kernel.params) {
          if (q.name == p.name) continue;
          for (const ir::Overrides& both : Beside(q, at))
            LegalAt(kernel, both, sms);
        }
      }
    }
  }

  std::vector<ir::Overrides> Beside(const ir::Param& p,
                                    const ir::Overrides& sizes) const {
    std::vector<ir::Overrides> out;
    if (options_.defines.count(p.name) != 0) return out;
    for (int64_t n = 1; n < kFewSteps || n * p.step % kPeriod != 0; ++n) {
      ir::Overrides at = sizes;
      at[p.name] += n * p.step;
      if (p.high && at[p.name] > *p.high) break;
      out.push_back(std::move(at));
    }
    return out;
  }

  // False: it is not permitted.
  bool LegalAt(const ir::Kernel& kernel, const ir::Overrides& sizes,
               int64_t sms) {
    ir::Diagnostics ignored;
    auto bound = ir::Bind(kernel, sizes, sms, ignored);
    if (bound) IsLegal(*bound);
    return bound.has_value();
  }

  // Else a finding.
  bool IsLegal(const ir::BoundKernel& bound) {
    ir::Diagnostics all;
    if (options_.legality) options_.legality(bound, all);
    for (const ir::Diagnostic& d : all.all()) {
      if (d.severity != ir::Severity::kError) continue;
      Found* found = findings_.Add(
          d.code, ir::Cat(d.span.line, ":", d.span.column, " ", d.message));
      if (found == nullptr) continue;
      found->diagnostic = d;
      std::string with;
      for (const auto& [name, value] : SizesOf(bound))
        ir::Append(&with, with.empty() ? "with " : ", ", name, " = ", value);
      if (!with.empty()) found->diagnostic.notes.push_back(with);
      told_.emplace_back().seen = SeenAt(bound, -1);
    }
    return !all.has_errors();
  }

  // All sizes, on the GPU that the kernel is for.
  Covered Cover(const ir::Kernel& kernel, const InstanceOptions& io) {
    if (io.sm_count != 0 || !AsksForSms(kernel)) return CoverOn(kernel, io);
    InstanceOptions gpu = io;
    gpu.sm_count = SmsOf(kernel.target);
    Covered covered = CoverOn(kernel, gpu);
    if (Wrong()) TellInSmallSizes(kernel, io);
    return covered;
  }

  // What is wrong on the smallest GPU is that in smaller sizes.
  void TellInSmallSizes(const ir::Kernel& kernel, const InstanceOptions& io) {
    Findings large = std::exchange(findings_, Findings());
    std::vector<CheckFinding> told = std::exchange(told_, {});
    ir::Diagnostics ignored;
    for (const Instance& i : ChooseInstances(kernel, io, ignored).all)
      RunNew(i);
    if (Wrong()) return;
    findings_ = std::move(large);
    told_ = std::move(told);
  }

  Covered CoverOn(const ir::Kernel& kernel, const InstanceOptions& io) {
    return CoverSizes(kernel, {io, options_.max_events, false, {}},
                      [&](const Instance& i) {
                        Run(i);
                        if (Wrong()) return Judged::kWrong;
                        return holds_ ? Judged::kByOrder : Judged::kSearched;
                      });
  }

  bool Wrong() const {
    const auto& all = findings_.all();
    return std::any_of(all.begin(), all.end(), [](const Found& f) {
      return f.diagnostic.severity == ir::Severity::kError;
    });
  }

  // Some sizes in which mistakes show; and whether each CTA is right by itself
  // in all of them.
  void Some(const ir::Kernel& kernel, const InstanceOptions& io,
            Covered& covered) {
    sizes_open_ = options_.trips == 0;
    Instances instances = ChooseInstances(kernel, io, report_.errors);
    for (const Instance& i : instances.all) RunNew(i);
    // What kernels do to each other at the same time is judged with each run.
    bool overlap = std::any_of(program_.kernels.begin(), program_.kernels.end(),
                               [](const auto& k) { return k.programmatic; });
    if (sizes_open_ && !overlap && !Wrong() && !instances.all.empty()) {
      auto alone = CoverAlone(instances.all.front(),
                              {io, options_.max_events, kStatesOfSome},
                              findings_, fragments_, covered);
      if (alone && covered.all) return Together(kernel, io, alone->ops);
      if (alone && alone->suspect) RunAt(kernel, *alone->suspect, 0);
    }
    if (Wrong()) return;
    if (sizes_open_) Open(ir::Cat("not all sizes: ", covered.why));
    if (instances.short_of_goal)
      Open(ir::Cat("found no sizes in which loops go around often enough: ",
                   instances.trips, " of ", instances.goal, " trips; try -D"));
  }

  // What CTAs that were judged alone do to each other, in a large grid.
  void Together(const ir::Kernel& kernel, const InstanceOptions& io,
                const OpsRun& alone) {
    if (auto large = LargeGrid(kernel, io)) RunNew(*large);
    if (Wrong()) return;
    for (const auto& [line, column] : alone.Beyond(ops_run_))
      Open(ir::Cat("what CTAs do to each other on line ", line,
                   " was looked at in no grid: it is not reached in those that "
                   "were run"));
  }

  // In sizes that stand for all, clusters are mostly alone in the grid: what
  // they do to each other is seen in others.
  void Shown(const ir::Kernel& kernel, const InstanceOptions& io) {
    Legal(kernel);
    shown_ = holds_;
    for (const Instance& i : GridsOfSeveral(kernel, io)) Run(i);
    shown_ = false;
  }

  void RunNew(const Instance& instance) {
    if (run_.count(GridOf(instance)) == 0) Run(instance);
  }

  // Sizes, and SMs of the GPU.
  using Grid = std::pair<ir::Overrides, int64_t>;
  static Grid GridOf(const Instance& instance) {
    return {instance.sizes, instance.code->bound.sm_count};
  }

  void Run(const Instance& instance) {
    run_.insert(GridOf(instance));
    for (const auto& [name, value] : instance.sizes)
      report_.scope.params[name].insert(value);
    const ir::BoundKernel& b = instance.code->bound;
    int64_t clusters = b.ctas() / b.cluster_size();
    report_.scope.clusters += clusters;
    std::vector<int64_t> which = instance.clusters;
    if (which.empty()) {
      int64_t most = MostOf(*instance.code);
      if (clusters > most) left_out_ = std::max(left_out_, clusters);
      which.resize(clusters > most ? kMaxClusters : clusters);
      std::iota(which.begin(), which.end(), 0);
    }
    report_.scope.clusters_checked += static_cast<int64_t>(which.size());
    if (!IsLegal(b)) return;
    Environments draws = DrawsOf(*instance.code);
    for (const std::string& why : draws.open) Open(why);
    for (const Environment& draw : draws.each) Draw(instance, which, draw);
  }

  void Draw(const Instance& instance, const std::vector<int64_t>& which,
            const Environment& draw) {
    const machine::Code& code = *instance.code;
    const ir::BoundKernel& b = code.bound;
    int64_t clusters = b.ctas() / b.cluster_size();
    auto [at, fresh] = across_.try_emplace(
        {GridOf(instance), TextOf(draw, code.kernel())}, fragments_);
    AcrossClusters& across = at->second;
    std::optional<Talk> talk = TalkOf(code, which, draw, options_.max_events);
    if (SideBySide(code) > 1 && (!talk || WrittenForAsync(code))) {
      Clusters(code, 0, clusters, draw, across);
      return;
    }
    Environment with = draw;
    if (talk) with = WithFlags(talk->flags, code, draw);
    flags_hold_ = static_cast<int64_t>(which.size()) == clusters;
    for (int64_t c : which) {
      if (talk && talk->counter) {
        Numbers(code, c, talk->counter->TicketsOf(c), with, across);
      } else if (instance.handed_out) {
        int64_t count = c == which.front() ? *instance.handed_out : 0;
        Clusters(code, c, 1, HandedOut(c, count, with), across);
      } else {
        Environments all = HandOutsOf(code, c, with);
        for (const std::string& why : all.open) Open(why);
        for (const Environment& e : all.each) Clusters(code, c, 1, e, across);
      }
    }
    if (!with.flags.empty() && !flags_hold_)
      Open(
          "whether every flag is set was not looked at: not all clusters were "
          "run, or schedules were searched");
    size_t before = findings_.all().size();
    std::optional<GlobalWords> come;
    if (!with.flags.empty() && flags_hold_)
      come = FlagsThatCome(code, with.flags, which, draw, options_.max_events);
    across.Finish(come ? &*come : nullptr, findings_);
    // Who draws which number the schedule decides.
    for (size_t i = before; i < findings_.all().size(); ++i)
      findings_.all()[i].in_run &= !(talk && talk->counter);
    Locate(code, -1, draw);
    for (const std::string& why : across.open()) Open(why);
  }

  // A cluster with each number that it may draw. What it does with some of them
  // only, not every schedule has.
  void Numbers(const machine::Code& code, int64_t cluster,
               const std::vector<Ticket>& tickets, const Environment& draw,
               AcrossClusters& across) {
    size_t before = findings_.all().size();
    size_t most = kMaxNumbers;
    if (tickets.size() > most)
      Open(ir::Cat("of the numbers that a CTA may draw only ", most, " of ",
                   tickets.size(), " were looked at"));
    std::vector<Findings> seen;
    for (size_t n = 0; n < tickets.size(); ++n) {
      if (n >= most / 2 && n + most / 2 < tickets.size()) continue;
      Environment with = WithTicket(tickets[n], code, draw);
      seen.push_back(Clusters(code, cluster, 1, with, across));
    }
    for (size_t i = before; i < findings_.all().size(); ++i) {
      Found& f = findings_.all()[i];
      f.in_run &= std::all_of(seen.begin(), seen.end(),
                              [&](const Findings& s) { return s.Has(f); });
    }
  }

  // `count` clusters, side by side. Returns what each does wrong by itself.
  Findings Clusters(const machine::Code& code, int64_t cluster, int64_t count,
                    const Environment& environment, AcrossClusters& across) {
    RunOptions o;
    o.cluster = cluster;
    o.clusters = count;
    o.environment = &environment;
    o.max_events = options_.max_events;
    bool wrong = Wrong();
    ClusterVerdict v = shown_ ? VerdictOfShown(code, o) : ClusterVerdict();
    if (!v.holds) v = JudgeCluster(code, o, MaxStates(), fragments_);
    if (wrong) more_states_ = std::max<int64_t>(0, more_states_ - v.states);
    int64_t ran = count * code.bound.cluster_size();
    std::vector<int64_t> work = WorkOf(cluster, environment);
    bool others = code.bound.ctas() > ran || !environment.flags.empty();
    if (others && !across.Has(work, environment.ticket)) {
      Order::Kind all = Order::Kind::kNoFlags, one = Order::Kind::kMemory;
      if (v.same_accesses) across.Add(v.log, work, all);
      for (const Log& log : v.orders) across.Add(log, work, one);
    }
    const auto& ticket = v.log.ticket;
    if (ticket && !CountsOnce(v.log, *ticket))
      Open("our bug: a CTA counts other than once");
    AddRun(code, v, environment);
    ops_run_.Add(v.log);
    holds_ &= v.holds;
    flags_hold_ &= v.holds;
    report_.scope.all_interleavings &= v.all_interleavings;
    report_.scope.states += v.states;
    report_.scope.trips = std::max(report_.scope.trips, v.log.trips);
    for (const std::string& why : v.open) Open(why);
    for (const std::string& why : v.log.limits) Open(why);
    Listen(code);
    findings_.Merge(v.findings);
    Locate(code, cluster, environment, count);
    return std::move(v.findings);
  }

  int64_t MaxStates() const {
    int64_t most = options_.max_states;
    if (most == 0) most = sizes_open_ ? kStatesOfSome : kStates;
    return Wrong() ? std::min(most, more_states_) : most;
  }

  // What other kernels may do at the same time depends on it.
  void AddRun(const machine::Code& code, const ClusterVerdict& v,
              const Environment& environment) {
    KernelRun run{index_, SizesOf(code.bound),
                  TextOf(environment, code.kernel()), code.bound.sm_count};
    std::optional<Order::Kind> all;
    if (v.holds) all = Order::Kind::kNoFlags;
    if (v.same_accesses) kernels_.Add(run, v.log, all);
    for (const Log& log : v.orders)
      kernels_.Add(run, log, Order::Kind::kMemory);
  }

  void Listen(const machine::Code& code) {
    for (const std::string& name : SharedControl(program_, code)) {
      kernels_.Listens(index_);
      Open(ir::Cat("control may depend on values of `", name,
                   "`, which another kernel writes"));
    }
  }

  // One kernel more, at sizes at which another may meet it.
  void RunAlso(const KernelRun& wanted) {
    const ir::Kernel& kernel = program_.kernels[wanted.kernel];
    Begin(wanted.kernel);
    RunAt(kernel, wanted.sizes, wanted.sm_count);
    Tell();
  }

  // The kernel at hand, at those sizes of it if they are permitted.
  void RunAt(const ir::Kernel& kernel, const ir::Overrides& wanted,
             int64_t sm_count) {
    ir::Overrides sizes = DefinesOf(index_);
    for (const ir::Param& p : kernel.params) {
      auto at = wanted.find(p.name);
      if (at != wanted.end()) sizes[p.name] = at->second;
    }
    if (auto instance = InstanceAt(kernel, sizes, sm_count)) RunNew(*instance);
  }

  void Between() {
    if (report_.findings.empty()) {  // they would be told again
      for (const KernelRun& wanted : kernels_.Wanted()) RunAlso(wanted);
    }
    std::vector<std::string> open;
    kernels_.TensorMemory(open);
    for (KernelRace& race : kernels_.Races(open)) {
      CheckFinding& out = report_.findings.emplace_back();
      out.diagnostic = std::move(race.diagnostic);
      out.every_schedule = race.every_schedule;
      out.times = race.times;
      out.seen = {program_.kernels[race.seen.kernel].name, race.seen.sizes,
                  race.seen.sm_count, -1};
    }
    for (const std::string& why : open) Open(why);
  }

  Sighting SeenAt(const ir::BoundKernel& bound, int64_t cluster) const {
    return {bound.kernel->name, SizesOf(bound), bound.sm_count, cluster};
  }

  // Findings that are new were seen here; `cluster` -1: between clusters.
  void Locate(const machine::Code& code, int64_t cluster,
              const Environment& environment, int64_t count = 1) {
    std::string where = TextOf(environment, code.kernel());
    while (told_.size() < findings_.all().size()) {
      Found& found = findings_.all()[told_.size()];
      CheckFinding& out = told_.emplace_back();
      if (!where.empty()) found.diagnostic.notes.push_back(where);
      out.seen = SeenAt(code.bound, cluster);
      // A witness says neither where it was seen nor who ran beside.
      if (cluster < 0 || count > 1 || !where.empty()) continue;
      out.witness = FindWitness(code, found, {cluster, options_.witness_events},
                                fragments_);
      if (out.witness.empty()) continue;
      out.story =
          StoryOf(ReplayPath(code, cluster, out.witness, fragments_).log);
    }
  }

  void Tell() {
    for (size_t i = 0; i < told_.size(); ++i) {
      const Found& f = findings_.all()[i];
      told_[i].diagnostic = f.diagnostic;
      // What happens between clusters was judged in one run of each.
      bool between = told_[i].seen.cluster < 0;
      told_[i].every_schedule = f.in_run && (holds_ || !between);
      told_[i].times = f.times;
      report_.findings.push_back(std::move(told_[i]));
    }
    told_.clear();
  }

  // Every parameter, and the constants that -D replaced.
  ir::Overrides SizesOf(const ir::BoundKernel& bound) const {
    ir::Overrides out;
    const ir::Kernel& kernel = *bound.kernel;
    for (const auto& [name, value] : options_.defines) {
      if (Names(kernel, name)) out[name] = value;
    }
    for (const ir::Param& p : kernel.params)
      out[p.name] = bound.slots[p.slot]->number;
    return out;
  }

  void Open(const std::string& why) {
    auto& open = report_.open;
    if (std::find(open.begin(), open.end(), why) == open.end())
      open.push_back(why);
  }

  void Decide() {
    bool errors = false;
    for (CheckFinding& f : report_.findings) {
      bool warns = f.diagnostic.severity == ir::Severity::kWarning;
      if (warns && options_.strict.count(SwitchOf(f.diagnostic.code)) != 0) {
        f.diagnostic.severity = ir::Severity::kError;
        warns = false;
      }
      errors |= !warns;
    }
    bool proved = report_.scope.all_interleavings && report_.open.empty() &&
                  !report_.errors.has_errors();
    report_.verdict = errors   ? Verdict::kFindings
                      : proved ? Verdict::kClean
                               : Verdict::kIncomplete;
  }

  const ir::Program& program_;
  const CheckOptions& options_;
  CheckReport report_;
  Findings findings_;               // of the kernel at hand
  std::vector<CheckFinding> told_;  // of each of them where it was seen
  Fragments fragments_;
  AcrossKernels kernels_;
  size_t index_ = 0;      // of the kernel at hand
  OpsRun ops_run_;        // of the kernel at hand
  int64_t left_out_ = 0;  // clusters of a grid of which not all were run
  std::set<Grid> run_;    // of the kernel at hand
  // Its clusters, by that and the values of inputs.
  std::map<std::pair<Grid, std::string>, AcrossClusters> across_;
  int64_t more_states_ = kMoreStates;
  bool sizes_open_ = false;  // not all sizes will be covered
  bool holds_ = true;        // every cluster's run stands for all its schedules
  bool shown_ = false;       // what is run now has been shown to be right
  bool flags_hold_ = true;   // likewise, of an instance, and all of it was run
};

}  // namespace

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kClean:
      return "clean";
    case Verdict::kFindings:
      return "findings";
    case Verdict::kIncomplete:
      return "incomplete";
  }
  return "";
}

CheckReport Check(const ir::Program& program, const CheckOptions& options) {
  return ProgramCheck(program, options).Run();
}

}  // namespace tilesim::checkers
