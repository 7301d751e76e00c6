#include "cli/sweep/measure.h"

#include <algorithm>
#include <map>
#include <memory>

#include "cli/device.h"
#include "cli/expected.h"
#include "cli/input.h"
#include "fmt/format.h"
#include "frontend/parse.h"
#include "hwtests/emit/emit.h"
#include "hwtests/run/inputs.h"
#include "hwtests/run/run.h"

namespace tilesim::cli {
namespace {

constexpr int kSweepWarmups = 3;
constexpr int kRuns = 20;
constexpr double kTimeout = 30;  // seconds

class PointOnGpu {
 public:
  PointOnGpu(const ir::Source& source, const ir::Overrides& defines,
             const arch::Arch& arch, int64_t sms)
      : arch_(arch), sms_(sms) {
    loaded_.source = ir::Source{source.path, source.text};
    loaded_.defines = defines;
  }

  // Fills `point`, and of `all` what it learns of this machine.
  void Measure(MeasuredPoint& point, Measured& all) {
    ir::Diagnostics found;
    std::optional<hwtests::Lowered> lowered = Lower(found);
    if (!lowered) {
      auto error = std::find_if(
          found.all().begin(), found.all().end(),
          [](const auto& d) { return d.severity == ir::Severity::kError; });
      point.problem =
          error == found.all().end() ? "not lowered" : error->message;
      return;
    }
    hwtests::HwJob job;
    job.cuda = lowered->cuda;
    job.plan = lowered->plan;
    job.inputs = hwtests::SeededInputs(lowered->plan, 0);
    job.timeout_s = kTimeout;
    job.warmups = kSweepWarmups;
    job.repeats = kRuns;
    absl::StatusOr<hwtests::HwResult> result = hwtests::RunOnDevice(job);
    if (!result.ok()) {
      point.problem = std::string(result.status().message());
      if (IsMissing(result.status())) all.missing = point.problem;
      return;
    }
    all.device = result->device;
    if (!result->times_us.empty()) point.time_us = Median(result->times_us);
    point.problem = ProblemOf(*lowered, *result);
  }

 private:
  std::optional<hwtests::Lowered> Lower(ir::Diagnostics& found) {
    auto program = frontend::Parse(loaded_.source, found, loaded_.defines);
    if (!program) return std::nullopt;
    loaded_.program = std::move(*program);
    Bind(loaded_, sms_, found);
    if (found.has_errors()) return std::nullopt;
    return hwtests::Lower(loaded_.program, loaded_.bound(),
                          {.file = loaded_.source.path}, found);
  }

  // What is wrong with the values, if anything is.
  std::string ProblemOf(const hwtests::Lowered& lowered,
                        const hwtests::HwResult& result) const {
    std::unique_ptr<Expected> model = Expected::Of(loaded_, arch_, {});
    if (model == nullptr) return "its values do not fit in memory";
    std::map<std::string, values::Tensor> outputs;
    for (const hwtests::GlobalPlan& g : lowered.plan.globals) {
      auto it = result.outputs.find(g.name);
      if (it != result.outputs.end())
        outputs[g.name] = hwtests::ToTensor(g, it->second);
    }
    Judgement j = model->Judge(outputs);
    return j.findings.empty() ? "" : j.findings[0].message;
  }

  Loaded loaded_;
  const arch::Arch& arch_;
  const int64_t sms_;
};

}  // namespace

Measured MeasureBest(const Sweep& sweep, const ir::Source& source,
                     const arch::Arch& arch, int64_t best,
                     const std::function<void(int64_t done)>& shown) {
  Measured out;
  absl::Status status = hwtests::CompilerStatus();
  absl::StatusOr<int64_t> sms = hwtests::DeviceSmCount({});
  if (!sms.ok()) status = sms.status();
  if (!status.ok()) {
    out.missing = fmt::format("{}", fmt::join(MissingHere(status), "; "));
    return out;
  }
  Ranking ranking = RankingOf(sweep);
  Grid grid(sweep.axes);
  for (const Point* p : ranking.order) {
    auto done = static_cast<int64_t>(out.points.size());
    if (done == best || !out.missing.empty()) break;
    shown(done);
    MeasuredPoint point{p->number, 0, ""};
    PointOnGpu(source, grid.DefinesAt(point.number), arch, *sms)
        .Measure(point, out);
    out.points.push_back(std::move(point));
  }
  if (!out.missing.empty()) out.points.clear();
  return out;
}

}  // namespace tilesim::cli
