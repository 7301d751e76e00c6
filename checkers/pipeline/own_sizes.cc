#include "checkers/pipeline/own_sizes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "checkers/pairwise/check_run.h"
#include "checkers/pipeline/legality.h"
#include "checkers/run/environment.h"
#include "checkers/run/protocol.h"
#include "checkers/run/runner.h"
#include "sim/machine/data/globals.h"

namespace tilesim::checkers::pipeline {
using run::Environment;
using run::Log;

namespace {

// Where CTAs talk, one by itself may wait for others.
bool Talks(const machine::Code& code) {
  std::optional<run::Protocol> protocol = run::ProtocolIn(code);
  return !protocol || protocol->counter || !protocol->flags.empty();
}

// Of a run that is soon judged, whether accesses or exits in it are errors.
bool Errs(const Log& log, footprint::Fragments& fragments) {
  constexpr size_t kMaxEvents = 4'000;
  if (log.events.size() > kMaxEvents) return false;
  report::Findings findings;
  pairwise::CheckRun(log, fragments, findings);
  return findings.has_errors();
}

}  // namespace

std::vector<int64_t> GoesWrong(const KernelPlan& plan,
                               const plan::Instance& instance,
                               Judging& judging) {
  const machine::Code& code = *instance.code;
  report::Findings illegal;
  if (!JudgeLegality(plan, judging.options.legality, code.bound, illegal))
    return {0};
  const bool talks = Talks(code);
  const int64_t clusters = code.bound.ctas() / code.bound.cluster_size();
  Environment none;
  none.handed_out.emplace();
  for (int64_t cluster : {int64_t{0}, clusters - 1}) {
    run::RunOptions o;
    o.cluster = cluster;
    o.environment = &none;
    o.max_events = judging.options.max_events;
    const Log log = RunCluster(code, o);
    // One that was cut shows what it came to.
    bool stuck = !log.finished && log.undetermined.empty();
    bool wrong = log.erred() || stuck || Errs(log, *judging.fragments);
    if (log.faulted || (!talks && wrong)) return {cluster};
  }
  return {};
}

void TellNotPermitted(const KernelPlan& plan, const ir::Overrides& sizes,
                      report::Findings& findings) {
  const int64_t sms =
      plan.gpu_sms != 0 ? plan.gpu_sms : ir::InfoOf(plan.kernel->target).sms;
  ir::Diagnostics why;
  ir::Bind(*plan.kernel, sizes, sms, why);
  for (const ir::Diagnostic& d : why.all()) {
    report::Finding* f = findings.Add(d);
    if (f != nullptr) f->every_schedule = true;
  }
}

bool FewClusters(const machine::Code& code) {
  const ir::BoundKernel& b = code.bound;
  const int64_t most = run::Requests(code) ? 8 : 64;
  return b.ctas() / b.cluster_size() <= most;
}

bool IsRunWhole(plan::Instance& instance, bool all_sizes) {
  const machine::Code& code = *instance.code;
  if (!FewClusters(code)) return false;
  if (machine::WrittenAtSharedPlaces(code).empty()) return !all_sizes;
  const ir::BoundKernel& b = code.bound;
  instance.clusters.resize(b.ctas() / b.cluster_size());
  std::iota(instance.clusters.begin(), instance.clusters.end(), 0);
  return true;
}

}  // namespace tilesim::checkers::pipeline
