#include "checkers/check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "checkers/checks/across_clusters.h"
#include "checkers/cluster.h"
#include "checkers/run/instance.h"
#include "checkers/run/runner.h"
#include "checkers/sizes/cover.h"
#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

// Grids are chosen small; of a large one that was asked for, this many.
constexpr int64_t kMaxClusters = 32;

bool Names(const ir::Kernel& kernel, const std::string& name) {
  auto same = [&](const auto& item) { return item.name == name; };
  return std::any_of(kernel.params.begin(), kernel.params.end(), same) ||
         std::any_of(kernel.constants.begin(), kernel.constants.end(), same);
}

// What no checker judges yet, so that silence about it is no proof.
std::vector<std::string> NotJudged(const ir::Program& program, const Log& log) {
  std::vector<std::string> out = log.limits;
  bool overlaps =
      std::any_of(program.kernels.begin(), program.kernels.end(),
                  [](const ir::Kernel& k) { return k.programmatic; });
  if (overlaps)
    out.push_back("kernels are judged one by one, but these overlap");
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
      : program_(program), options_(options) {}

  CheckReport Run() {
    report_.scope.all_interleavings = true;
    for (size_t i = 0; i < program_.kernels.size(); ++i) Kernel(i);
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

  void Kernel(size_t index) {
    InstanceOptions io{DefinesOf(index), options_.sm_count};
    findings_ = Findings();
    holds_ = true;
    const ir::Kernel& kernel = program_.kernels[index];
    Covered covered =
        CoverSizes(kernel, io, options_.max_events, [&](const Instance& i) {
          Run(i);
          if (Wrong()) return Judged::kWrong;
          return holds_ ? Judged::kByOrder : Judged::kSearched;
        });
    if (!covered.all) Sample(kernel, io, covered);
    for (const Found& f : findings_.all())
      report_.findings.push_back(
          {f.diagnostic, f.in_run && holds_, f.times, f.witness});
  }

  bool Wrong() const {
    const auto& all = findings_.all();
    return std::any_of(all.begin(), all.end(), [](const Found& f) {
      return f.diagnostic.severity == ir::Severity::kError;
    });
  }

  // Without a proof for all sizes, some in which mistakes show.
  void Sample(const ir::Kernel& kernel, const InstanceOptions& io,
              const Covered& covered) {
    Instances instances = ChooseInstances(kernel, io, report_.errors);
    for (const Instance& i : instances.all) {
      if (Wrong()) return;
      Run(i);
    }
    if (instances.short_of_goal)
      Open(ir::Cat("found no sizes that take the rings around twice: ",
                   instances.trips, " of ", instances.goal, " trips; try -D"));
  }

  void Run(const Instance& instance) {
    for (const auto& [name, value] : instance.sizes)
      report_.scope.params[name].insert(value);
    const ir::BoundKernel& b = instance.code->bound;
    int64_t clusters = b.ctas() / b.cluster_size();
    report_.scope.clusters += clusters;
    AcrossClusters across;
    for (int64_t c = 0; c < std::min(clusters, kMaxClusters); ++c)
      Cluster(*instance.code, c, across);
    if (clusters > kMaxClusters)
      Open(ir::Cat("only ", kMaxClusters, " of ", clusters,
                   " clusters were checked"));
  }

  void Cluster(const machine::Code& code, int64_t cluster,
               AcrossClusters& across) {
    RunOptions o;
    o.cluster = cluster;
    o.max_events = options_.max_events;
    ClusterVerdict v = JudgeCluster(code, o, options_.max_states);
    if (v.same_accesses) across.Add(v.log, cluster, findings_);
    holds_ &= v.holds;
    report_.scope.all_interleavings &= v.all_interleavings;
    ++report_.scope.clusters_checked;
    report_.scope.states += v.states;
    report_.scope.trips = std::max(report_.scope.trips, v.log.trips);
    for (const std::string& why : v.open) Open(why);
    for (const std::string& why : NotJudged(program_, v.log)) Open(why);
    findings_.Merge(v.findings);
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
  Findings findings_;  // of the kernel at hand
  bool holds_ = true;  // every cluster's run stands for all its schedules
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
