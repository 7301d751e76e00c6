#include "checkers/pipeline/kernel_runs.h"

#include <algorithm>
#include <utility>

#include "checkers/pipeline/per_cta.h"
#include "checkers/pipeline/unreached.h"
#include "checkers/plan/instance.h"
#include "checkers/run/protocol.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
using plan::Instance;
using report::Finding;
using report::Provenance;

void KernelRuns::RunSuspects(const Instance& instance,
                             const run::Environment* in) {
  InstanceResult result = JudgeInstance(
      {plan_, instance, out_.findings, false, sizes_open_, {}, in}, judging_);
  if (!result.part.findings.has_errors()) return;
  run_.insert(GridOf(instance));
  out_.Add(result.part);
}

plan::InstanceOptions KernelRuns::OnItsGpu() const {
  plan::InstanceOptions out = plan_.sizes;
  out.sm_count = plan_.gpu_sms;
  return out;
}

void KernelRuns::RunSuspect(const PerCta& judged) {
  const ir::Overrides sizes = OwnSizesOf(*judged.suspect);
  RunAt(*judged.suspect, 0);
  if (Wrong()) return;
  if (!judged.trips.empty()) {
    auto small =
        plan::WithTrips(*plan_.kernel, plan_.sizes, sizes, judged.trips);
    if (small) RunNew(*small);
  }
  if (Wrong() || !plan_.asks_for_sms) return;
  // On a GPU of one SM that CTA may not be.
  const plan::InstanceOptions gpu = OnItsGpu();
  auto there = judged.trips.empty()
                   ? plan::InstanceAt(*plan_.kernel, sizes, plan_.gpu_sms)
                   : plan::WithTrips(*plan_.kernel, gpu, sizes, judged.trips,
                                     judged.suspect_cluster);
  if (!there) return;
  const ir::BoundKernel& b = there->code->bound;
  if (judged.suspect_cluster >= b.ctas() / b.cluster_size()) return;
  there->clusters = {judged.suspect_cluster};
  RunSuspects(*there);
}

std::set<int64_t> KernelRuns::Gpus(bool all_sizes) const {
  std::set<int64_t> sms;
  for (const auto& [sizes, count] : run_) sms.insert(count);
  if (all_sizes && !sms.empty()) sms = {*sms.rbegin()};
  return sms;
}

void KernelRuns::Tell(const ir::Diagnostic& d, const Instance& instance,
                      bool every_schedule) {
  Finding* f = out_.findings.Add(d);
  if (f == nullptr) return;
  f->every_schedule = every_schedule;
  const ir::BoundKernel& b = instance.code->bound;
  f->seen = {plan_.kernel->name, plan_.SizesOf(b), b.sm_count,
             Provenance::kBetweenClusters};
  if (f->seen.sizes.empty())
    f->diagnostic.notes.emplace_back("at the sizes of the text");
}

void KernelRuns::Unreached() {
  if (!plan_.given.empty() || plan_.asks_for_sms) return;
  const auto& [sizes, sms] = *run_.begin();
  JudgeUnreached(*plan_.kernel, ops_,
                 {plan_.kernel->name, sizes, sms, Provenance::kBetweenClusters},
                 out_.findings);
}

void KernelRuns::NoteWhetherCtasWait(const machine::Code& code) {
  const std::vector<ir::Expr>& grid = plan_.kernel->grid;
  bool fixed = std::all_of(grid.begin(), grid.end(), [](const ir::Expr& e) {
    return e.kind == ir::ExprKind::kInt;
  });
  bool alone = fixed && code.bound.ctas() == code.bound.cluster_size();
  ctas_wait_ = ctas_wait_ || (!alone && run::CtasWait(code));
}

void KernelRuns::RunTwo(const grid::Example& e) {
  auto instance = plan::InstanceAt(*plan_.kernel, e.sizes, e.sm_count);
  if (!instance) return;
  const ir::BoundKernel& b = instance->code->bound;
  const int64_t first = plan::ClusterOf(b, e.first);
  const int64_t second = plan::ClusterOf(b, e.second);
  instance->clusters = {first};
  if (second != first) instance->clusters.push_back(second);
  Run(*instance);
}

bool KernelRuns::OneSize() const {
  const std::vector<ir::Param>& params = plan_.kernel->params;
  return std::all_of(params.begin(), params.end(), [&](const ir::Param& p) {
    return plan_.given.count(p.name) != 0;
  });
}

// Runs that stand for all sizes may be of others than the one that is given.
bool KernelRuns::EveryCtaWasRun() const {
  if (!OneSize() || out_.scope.clusters != out_.scope.clusters_checked)
    return false;
  const std::vector<ir::Param>& params = plan_.kernel->params;
  return std::any_of(run_.begin(), run_.end(), [&](const Grid& grid) {
    return std::all_of(params.begin(), params.end(), [&](const ir::Param& p) {
      auto size = grid.first.find(p.name);
      return size != grid.first.end() && size->second == plan_.given.at(p.name);
    });
  });
}

ir::Overrides KernelRuns::OwnSizesOf(const ir::Overrides& wanted) const {
  ir::Overrides sizes = plan_.sizes.defines;
  for (const ir::Param& p : plan_.kernel->params) {
    if (wanted.contains(p.name)) sizes[p.name] = wanted.at(p.name);
  }
  return sizes;
}

void KernelRuns::RunAt(const ir::Overrides& wanted, int64_t sm_count) {
  const ir::Overrides sizes = OwnSizesOf(wanted);
  auto instance = plan::InstanceAt(*plan_.kernel, sizes, sm_count);
  if (!instance) return;
  RunNew(*instance);
  const auto inputs = InputsWith(wanted, *instance->code);
  if (inputs && !Wrong()) RunSuspects(*instance, &*inputs);
}

void KernelRuns::RunNew(const Instance& instance) {
  if (run_.count(GridOf(instance)) == 0) Run(instance);
}

void KernelRuns::Run(const Instance& instance, bool shown) {
  run_.insert(GridOf(instance));
  ReadMemory(instance, plan_.every_size());
  NoteWhetherCtasWait(*instance.code);
  InstanceResult result = JudgeInstance(
      {plan_, instance, out_.findings, shown, sizes_open_, shown_.once()},
      judging_);
  out_.Add(result.part);
  draws_.AddAll(result.draws);
  ops_.Add(result.ops);
  cut_grid_ = std::max(cut_grid_, result.cut_grid);
  holds_ &= result.holds;
}

void KernelRuns::ReadMemory(const Instance& instance, bool watch) {
  if (memory_) return;
  const auto& [sizes, sms] = GridOf(instance);
  const auto inputs =
      OthersRunToo() ? grid::Inputs::kAny : grid::Inputs::kInDomain;
  memory_ = GlobalMemory::Of(*plan_.kernel, sizes, plan_.given, sms, inputs);
  if (memory_ && watch) memory_->Watch(judging_.order.sites);
}

}  // namespace tilesim::checkers::pipeline
