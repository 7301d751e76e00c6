#include "checkers/pipeline/plan_kernel.h"

#include <algorithm>
#include <set>
#include <utility>

#include "checkers/pipeline/waits_first.h"
#include "checkers/plan/sm_count.h"
#include "ir/define.h"
#include "ir/target.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
namespace {

// Elements, of 4 bits or more, of which strides of tensors have to be
// multiples; and steps of a parameter in which an extent may become one.
constexpr int64_t kStepPeriod = 64;
constexpr int64_t kFewSteps = 16;

}  // namespace

ir::Overrides KernelPlan::SizesOf(const ir::BoundKernel& bound) const {
  ir::Overrides out = given;
  for (const ir::Param& p : bound.kernel->params)
    out[p.name] = bound.slots[p.slot]->number;
  return out;
}

KernelPlan PlanKernel(const ir::Program& program, size_t index,
                      const CheckOptions& options) {
  KernelPlan out;
  out.index = index;
  out.kernel = &program.kernels[index];
  out.sizes = {ir::ParamsOf(program, index, options.defines), options.sm_count,
               options.trips};
  out.given = ir::DefinesOf(*out.kernel, options.defines);
  out.asks_for_sms = plan::AsksForSms(*out.kernel);
  bool chosen = options.sm_count == 0 && out.asks_for_sms;
  out.gpu_sms = chosen ? ir::InfoOf(out.kernel->target).sms : options.sm_count;
  out.overlaps =
      std::any_of(program.kernels.begin(), program.kernels.end(),
                  [](const ir::Kernel& k) { return k.programmatic; }) &&
      !ComeOneByOne(program);
  return out;
}

std::vector<ir::Overrides> SizesBeside(const KernelPlan& plan,
                                       const ir::Param& param,
                                       const ir::Overrides& sizes) {
  std::vector<ir::Overrides> out;
  if (plan.sizes.defines.count(param.name) != 0) return out;
  for (int64_t n = 1; n < kFewSteps || n * param.step % kStepPeriod != 0; ++n) {
    ir::Overrides at = sizes;
    at[param.name] += n * param.step;
    if (param.high && at[param.name] > *param.high) break;
    out.push_back(std::move(at));
  }
  return out;
}

std::vector<ir::Overrides> SmallSizes(const KernelPlan& plan,
                                      const ir::Overrides& smallest) {
  constexpr size_t kMost = 512;
  // Of one parameter all remainders, of several fewer.
  const size_t params = plan.kernel->params.size();
  const size_t of_each = params <= 1 ? kMost : params == 2 ? 20 : 6;
  std::vector<ir::Overrides> out = {smallest};
  for (const ir::Param& p : plan.kernel->params) {
    std::vector<ir::Overrides> beside = SizesBeside(plan, p, smallest);
    beside.resize(std::min(beside.size(), of_each));
    const size_t before = out.size();
    for (size_t i = 0; i < before && out.size() < kMost; ++i) {
      for (const ir::Overrides& other : beside) {
        out.push_back(out[i]);
        out.back()[p.name] = other.at(p.name);
      }
    }
  }
  return out;
}

std::vector<ir::Overrides> EverySize(const KernelPlan& plan,
                                     const ir::Overrides& smallest) {
  constexpr size_t kMost = 512;
  std::vector<ir::Overrides> out = {smallest};
  for (const ir::Param& p : plan.kernel->params) {
    if (plan.given.contains(p.name)) continue;
    if (!p.high) return {};
    const auto values = static_cast<size_t>((*p.high - p.low) / p.step + 1);
    if (values > kMost || out.size() * values > kMost) return {};
    std::vector<ir::Overrides> more;
    for (const ir::Overrides& one : out) {
      for (size_t k = 0; k < values; ++k) {
        more.push_back(one);
        more.back()[p.name] = p.low + static_cast<int64_t>(k) * p.step;
      }
    }
    out = std::move(more);
  }
  return out;
}

namespace {

void AddNumbers(const ir::Expr& e, std::set<int64_t>& out) {
  constexpr int64_t kLeast = 16, kMost = 70'000;
  if (e.kind == ir::ExprKind::kInt && e.value >= kLeast && e.value <= kMost)
    out.insert(e.value);
  for (const ir::Expr& arg : e.args) AddNumbers(arg, out);
}

// In its statements, its grid, and what it requires.
std::set<int64_t> NumbersOf(const ir::Kernel& kernel) {
  std::set<int64_t> out;
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& s) {
    ir::Stmt copy = s;
    ir::ForEachExpr(copy, [&](ir::Expr& e) { AddNumbers(e, out); });
  });
  for (const ir::Expr& e : kernel.grid) AddNumbers(e, out);
  for (const ir::Constant& c : kernel.constants) AddNumbers(c.value, out);
  for (const ir::Requirement& r : kernel.requirements)
    AddNumbers(r.condition, out);
  return out;
}

// Permitted values from that one on: this many.
void AddFrom(const ir::Param& p, int64_t least, int count,
             std::set<int64_t>& out) {
  const int64_t steps =
      std::max<int64_t>(0, (least - p.low + p.step - 1) / p.step);
  for (int64_t k = steps; k < steps + count; ++k) {
    const int64_t size = p.low + k * p.step;
    if (!p.high || size <= *p.high) out.insert(size);
  }
}

}  // namespace

std::vector<ir::Overrides> SizesAtNumbers(const KernelPlan& plan,
                                          const ir::Overrides& smallest) {
  constexpr size_t kMostSizes = 240;
  ir::Overrides own = smallest;
  for (const ir::Param& p : plan.kernel->params) {
    if (!plan.given.contains(p.name)) own[p.name] = p.value;
  }
  // Those of small numbers first.
  std::map<int64_t, std::vector<ir::Overrides>> sizes;
  for (int64_t number : NumbersOf(*plan.kernel)) {
    for (const ir::Param& p : plan.kernel->params) {
      if (plan.given.contains(p.name)) continue;
      std::set<int64_t> values;
      AddFrom(p, number - p.step, 4, values);  // one below, and two above
      AddFrom(p, 2 * number, 1, values);
      for (const int64_t value : values) {
        for (const ir::Overrides& others : {smallest, own}) {
          ir::Overrides& one = sizes[number].emplace_back(others);
          one[p.name] = value;
        }
      }
    }
  }
  std::vector<ir::Overrides> out;
  std::set<ir::Overrides> seen;
  for (const auto& [number, more] : sizes) {
    for (const ir::Overrides& one : more) {
      if (out.size() < kMostSizes && seen.insert(one).second)
        out.push_back(one);
    }
  }
  return out;
}

std::vector<ir::Overrides> FarSizes(const KernelPlan& plan,
                                    const ir::Overrides& smallest) {
  std::vector<ir::Overrides> out;
  for (const ir::Param& p : plan.kernel->params) {
    for (int64_t steps : {61, 251, 1021}) {
      int64_t size = p.low + steps * p.step;
      if (p.high) size = std::min(size, *p.high);
      if (!out.empty() && out.back().at(p.name) == size) continue;
      out.push_back(smallest);
      out.back()[p.name] = size;
    }
  }
  return out;
}

}  // namespace tilesim::checkers::pipeline
