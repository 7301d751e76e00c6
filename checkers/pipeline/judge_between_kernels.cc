#include "checkers/pipeline/judge_between_kernels.h"

#include <algorithm>
#include <map>
#include <utility>

#include "checkers/pipeline/judge_kernel.h"
#include "checkers/pipeline/never_written.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/pipeline/undefined.h"
#include "checkers/plan/instance.h"
#include "ir/cat.h"
#include "ir/define.h"

namespace tilesim::checkers::pipeline {
namespace {

std::vector<program::KernelRun> WantedBy(const Judging& judging) {
  std::vector<program::KernelRun> out;
  for (const auto& check : judging.checks) {
    for (program::KernelRun& run : check->Wanted())
      out.push_back(std::move(run));
  }
  return out;
}

bool HasUndefined(const ir::Kernel& kernel, const ir::Program& program) {
  return std::any_of(kernel.decls.begin(), kernel.decls.end(),
                     [&](const ir::Decl& d) {
                       return d.space == ir::Space::kGlobal &&
                              UndefinedIn(program).count(d.name) != 0;
                     });
}

// Small sizes of all kernels together, by parameter: of one all remainders of
// small numbers, of several fewer.
std::vector<ir::Overrides> SmallSizes(const ir::Program& program,
                                      const ir::Overrides& given) {
  constexpr size_t kMost = 64;
  std::map<std::string, const ir::Param*> params;
  for (const ir::Kernel& k : program.kernels) {
    for (const ir::Param& p : k.params) {
      if (given.count(p.name) == 0) params.emplace(p.name, &p);
    }
  }
  const int64_t steps = params.size() <= 1 ? 12 : params.size() == 2 ? 5 : 2;
  std::vector<ir::Overrides> out = {given};
  for (const auto& [name, p] : params) {
    const size_t before = out.size();
    for (size_t i = 0; i < before; ++i) {
      const ir::Overrides base = out[i];
      for (int64_t n = 0; n < steps; ++n) {
        const int64_t size = p->low + n * p->step;
        if ((p->high && size > *p->high) || (n > 0 && out.size() >= kMost))
          break;
        (n == 0 ? out[i] : out.emplace_back(base))[name] = size;
      }
    }
  }
  return out;
}

// Where it is not shown that all that is read of an undefined tensor was
// written: small grids, run whole, of all kernels that have such tensors. What
// they do right says nothing of other sizes, and is no part of the report.
class SmallGrids {
 public:
  SmallGrids(Judging& judging, std::vector<Part>& out)
      : judging_(judging), out_(out) {}

  void Run() {
    const ir::Program& program = judging_.program;
    for (const ir::Overrides& sizes :
         SmallSizes(program, judging_.options.defines)) {
      for (size_t k = 0; k < program.kernels.size(); ++k) {
        if (HasUndefined(program.kernels[k], program) && !RunOne(k, sizes))
          return;
      }
    }
  }

 private:
  // False: enough was run, or found.
  bool RunOne(size_t k, const ir::Overrides& sizes) {
    constexpr int64_t kMostOfOne = 16;  // clusters
    KernelPlan plan = PlanKernel(judging_.program, k, judging_.options);
    const ir::Overrides own = ir::DefinesOf(*plan.kernel, sizes);
    auto instance = plan::InstanceAt(*plan.kernel, own, plan.gpu_sms);
    if (!instance) return true;
    const ir::BoundKernel& bound = instance->code->bound;
    const int64_t clusters = bound.ctas() / bound.cluster_size();
    if (clusters > kMostOfOne) return true;
    left_ -= clusters;
    if (left_ < 0) return false;
    Part part = JudgeKernelAt(plan, instance->sizes, bound.sm_count, judging_);
    const bool wrong = part.findings.has_errors();
    if (wrong) out_.push_back(std::move(part));
    return !wrong;
  }

  Judging& judging_;
  std::vector<Part>& out_;
  int64_t left_ = 200;  // clusters, in all
};

ReadsNotShown ReadsNotShownBy(const std::vector<Part>& kernels) {
  std::vector<UndefinedUse> uses;
  for (const Part& part : kernels) {
    if (part.undefined) uses.push_back(*part.undefined);
  }
  return ReadsNotShownOf(uses);
}

}  // namespace

std::vector<Part> JudgeBetweenKernels(const std::vector<Part>& kernels,
                                      Judging& judging) {
  std::vector<Part> out;
  const bool found =
      std::any_of(kernels.begin(), kernels.end(),
                  [](const Part& p) { return p.findings.has_errors(); });
  const ReadsNotShown reads = ReadsNotShownBy(kernels);
  if (!found && !reads.none()) SmallGrids(judging, out).Run();
  if (!found) {
    for (const program::KernelRun& wanted : WantedBy(judging)) {
      // Of all values: that all of what is read was stored is shown of the
      // text.
      KernelPlan plan =
          PlanKernel(judging.program, wanted.kernel, judging.options);
      const Draws draws =
          reads.none() && !plan.overlaps ? Draws::kSome : Draws::kAll;
      out.push_back(
          JudgeKernelAt(plan, wanted.sizes, wanted.sm_count, judging, draws));
    }
  }
  Part& last = out.emplace_back();
  NeverWritten never;
  if (!found && !reads.none()) never = FindNeverWritten(judging, last.findings);
  const bool wrong = found || last.findings.has_errors();
  for (const std::string& why : reads.open) {
    if (!never.shown && !wrong) last.open.Add(why);
  }
  for (const std::string& tensor : never.maybe) {
    if (!wrong)
      last.open.Add(ir::Cat("an element of `", tensor,
                            "`, which is undefined at first, may be read that "
                            "nothing stores: memory decides whether it is"));
  }
  for (const auto& check : judging.checks)
    check->OnProgramEnd({last.findings, last.open});
  return out;
}

}  // namespace tilesim::checkers::pipeline
