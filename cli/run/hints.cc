#include "cli/run/hints.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "cli/sweep/run_point.h"
#include "fmt/format.h"

namespace tilesim::cli {
namespace {

// What is less is within what the clock ties.
constexpr double kLeastGain = 0.02;
constexpr std::array<int64_t, 4> kSteps = {-1, 1, 2, 4};

bool Names(const ir::Expr& e, const std::string& name) {
  if (e.kind == ir::ExprKind::kName) return e.name == name;
  return std::any_of(e.args.begin(), e.args.end(),
                     [&](const ir::Expr& a) { return Names(a, name); });
}

// Constants that say how many shared tiles or barriers there are.
std::set<std::string> StageConstants(const ir::Program& program) {
  std::set<std::string> names;
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Constant& c : kernel.constants) {
      for (const ir::Decl& d : kernel.decls) {
        if (c.is_let || d.space != ir::Space::kShared) continue;
        for (const ir::Expr& extent : d.array) {
          if (Names(extent, c.name)) names.insert(c.name);
        }
      }
    }
  }
  return names;
}

}  // namespace

void FillHints(TimedRun& run, const std::atomic<bool>& stop) {
  traces::RunReport& report = run.report();
  if (!report.finished || run.exit() != kClean) return;
  const Loaded& loaded = run.loaded();
  PointOptions options;
  options.values = true;
  // One that takes longer is no hint.
  options.max_cycles = run.stats().cycles;
  Progress progress("hints");
  const std::set<std::string> names = StageConstants(loaded.program);
  const auto all = static_cast<int64_t>(names.size() * kSteps.size());
  int64_t done = 0;
  for (const std::string& name : names) {
    const auto own =
        std::find_if(report.constants.begin(), report.constants.end(),
                     [&](const auto& c) { return c.first == name; });
    std::string tried;
    for (int64_t step : kSteps) {
      progress.Show(done++, all);
      if (own == report.constants.end() || own->second + step < 1) continue;
      ir::Overrides defines = loaded.defines;
      defines[name] = own->second + step;
      auto point = RunPoint(loaded.source, defines, run.arch(), options, stop);
      const bool timed = point && point->timed();
      tried += fmt::format("{}{}{}", tried.empty() ? "" : ", ", defines[name],
                           timed || stop ? "" : " (cannot run)");
      if (!timed) continue;
      const double change = point->time_us / run.stats().time_us - 1;
      if (change > -kLeastGain) continue;
      report.hints.push_back({fmt::format("{} = {}", name, defines[name]),
                              point->time_us, change});
    }
    if (!tried.empty())
      report.tried.push_back(fmt::format("{} = {}", name, tried));
  }
  report.hinted = !stop;
  std::stable_sort(
      report.hints.begin(), report.hints.end(),
      [](const auto& a, const auto& b) { return a.time_us < b.time_us; });
}

}  // namespace tilesim::cli
