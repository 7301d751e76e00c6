#include "checkers/pipeline/judge_kernel.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checkers/pipeline/apart.h"
#include "checkers/pipeline/every_cta.h"
#include "checkers/pipeline/global_memory.h"
#include "checkers/pipeline/judge_instance.h"
#include "checkers/pipeline/judge_more.h"
#include "checkers/pipeline/kept_inputs.h"
#include "checkers/pipeline/kernel_runs.h"
#include "checkers/pipeline/large_numbers.h"
#include "checkers/pipeline/legality.h"
#include "checkers/pipeline/own_sizes.h"
#include "checkers/pipeline/per_cta.h"
#include "checkers/pipeline/pitches.h"
#include "checkers/pipeline/residency.h"
#include "checkers/pipeline/smallest.h"
#include "checkers/pipeline/step_above.h"
#include "checkers/pipeline/stored_at_sizes.h"
#include "checkers/pipeline/stored_by_kernels.h"
#include "checkers/pipeline/wide_sizes.h"
#include "checkers/plan/instance.h"
#include "checkers/sizes/partition/cover.h"
#include "checkers/sizes/partition/other_form.h"
#include "ir/cat.h"
#include "ir/define.h"

namespace tilesim::checkers::pipeline {
using plan::Instance;
using plan::InstanceOptions;
using report::Finding;
using report::Findings;
using report::Provenance;
using sizes::partition::Covered;
using sizes::partition::Judged;

namespace {

class KernelJudge : private KernelRuns {
 public:
  KernelJudge(const KernelPlan& plan, Judging& judging,
              ShownBySolver shown = {}, const ir::Kernel* wide = nullptr)
      : KernelRuns(plan, judging, std::move(shown)), wide_(wide) {}

  // Each CTA by itself, at all sizes together. Whether it is right at all.
  // `most_events`: of inductive runs.
  bool EachCtaAtAllSizes(
      int64_t most_events = sizes::partition::kMostInductiveEvents) {
    from_all_sizes_ = FromAllSizes();
    covered_.all = from_all_sizes_;
    if (!from_all_sizes_ && plan_.every_size()) covered_ = Cover(most_events);
    return covered_.all;
  }

  bool all() const { return covered_.all; }
  // Nothing is wrong, but it is not shown.
  bool open() const { return !covered_.all && !Wrong(); }

  // Again, if it was not shown because that would have taken more events.
  void EachCtaWithMoreEvents() {
    if (covered_.too_long && !Wrong())
      covered_ = Cover(sizes::partition::kMostInductiveEvents);
  }

  // Of a kernel that has more sizes: CTA by CTA, after one run, and then the
  // runs of some sizes. Whether it is right.
  bool EachCtaAtMoreSizes() {
    sizes_open_ = true;
    const plan::Instances instances =
        ChooseInstances(*plan_.kernel, plan_.sizes, out_.errors);
    if (instances.all.empty()) return false;
    RunNew(instances.all.front());
    if (Wrong() || !EachCta(instances.all.front().sizes, covered_))
      return false;
    for (const Instance& i : instances.all) RunNew(i);
    return !Wrong();
  }

  // The rest, after EachCtaAtAllSizes(): some sizes, where it was not shown of
  // all, and what CTAs do to each other.
  Part Conclude() {
    Covered covered = std::move(covered_);
    bool every_op_ran = false;
    if (!from_all_sizes_ && wide_ == nullptr) {
      every_op_ran = covered.all && out_.open.empty() && draws_.empty() &&
                     holds_ && !Wrong();
      covered.all ? WhereClustersMeet() : SomeSizes(covered);
      if (covered.all && !draws_.empty()) AnyValues();
    }
    OwnSizes(covered.all);
    BetweenClusters();
    if (covered.all) InClusters(covered.for_larger);
    if (plan_.every_size() && (any_values_ || !EveryCtaWasRun())) Defined();
    StoredWhole(covered.all);
    NotLaunched();
    WhetherAllStartInLarger();
    if (every_op_ran && !Wrong()) Unreached();
    CheckScope& scope = out_.scope;
    if (plan_.asks_for_sms && !run_.empty()) scope.sms = Gpus(covered.all);
    scope.all_sizes = covered.all;
    scope.assumed.small_sizes |=
        covered.all &&
        (covered.small_sizes || (memory_ && memory_->small_sizes()));
    scope.assumed.numbers_fit |=
        covered.all && memory_ && MayPass64Bits(memory_->code(), plan_.given);
    scope.residents = Assumed();
    if (Wrong()) scope.between = Between::kGridsRun;
    UndefinedTensors(covered.all);
    for (const ir::Param& p : plan_.kernel->params) {
      if (plan_.given.count(p.name) != 0) scope.given.insert(p.name);
    }
    scope.all_of.insert(covered.open.begin(), covered.open.end());
    // Of all sizes each cluster was shown by itself, and what they do to each
    // other of the text.
    if (cut_grid_ > 0 && (!covered.all || ctas_wait_))
      out_.open.Add(ir::Cat("of grids of up to ", cut_grid_, " clusters only ",
                            kMaxClusters, " were checked"));
    if (Wrong()) ShowAtSmallest(plan_, judging_, out_.findings);
    return Finished();
  }

  // Empty, if nothing was run.
  ShownBySolver Shown() const {
    return memory_ ? memory_->Shown() : ShownBySolver();
  }

  const std::optional<GlobalMemory>& memory() const { return memory_; }

  // The smallest sizes that were run; null: none were.
  const Grid* Smallest() const {
    return run_.empty() ? nullptr : &*run_.begin();
  }

  Part At(const ir::Overrides& sizes, int64_t sm_count, Draws draws) {
    any_values_ = draws == Draws::kSome;
    RunAt(sizes, sm_count);
    return Finished();
  }

 private:
  // Also by what is an error only because that was asked for: at the sizes at
  // hand it may be none.
  bool Errs(const Findings& findings) const {
    return std::any_of(
        findings.all().begin(), findings.all().end(), [&](const Finding& f) {
          const ir::Diagnostic& d = f.diagnostic;
          return d.severity == ir::Severity::kError ||
                 judging_.options.strict.count(d.code.strict()) != 0;
        });
  }

  // Sizes that -D gives are some of all: what holds at all of them holds there,
  // and loops that a parameter bounds need not be run to their end. False: it
  // does not hold at all sizes, or that was not shown.
  bool FromAllSizes() {
    const std::vector<ir::Param>& params = plan_.kernel->params;
    CheckOptions options = judging_.options;
    std::map<std::string, std::set<int64_t>> given;
    for (const ir::Param& p : params) {
      auto at = plan_.given.find(p.name);
      if (at == plan_.given.end()) continue;
      given[p.name] = {at->second};
      options.defines.erase(p.name);
    }
    if (given.empty() || !plan_.every_size() || OthersRunToo()) return false;
    options.own_sizes.clear();
    Judging judging(judging_.program, options);
    const KernelPlan plan = PlanKernel(judging.program, plan_.index, options);
    Part all = JudgeKernel(plan, judging);
    // Checks of the program have seen these runs only here.
    for (const auto& check : judging.checks)
      check->OnProgramEnd({all.findings, all.open});
    bool holds = all.scope.all_sizes && all.scope.all_interleavings &&
                 all.open.empty() && !Errs(all.findings) &&
                 !all.errors.has_errors();
    if (!holds) return false;
    for (const auto& [name, values] : given) {
      all.scope.params[name] = values;
      all.scope.all_of.erase(name);
    }
    all.scope.not_launched.clear();  // of other sizes
    out_.Add(all);
    judging_.order = std::move(judging.order);
    return true;
  }

  // All sizes, on the GPU that the kernel is for.
  Covered Cover(int64_t most_events) {
    const InstanceOptions gpu = OnItsGpu();
    const sizes::partition::CoverOptions options{gpu,
                                                 judging_.options.max_events,
                                                 false,
                                                 {},
                                                 shown_.Inside(),
                                                 shown_.stored(),
                                                 most_events};
    auto judge = [&](const Instance& i) {
      Run(i);
      if (Wrong()) return Judged::kWrong;
      return holds_ ? Judged::kByOrder : Judged::kSearched;
    };
    Covered covered =
        sizes::partition::WithCounters(*plan_.kernel, options, judge);
    if (!covered.all && !Wrong() && holds_ && !run_.empty()) {
      const auto [at, sms] = *run_.begin();
      if (auto some = plan::InstanceAt(*plan_.kernel, at, sms))
        covered = sizes::partition::InOtherForm(*some->code, options, judge,
                                                std::move(covered));
    }
    bool chosen = gpu.sm_count != plan_.sizes.sm_count;
    if (chosen && Wrong()) ReportInSmallSizes();
    return covered;
  }

  // What is wrong on the smallest GPU is that in smaller sizes.
  void ReportInSmallSizes() {
    Findings large = std::exchange(out_.findings, Findings());
    ir::Diagnostics ignored;
    for (const Instance& i :
         ChooseInstances(*plan_.kernel, plan_.sizes, ignored).all)
      RunNew(i);
    if (!Wrong()) out_.findings = std::move(large);
  }

  // What decides at which sizes a kernel can be launched at all.
  void LegalityOfAll() {
    if (!run_.empty()) {
      const auto& [sizes, sms] = *run_.begin();
      JudgeLegalityBeside(plan_, judging_.options.legality, sizes, sms,
                          out_.findings);
    }
    out_.open.AddAll(LegalityNotShown(plan_));
  }

  // In sizes that stand for all, clusters are mostly alone in the grid: what
  // they do to each other is seen in others.
  void WhereClustersMeet() {
    LegalityOfAll();
    bool shown = holds_;
    for (const Instance& i : GridsOfSeveral(*plan_.kernel, plan_.sizes))
      Run(i, shown);
  }

  // The text's own sizes: what goes wrong at those is told, whatever stands for
  // them, and whether or not they are far larger than that.
  void OwnSizes(bool all_sizes) {
    for (const ir::Overrides& named : judging_.options.own_sizes) {
      if (Wrong()) return;
      ir::Overrides sizes = ir::DefinesOf(*plan_.kernel, named);
      bool of_params =
          std::all_of(sizes.begin(), sizes.end(), [&](const auto& size) {
            return std::any_of(
                plan_.kernel->params.begin(), plan_.kernel->params.end(),
                [&](const ir::Param& p) { return p.name == size.first; });
          });
      // With another constant it is another program.
      if (!of_params) continue;
      for (const auto& [name, value] : plan_.sizes.defines) sizes[name] = value;
      auto instance = plan::InstanceAt(*plan_.kernel, sizes, plan_.gpu_sms);
      if (!instance) {
        TellNotPermitted(plan_, sizes, out_.findings);
        continue;
      }
      if (run_.count(GridOf(*instance)) == 0) {
        if (IsRunWhole(*instance, all_sizes)) Run(*instance);
        if (Wrong()) return;
        instance->clusters = GoesWrong(plan_, *instance, judging_);
        if (!instance->clusters.empty()) Run(*instance);
        instance->clusters.clear();
      }
      if (!Wrong()) EachCtaAt(*instance);
      if (!Wrong()) WhetherAllStart(*instance);
    }
  }

  void EachCtaAt(Instance& instance) {
    ReadMemory(instance, false);
    EveryCta all = LookAtEveryCta(plan_, instance, judging_);
    for (const std::vector<int64_t>& clusters : all.suspects) {
      instance.clusters = clusters;
      RunSuspects(instance);
      if (Wrong()) return;
    }
    apart_ |= all.apart && OneSize();
    for (const ir::Diagnostic& d : all.holes) Tell(d, instance, true);
    for (auto& [tensor, whole] : all.whole) {
      if (OneSize() && whole.where == Whole::Where::kOwnSizes)
        whole.where = Whole::Where::kAllSizes;
      out_.scope.whole[tensor] = whole;
    }
  }

  // CTAs that wait for others need room for those.
  void WhetherAllStart(const Instance& instance) {
    Residency r = ResidencyAt(plan_, instance, judging_.options.max_events);
    if (r.stuck) return Tell(*r.stuck, instance, false);
    if (!r.open.empty()) out_.open.Add(r.open);
    residents_ = std::max(residents_.value_or(Residents::kAny), r.assumed);
  }

  void WhetherAllStartInLarger() {
    if (Wrong() || OneSize() || !ctas_wait_) return;
    auto at = StuckInLarger(plan_, judging_.options.max_events);
    if (at) Tell(at->second, at->first, false);
  }

  // At sizes that were not checked, the grid may be any.
  Residents Assumed() const {
    if (OneSize() && residents_) return *residents_;
    return ctas_wait_ ? Residents::kAll : Residents::kAny;
  }

  // Grids that were run show mistakes. That there are none, at any size, is
  // shown of the text; where that fails, the kernel is run at the sizes where
  // it failed.
  void BetweenClusters() {
    Between& between = out_.scope.between;
    const bool every_cta = !any_values_ && (apart_ || EveryCtaWasRun());
    if (every_cta) between = Between::kEveryCta;
    if (Wrong() || run_.empty() || every_cta) return;
    between = Between::kAllSizes;
    if (!memory_) return;
    judging_.Doing(*plan_.kernel, "what clusters do to each other, all sizes");
    for (const MayMeet& m :
         memory_->BetweenClusters(judging_.order.words.words())) {
      between = Between::kGridsRun;
      Meet(m);
      if (Wrong()) return;
      open_pairs_.insert(m.sites);
    }
  }

  // So it is with threads of one cluster.
  void InClusters(const std::set<ir::Overrides>& for_larger) {
    if (Wrong() || !memory_ || (!any_values_ && EveryCtaWasRun())) return;
    std::vector<MayMeet> may =
        memory_->InClusters(judging_.order, for_larger, open_pairs_);
    judging_.order.sites = SiteOrder();  // all that there is to see was seen
    for (const MayMeet& m : may) {
      Meet(m);
      if (Wrong()) return;
    }
  }

  void Defined() {
    if (Wrong() || !memory_) return;
    for (const MayFail& m : memory_->NotShown()) {
      if (m.where) RunTwo(*m.where);
      if (Wrong()) return;
      out_.open.Add(m.why);
    }
  }

  // Whether all of each result is stored. If it is not shown, sizes are tried.
  void StoredWhole(bool all_sizes) {
    if (Wrong() || !memory_) return;
    bool open = false;
    const grid::Words& words = judging_.order.words.words();
    for (auto& [tensor, whole] : out_.scope.whole) {
      if (whole.where == Whole::Where::kAllSizes) continue;
      if (all_sizes && StoredByKernels(tensor, *memory_, plan_, judging_))
        whole = {Whole::Where::kAllSizes, "", false};
      open = open || whole.where == Whole::Where::kOwnSizes || whole.by_memory;
    }
    if (open && !run_.empty()) HolesInSizes(all_sizes);
    for (auto& [tensor, whole] : out_.scope.whole) {
      if (Wrong()) return;
      if (!memory_->StoredAsLaunched(words, DeclOf(*plan_.kernel, tensor)))
        whole = NotAsLaunched();
      if (whole.where == Whole::Where::kOwnSizes && !all_sizes) continue;
      if (auto why = WhyNotWhole(tensor, whole)) out_.open.Add(*why);
    }
  }

  void NotLaunched() {
    if (Wrong() || !memory_ || OneSize()) return;
    const std::string sizes = memory_->NotLaunched(judging_.options.defines);
    if (!sizes.empty()) out_.scope.not_launched[plan_.kernel->name] = sizes;
  }

  void UndefinedTensors(bool all_sizes) {
    if (!memory_) return;
    out_.undefined = memory_->UndefinedTensors(
        judging_.program, judging_.order.words.words(), all_sizes);
    out_.undefined->every_cta_run = !any_values_ && EveryCtaWasRun();
  }

  void HolesInSizes(bool all_sizes) {
    const StoredAtSizes tried = StoresAtSizes(plan_, run_, judging_);
    for (const ir::Diagnostic& d : tried.holes) Tell(d, *tried.at, true);
    if (Wrong()) {
      std::erase_if(out_.scope.whole, [](const auto& result) {
        return result.second.where == Whole::Where::kOwnSizes;
      });
    }
    if (!tried.at_every_size || !all_sizes) return;
    for (auto& [tensor, stored] : out_.scope.whole) {
      if (stored.where == Whole::Where::kOwnSizes)
        stored.where = Whole::Where::kAllSizes;
    }
  }

  void Meet(const MayMeet& m) {
    if (m.where) RunTwo(*m.where);
    for (const grid::Example& other : m.others) {
      if (!Wrong()) RunTwo(other);
    }
    if (!Wrong()) out_.open.Add(m.why);
  }

  // Some sizes in which mistakes show; and whether each CTA is right by itself
  // in all of them.
  void SomeSizes(Covered& covered) {
    sizes_open_ = plan_.every_size();
    plan::Instances instances =
        ChooseInstances(*plan_.kernel, plan_.sizes, out_.errors);
    for (const Instance& i : instances.all) RunNew(i);
    // What kernels do to each other at the same time is judged with each run.
    bool each_cta =
        sizes_open_ && !plan_.overlaps && !Wrong() && !instances.all.empty();
    if (each_cta && EachCta(instances.all.front().sizes, covered)) return;
    if (Wrong()) return;
    if (sizes_open_) out_.open.Add(ir::Cat("not all sizes: ", covered.why));
    if (instances.short_of_goal) out_.open.Add(plan::ShortOfGoal(instances));
  }

  // Of sizes that were all run, with some draws of what decides control: each
  // CTA for all of them, where one element of it decides (docs/all_sizes.md
  // 3.11). What was written before it is read is seen in runs only, and depends
  // on what they draw.
  void AnyValues() {
    Covered covered;
    const bool reads_own =
        memory_ ? ReadsOwn(memory_->UndefinedTensors(
                      judging_.program, judging_.order.words.words(), false))
                : !UndefinedIn(judging_.program).empty();
    if (Wrong() || plan_.overlaps || run_.empty() || reads_own) return;
    EachCta(run_.begin()->first, covered);
  }

  // Whether every CTA that there is at some size is right by itself, with all
  // values of inputs. `sizes`: some that are permitted.
  bool EachCta(const ir::Overrides& sizes, Covered& covered) {
    // On a smaller GPU a grid of its SMs has fewer CTAs: it says nothing of the
    // others.
    const ir::Kernel& text = wide_ != nullptr ? *wide_ : *plan_.kernel;
    const auto some = plan::InstanceAt(text, sizes, plan_.gpu_sms);
    if (!some) return false;
    // Other forms of the kernel have boxes of which their texts do not say it.
    const std::set<grid::Side> by_text =
        memory_ ? memory_->InsideByText() : std::set<grid::Side>();
    const auto by_solver = shown_.Inside();
    const auto inside = [&](const ir::Op& op, int32_t operand, int32_t dim) {
      return by_text.contains({grid::Site::Of(op, operand), dim}) ||
             (by_solver && by_solver(op, operand, dim));
    };
    const auto judged = CoverPerCta(
        *some,
        {OnItsGpu(), judging_.options.max_events, SearchBudget::kStatesOfSome,
         inside, shown_.Entered(), shown_.positive(), shown_.once(),
         shown_.stored(), !OthersRunToo(), wide_ != nullptr,
         wide_ != nullptr ? kMostWideEvents
                          : sizes::partition::kMostInductiveEvents},
        out_.findings, *judging_.fragments, judging_.order, covered);
    if (!judged) return false;
    out_.scope.assumed.Add(judged->assumed);
    if (covered.all) {
      LargestGrid(judged->ops);
      return true;
    }
    if (judged->suspect) RunSuspect(*judged);
    return false;
  }

  // What CTAs that were judged one by one do to each other, in a large grid.
  void LargestGrid(const run::OpsRun& one_by_one) {
    if (auto large = LargeGrid(*plan_.kernel, plan_.sizes)) RunNew(*large);
    LegalityOfAll();
    if (Wrong()) return;
    any_values_ = true;
    for (const auto& [line, column] : one_by_one.Beyond(ops_))
      out_.open.Add(ir::Cat("what CTAs do to each other on line ", line,
                            " was not checked: it is reached in no grid that "
                            "was run"));
  }

  // What happens between clusters was judged in one run of each.
  Part Finished() {
    if (!any_values_) out_.open.AddAll(draws_);
    for (Finding& f : out_.findings.all()) {
      bool between = f.seen.cluster == Provenance::kBetweenClusters;
      f.every_schedule &= holds_ || !between;
    }
    for (const auto& check : judging_.checks) check->OnKernelEnd();
    return std::move(out_);
  }

  // Judged CTA by CTA in place of the kernel, which has fewer sizes.
  const ir::Kernel* wide_;
  std::set<grid::SitePair> open_pairs_;  // of accesses by two clusters
  // At the one size that there is, no two clusters are in each other's way.
  bool from_all_sizes_ = false;  // of a kernel without -D
  Covered covered_;
  bool apart_ = false;
  bool any_values_ = false;             // each CTA was judged for all of them
  std::optional<Residents> residents_;  // at the text's own sizes
};

// The kernel with what the solver shows of it; null: nothing.
std::unique_ptr<Apart> WithShown(const KernelPlan& plan, const Judging& judging,
                                 ShownBySolver shown) {
  if (shown.empty()) return nullptr;
  auto out = std::make_unique<Apart>(judging);
  KernelJudge judge(plan, out->judging, std::move(shown));
  judge.EachCtaAtAllSizes();
  out->part = judge.Conclude();
  return out;
}

// With sizes that there are not besides. nullopt: it is not shown so.
std::optional<Part> AtMoreSizes(const ir::Kernel& wide, const KernelPlan& plan,
                                Judging& judging) {
  Apart apart(judging);
  KernelJudge judge(plan, apart.judging, {}, &wide);
  if (!judge.EachCtaAtMoreSizes()) return std::nullopt;
  Part out = judge.Conclude();
  if (!Decided(out) || out.findings.has_errors() || out.errors.has_errors() ||
      out.scope.assumed.small_sizes)
    return std::nullopt;
  judging.TakeRuns(apart.judging);
  return out;
}

// Each CTA at all sizes; of very many sizes that are bounded without their
// bounds, where it is not shown soon with them. What was shown without them is
// the verdict.
std::optional<Part> AtAllSizes(const KernelPlan& plan, Judging& judging,
                               KernelJudge& judge) {
  std::optional<ir::Kernel> wide;
  const bool alone = judging.program.kernels.size() == 1 && !plan.overlaps;
  if (alone && plan.every_size()) wide = WithoutBounds(plan);
  if (!wide) {
    judge.EachCtaAtAllSizes();
    return std::nullopt;
  }
  judge.EachCtaAtAllSizes(kFewBoundedEvents);
  if (!judge.open()) return std::nullopt;
  if (auto part = AtMoreSizes(*wide, plan, judging)) return part;
  judge.EachCtaWithMoreEvents();
  return std::nullopt;
}

}  // namespace

// The solver is asked for more only where the verdict is open without that, and
// by itself: what it costs, and what is not shown with it either, changes
// nothing. Of a program of one kernel it is asked as soon as all sizes are
// open, before the rest is looked at, most of which would be for nothing.
Part JudgeKernel(const KernelPlan& plan, Judging& judging) {
  judging.order = GlobalOrder();
  KernelJudge judge(plan, judging);
  if (auto part = AtAllSizes(plan, judging, judge)) return *std::move(part);
  const bool more = MayAskMore(plan, judging);
  std::unique_ptr<Apart> with;
  if (!judge.all() && more && judging.program.kernels.size() == 1)
    with = WithShown(plan, judging, judge.Shown());
  if (with && Decided(with->part)) {
    judging.TakeRuns(with->judging);
    return std::move(with->part);
  }
  Part part = judge.Conclude();
  if (!more || Decided(part) || part.errors.has_errors()) return part;
  if (!with) with = WithShown(plan, judging, judge.Shown());
  // Or more of it is shown.
  if (with && (Decided(with->part) ||
               (with->part.scope.all_sizes && !part.scope.all_sizes))) {
    judging.order = std::move(with->judging.order);
    part = std::move(with->part);
  }
  if (Decided(part) || !judge.memory()) return part;
  if (auto others = JudgeMore(plan, judge.memory()->code(), judging))
    part = *std::move(others);
  if (const auto* smallest = judge.Smallest(); smallest && !Decided(part))
    FindAStepAbove(plan, smallest->first, smallest->second, judging, part);
  return part;
}

Part JudgeKernelAt(const KernelPlan& plan, const ir::Overrides& sizes,
                   int64_t sm_count, Judging& judging, Draws draws) {
  judging.order = GlobalOrder();
  return KernelJudge(plan, judging).At(sizes, sm_count, draws);
}

}  // namespace tilesim::checkers::pipeline
