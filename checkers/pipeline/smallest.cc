#include "checkers/pipeline/smallest.h"

#include <algorithm>
#include <set>
#include <utility>

#include "checkers/pipeline/judge_instance.h"
#include "checkers/plan/instance.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::pipeline {
using report::Finding;
using report::Findings;

namespace {

constexpr int kMaxTries = 8;
constexpr int64_t kMaxCtas = 64;
// Of a run, and of schedules that are searched.
constexpr int64_t kMaxEventsOfSmall = 500, kMaxStates = 50;

class Descent {
 public:
  Descent(const KernelPlan& plan, const Judging& judging)
      : plan_(plan), program_(judging.program), options_(judging.options) {
    options_.max_events = std::min(options_.max_events, kMaxEventsOfSmall);
    options_.max_states = kMaxStates;
  }

  // What is found at the smallest sizes that still show `wanted`.
  Findings From(const Finding& wanted) {
    ir::Overrides sizes = wanted.seen.sizes;
    while (Step(wanted, sizes)) {
    }
    if (sizes == wanted.seen.sizes) return {};
    return FoundAt(sizes, wanted.seen.sm_count, options_.witness_events);
  }

 private:
  bool Step(const Finding& wanted, ir::Overrides& sizes) {
    for (const ir::Param& p : plan_.kernel->params) {
      auto at = sizes.find(p.name);
      if (plan_.given.count(p.name) != 0 || at == sizes.end()) continue;
      const int64_t now = at->second;
      for (int64_t less : Smaller(p, now)) {
        if (tries_-- <= 0) return false;
        at->second = less;
        if (FoundAt(sizes, wanted.seen.sm_count, 0).Has(wanted)) return true;
        at->second = now;
      }
    }
    return false;
  }

  static std::set<int64_t> Smaller(const ir::Param& p, int64_t now) {
    std::set<int64_t> out;
    const int64_t steps = (now - p.low) / p.step;
    for (int64_t n : {int64_t{0}, int64_t{1}, steps / 2, steps - 1}) {
      if (n >= 0 && n < steps) out.insert(p.low + n * p.step);
    }
    return out;
  }

  // A Judging of its own: nothing is concluded from these runs.
  Findings FoundAt(const ir::Overrides& sizes, int64_t sm_count,
                   int64_t witness_events) {
    ir::Overrides all = plan_.sizes.defines;
    for (const auto& [name, value] : sizes) all[name] = value;
    auto instance = plan::InstanceAt(*plan_.kernel, all, sm_count);
    if (!instance || instance->code->bound.ctas() > kMaxCtas) return {};
    CheckOptions options = options_;
    options.witness_events = witness_events;
    Judging judging(program_, options);
    const Findings none;
    return JudgeInstance({plan_, *instance, none, false, true}, judging)
        .part.findings;
  }

  const KernelPlan& plan_;
  const ir::Program& program_;
  CheckOptions options_;
  int tries_ = kMaxTries;
};

}  // namespace

void ShowAtSmallest(const KernelPlan& plan, const Judging& judging,
                    Findings& findings) {
  auto& all = findings.all();
  auto first = std::find_if(all.begin(), all.end(), [](const Finding& f) {
    return f.diagnostic.severity == ir::Severity::kError && f.because.empty();
  });
  if (first == all.end() || first->seen.sizes.empty()) return;
  judging.Doing(*plan.kernel, "the smallest sizes that show what was found");
  Findings smaller = Descent(plan, judging).From(*first);
  if (!smaller.Has(*first)) return;
  for (Finding& f : all) {
    const Finding* there = smaller.Find(f);
    if (there == nullptr) continue;
    const Finding larger = std::exchange(f, *there);
    f.because = larger.because;
    report::AddPlaces(larger, f);
  }
}

}  // namespace tilesim::checkers::pipeline
