#include "checkers/check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "checkers/all_checkers.h"
#include "checkers/checks/conflicts.h"
#include "checkers/order/certificate.h"
#include "checkers/run/instance.h"
#include "checkers/run/runner.h"
#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

bool Names(const ir::Kernel& kernel, const std::string& name) {
  auto same = [&](const auto& item) { return item.name == name; };
  return std::any_of(kernel.params.begin(), kernel.params.end(), same) ||
         std::any_of(kernel.constants.begin(), kernel.constants.end(), same);
}

// Races and the like in the run itself.
void CheckRun(const Log& log, const Agents& agents, Findings& findings) {
  Order order(log, agents, Order::Kind::kMemory);
  Footprints footprints(*log.code);
  Conflicts conflicts(log);
  std::vector<std::unique_ptr<Checker>> all = AllCheckers();
  Context context{log, order, footprints, findings};
  for (size_t i = 0; i < log.events.size(); ++i) {
    auto event = static_cast<int32_t>(i);
    order.Begin(log.events[i]);
    order.Finish(log.events[i]);
    for (auto& checker : all) checker->OnEvent(context, event);
    conflicts.Add(order, event, footprints, [&](const Conflict& c) {
      for (auto& checker : all) checker->OnConflict(context, c);
    });
  }
}

// What no checker judges yet, so that silence about it is no proof.
std::vector<std::string> NotJudged(const ir::Program& program,
                                   const Log& log) {
  std::vector<std::string> out;
  if (log.code->bound.tmem_columns > 0)
    out.push_back("tcgen05 fences and the order of unlike tcgen05 operations "
                  "are not judged yet");
  bool overlaps = std::any_of(program.kernels.begin(), program.kernels.end(),
                              [](const ir::Kernel& k) {
                                return k.programmatic;
                              });
  if (overlaps)
    out.push_back("kernels are judged one by one, but these overlap");
  return out;
}

class Check1 {
 public:
  Check1(const ir::Program& program, const CheckOptions& options)
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
    std::optional<Instance> instance =
        ChooseInstance(program_.kernels[index], io, report_.errors);
    if (!instance) return;
    RunOptions ro;
    ro.max_events = options_.max_events;
    Log log = RunCluster(*instance->code, ro);
    Agents agents(log);
    Findings findings;
    CheckRun(log, agents, findings);
    Certificate certificate = Certify(log, agents, findings);
    Describe(*instance, log);
    Collect(log, findings, certificate);
  }

  void Describe(const Instance& instance, const Log& log) {
    CheckScope& scope = report_.scope;
    for (const auto& [name, value] : instance.sizes) scope.params[name] = value;
    scope.trips = std::max(scope.trips, log.trips);
    const ir::BoundKernel& b = log.code->bound;
    scope.clusters += b.ctas() / b.cluster_size();
    ++scope.clusters_checked;
  }

  void Collect(const Log& log, const Findings& findings,
               const Certificate& certificate) {
    report_.scope.all_interleavings &= certificate.holds;
    for (const ir::Diagnostic& d : log.findings)
      report_.findings.push_back({d, certificate.holds, 1});
    for (const Found& f : findings.all()) {
      report_.findings.push_back(
          {f.diagnostic, f.in_run && certificate.holds, f.times});
    }
    auto& open = report_.open;
    for (const auto& from : {certificate.open, NotJudged(program_, log)}) {
      for (const std::string& why : from) {
        if (std::find(open.begin(), open.end(), why) == open.end())
          open.push_back(why);
      }
    }
  }

  void Decide() {
    bool errors = false;
    for (CheckFinding& f : report_.findings) {
      bool warns = f.diagnostic.severity == ir::Severity::kWarning;
      if (warns && f.diagnostic.code == "proxy-fence/war" &&
          options_.strict.count("proxy-war") != 0) {
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
  return Check1(program, options).Run();
}

}  // namespace tilesim::checkers
