#include "tests/sizes/larger.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/plan/sm_count.h"
#include "fmt/format.h"

namespace tilesim::checkers {
using plan::AsksForSms;

namespace {

using Clock = std::chrono::steady_clock;

// A parameter, counted in steps from its lowest value.
struct Axis {
  const ir::Param* param = nullptr;
  std::vector<int64_t> judged;  // in order

  int64_t top() const { return judged.back(); }
  int64_t Value(int64_t steps) const {
    return param->low + steps * param->step;
  }
  bool Permits(int64_t steps) const {
    return !param->high || Value(steps) <= *param->high;
  }
};

std::vector<Axis> AxesOf(const ir::Program& program, const CheckScope& scope) {
  std::map<std::string, Axis> out;
  for (const ir::Kernel& k : program.kernels) {
    for (const ir::Param& p : k.params) {
      auto judged = scope.params.find(p.name);
      if (judged == scope.params.end()) continue;
      Axis& axis = out[p.name];
      if (axis.param != nullptr) continue;
      axis.param = &p;
      for (int64_t value : judged->second)
        axis.judged.push_back((value - p.low) / p.step);
    }
  }
  std::vector<Axis> axes;
  for (auto& [name, axis] : out) axes.push_back(std::move(axis));
  return axes;
}

class Sizes {
 public:
  Sizes(std::vector<Axis> axes, std::mt19937_64& random)
      : axes_(std::move(axes)), random_(random) {}

  // Each parameter beyond what was judged, with others as they were judged;
  // then anything.
  std::vector<ir::Overrides> Choose(int count) {
    for (size_t a = 0; a < axes_.size(); ++a) {
      for (int64_t more : {1, 2, 3, 4, 5, 7, 13}) Beyond(a, more);
    }
    std::shuffle(out_.begin(), out_.end(), random_);
    if (static_cast<int>(out_.size()) > 2 * count / 3)
      out_.resize(2 * count / 3);
    for (int i = 0; i < 4 * count; ++i) {
      if (static_cast<int>(out_.size()) >= count) break;
      Anything();
    }
    return std::move(out_);
  }

 private:
  int64_t Below(int64_t end) {
    return std::uniform_int_distribution<int64_t>(0, end - 1)(random_);
  }
  int64_t Judged(const Axis& axis) {
    return axis.judged[Below(static_cast<int64_t>(axis.judged.size()))];
  }

  void Beyond(size_t which, int64_t more) {
    std::vector<int64_t> steps;
    for (size_t a = 0; a < axes_.size(); ++a) {
      const Axis& axis = axes_[a];
      steps.push_back(a == which ? axis.top() + more : Judged(axis));
    }
    Add(steps);
  }

  void Anything() {
    std::vector<int64_t> steps;
    for (const Axis& axis : axes_)
      steps.push_back(Below(2) == 0 ? Judged(axis) : Below(axis.top() + 10));
    Add(steps);
  }

  void Add(const std::vector<int64_t>& steps) {
    ir::Overrides sizes;
    for (size_t a = 0; a < axes_.size(); ++a) {
      if (!axes_[a].Permits(steps[a])) return;
      sizes[axes_[a].param->name] = axes_[a].Value(steps[a]);
    }
    if (seen_.insert(sizes).second) out_.push_back(std::move(sizes));
  }

  std::vector<Axis> axes_;
  std::mt19937_64& random_;
  std::set<ir::Overrides> seen_;
  std::vector<ir::Overrides> out_;
};

std::string ErrorOf(const CheckReport& report) {
  for (const report::Finding& f : report.findings) {
    const ir::Diagnostic& d = f.diagnostic;
    if (d.severity == ir::Severity::kError)
      return fmt::format("{} on line {}: {}", d.code.name(), d.span.text_line(),
                         d.message);
  }
  return "";
}

std::string TextOf(const ir::Overrides& sizes) {
  std::string out;
  for (const auto& [name, value] : sizes)
    out += fmt::format("-D {}={} ", name, value);
  return out;
}

std::string JudgedText(const CheckScope& scope) {
  std::string out = "(judged";
  for (const auto& [name, values] : scope.params)
    out += fmt::format(" {} up to {}", name, *values.rbegin());
  return out + ")";
}

}  // namespace

bool HasOpenParam(const ir::Program& program) {
  return std::any_of(
      program.kernels.begin(), program.kernels.end(), [](const ir::Kernel& k) {
        return std::any_of(
            k.params.begin(), k.params.end(),
            [](const ir::Param& p) { return !p.high || *p.high > p.low; });
      });
}

ir::Program WithoutSmall(ir::Program program, int64_t steps) {
  for (ir::Kernel& k : program.kernels) {
    for (ir::Param& p : k.params) {
      int64_t low = p.low + steps * p.step;
      if (p.high && *p.high < low) continue;
      p.low = low;
      p.value = std::max(p.value, low);
    }
  }
  return program;
}

Larger JudgeLarger(const ir::Program& program, const ir::Overrides& defines,
                   const ir::Program& edited, const Effort& effort,
                   std::mt19937_64& random) {
  CheckOptions options;
  options.defines = defines;
  options.max_states = effort.max_states;
  bool asks =
      std::any_of(program.kernels.begin(), program.kernels.end(), AsksForSms);
  if (asks) options.sm_count = effort.sms;
  CheckReport all = Check(program, options);
  Larger out;
  out.verdict = all.verdict;
  out.all_sizes = all.scope.all_sizes;
  out.told = ErrorOf(all);
  if (out.told.empty() && !all.open.empty()) out.told = all.open[0];
  if (out.verdict != Verdict::kClean || !out.all_sizes) return out;
  options.max_events = effort.max_events;
  options.trips = 1;  // they are run, and nothing is shown of them
  auto start = Clock::now();
  Sizes sizes(AxesOf(program, all.scope), random);
  for (const ir::Overrides& one : sizes.Choose(effort.sizes)) {
    std::chrono::duration<double> time = Clock::now() - start;
    if (time.count() > effort.seconds) break;
    options.defines = one;
    CheckReport r = Check(edited, options);
    if (r.errors.has_errors()) continue;  // not permitted together
    ++out.sizes;
    out.open += r.verdict == Verdict::kIncomplete;
    if (r.verdict != Verdict::kFindings) continue;
    out.wrong =
        fmt::format("{}{}: {}", TextOf(one), JudgedText(all.scope), ErrorOf(r));
    break;
  }
  return out;
}

}  // namespace tilesim::checkers
