#include "checkers/pipeline/never_written.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checkers/launch/uses.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/pipeline/undefined.h"
#include "checkers/plan/instance.h"
#include "ir/cat.h"
#include "ir/define.h"

namespace tilesim::checkers::pipeline {
namespace {

class AtSizes {
 public:
  AtSizes(const Judging& judging, report::Findings& findings, int64_t& ctas,
          std::set<std::string>& maybe)
      : judging_(judging),
        maybe_(maybe),
        findings_(findings),
        ctas_(ctas),
        undefined_(UndefinedIn(judging.program)) {}

  // The kernels one after the other, unless there are too many CTAs in all.
  // Whether no element may be read that no kernel before stores for sure.
  bool Run(const ir::Overrides& sizes) {
    std::vector<KernelPlan> plans;
    std::vector<plan::Instance> instances;
    int64_t ctas = 0;
    for (size_t k = 0; k < judging_.program.kernels.size(); ++k) {
      const KernelPlan& plan =
          plans.emplace_back(PlanKernel(judging_.program, k, judging_.options));
      auto instance = plan::InstanceAt(
          *plan.kernel, ir::DefinesOf(*plan.kernel, sizes), plan.gpu_sms);
      if (!instance) return true;  // no such launch
      shown_ &= !plan.asks_for_sms;
      ctas += instance->code->bound.ctas();
      instances.push_back(*std::move(instance));
    }
    if (ctas > ctas_) return false;
    ctas_ -= ctas;
    for (size_t k = 0; k < plans.size(); ++k) Add(plans[k], instances[k]);
    return shown_ && unknown_.empty();
  }

 private:
  void Add(const KernelPlan& plan, const plan::Instance& instance) {
    // Flags and counters only say what is in order, which is not asked here.
    launch::Uses uses =
        launch::UsesOf(*instance.code, grid::Words(), undefined_);
    if (!uses.limit.empty()) {
      for (const ir::Decl& d : plan.kernel->decls)
        if (undefined_.contains(d.name)) unknown_.insert(d.name);
      return;
    }
    for (auto& [name, use] : uses.of) {
      auto [at, fresh] = stored_.try_emplace(name, use.stored);
      if (!fresh && at->second.size() != use.stored.size())
        unknown_.insert(name);
      if (unknown_.contains(name)) continue;
      machine::Bits& surely = surely_.try_emplace(name).first->second;
      if (fresh) surely.Resize(use.stored.size());
      // What the kernel alone stores is another question.
      const bool alone = fresh && use.stored.Count() != 0;
      if (!alone) shown_ &= Within(use.may_be_read, surely);
      surely.Add(use.surely_stored);
      if (!fresh) at->second.Add(use.stored);
      if (!Within(use.may_be_read, at->second)) maybe_.insert(name);
      for (const launch::Use::Read& read : use.reads)
        Compare(plan, instance, name, read, at->second);
    }
  }

  static bool Within(const machine::Bits& part, const machine::Bits& all) {
    for (int64_t i = part.Next(0, true); i < part.size();
         i = part.Next(i + 1, true)) {
      if (!all.Get(i)) return false;
    }
    return true;
  }

  void Compare(const KernelPlan& plan, const plan::Instance& instance,
               const std::string& name, const launch::Use::Read& read,
               const machine::Bits& stored) {
    for (int64_t i = read.elements.Next(0, true); i < read.elements.size();
         i = read.elements.Next(i + 1, true)) {
      if (!stored.Get(i)) return Report(plan, instance, name, *read.op);
    }
  }

  void Report(const KernelPlan& plan, const plan::Instance& instance,
              const std::string& name, const ir::Op& op) {
    report::Finding* found = findings_.Add(
        "uninit/global", ir::Cat(plan.kernel->name, " ", name, " ",
                                 op.span.line, ":", op.span.column));
    if (found == nullptr) return;
    ir::Diagnostic& d = found->diagnostic;
    d.message = ir::Cat("`", name, "` is read where nothing has written it");
    d.span = op.span;
    d.span_text = std::string(op.info->mnemonic);
    d.help = "write all of it first, or let it start as `zero`";
    found->seen = {plan.kernel->name, instance.sizes,
                   instance.code->bound.sm_count,
                   report::Provenance::kBetweenClusters};
  }

  const Judging& judging_;
  std::set<std::string>& maybe_;
  report::Findings& findings_;
  int64_t& ctas_;
  const std::set<std::string> undefined_;
  std::map<std::string, machine::Bits> stored_;  // by the kernels so far
  std::map<std::string, machine::Bits> surely_;
  bool shown_ = true;
  std::set<std::string> unknown_;
};

// Sizes of all kernels together, from those that are named.
ir::Overrides Together(const Judging& judging, const ir::Overrides& named) {
  ir::Overrides out = named;
  for (size_t k = 0; k < judging.program.kernels.size(); ++k) {
    const KernelPlan plan = PlanKernel(judging.program, k, judging.options);
    const auto here = plan::InstanceAt(
        *plan.kernel, ir::DefinesOf(*plan.kernel, named), plan.gpu_sms);
    if (here) out.insert(here->sizes.begin(), here->sizes.end());
  }
  return out;
}

// Far above these sizes, one parameter at a time.
std::vector<ir::Overrides> Far(const Judging& judging,
                               const ir::Overrides& sizes) {
  std::vector<ir::Overrides> out;
  for (size_t k = 0; k < judging.program.kernels.size(); ++k) {
    const KernelPlan plan = PlanKernel(judging.program, k, judging.options);
    ir::Overrides smallest;
    for (const ir::Param& p : plan.kernel->params) smallest[p.name] = p.low;
    for (const auto& [name, value] : judging.options.defines)
      if (smallest.contains(name)) smallest[name] = value;
    for (const ir::Overrides& far : FarSizes(plan, smallest)) {
      ir::Overrides& one = out.emplace_back(sizes);
      for (const auto& [name, value] : far) {
        if (!judging.options.defines.contains(name)) one[name] = value;
      }
    }
  }
  return out;
}

// Where a number of the text begins to count: one parameter has it, or all.
std::vector<ir::Overrides> AtNumbers(const Judging& judging,
                                     const ir::Overrides& sizes) {
  std::vector<ir::Overrides> out;
  std::set<int64_t> numbers;
  for (size_t k = 0; k < judging.program.kernels.size(); ++k) {
    const KernelPlan plan = PlanKernel(judging.program, k, judging.options);
    for (const ir::Overrides& more :
         SizesAtNumbers(plan, ir::DefinesOf(*plan.kernel, sizes))) {
      ir::Overrides& one = out.emplace_back(sizes);
      for (const auto& [name, value] : more) {
        if (one[name] != value) numbers.insert(value);
        one[name] = value;
      }
    }
  }
  for (const int64_t number : numbers) {
    ir::Overrides& all = out.emplace_back(sizes);
    for (auto& [name, value] : all) {
      if (!judging.options.defines.contains(name)) value = number;
    }
  }
  return out;
}

// All that there are of the parameters of all kernels; none: there are too
// many, or no end.
std::vector<ir::Overrides> EverySize(const Judging& judging) {
  constexpr size_t kMost = 512;
  std::map<std::string, const ir::Param*> params;
  for (const ir::Kernel& k : judging.program.kernels) {
    for (const ir::Param& p : k.params) {
      if (judging.options.defines.contains(p.name)) continue;
      const auto [at, fresh] = params.emplace(p.name, &p);
      const ir::Param& other = *at->second;
      if (!fresh && std::tie(p.low, p.high, p.step) !=
                        std::tie(other.low, other.high, other.step))
        return {};
    }
  }
  std::vector<ir::Overrides> out = {judging.options.defines};
  for (const auto& [name, p] : params) {
    if (!p->high) return {};
    std::vector<ir::Overrides> more;
    for (const ir::Overrides& one : out) {
      for (int64_t size = p->low; size <= *p->high; size += p->step) {
        if (more.size() == kMost) return {};
        more.push_back(one);
        more.back()[name] = size;
      }
    }
    out = std::move(more);
  }
  return out;
}

// And the text's own.
std::vector<ir::Overrides> SizesOf(const Judging& judging) {
  std::vector<ir::Overrides> out, own = judging.options.own_sizes;
  if (own.empty()) own.emplace_back();
  for (ir::Overrides& named : own) {
    for (const auto& [name, value] : judging.options.defines)
      named[name] = value;
    const ir::Overrides sizes = Together(judging, named);
    out.push_back(sizes);
    for (auto& more : {Far(judging, sizes), AtNumbers(judging, sizes)})
      out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

}  // namespace

NeverWritten FindNeverWritten(const Judging& judging,
                              report::Findings& findings) {
  NeverWritten out;
  int64_t ctas = 100'000;  // in all: some 10 us each
  for (const ir::Overrides& sizes : SizesOf(judging)) {
    AtSizes(judging, findings, ctas, out.maybe).Run(sizes);
    if (findings.has_errors()) return out;
  }
  const std::vector<ir::Overrides> all = EverySize(judging);
  out.shown =
      !all.empty() &&
      std::all_of(all.begin(), all.end(), [&](const ir::Overrides& sizes) {
        return AtSizes(judging, findings, ctas, out.maybe).Run(sizes) &&
               !findings.has_errors();
      });
  return out;
}

}  // namespace tilesim::checkers::pipeline
