// tilesim hw: the program on the GPU of this machine, beside the model.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/complain.h"
#include "cli/device.h"
#include "cli/expected.h"
#include "cli/findings_text.h"
#include "cli/fingerprint.h"
#include "cli/input.h"
#include "cli/library_gemm.h"
#include "cli/outcomes.h"
#include "cli/output.h"
#include "cli/printed.h"
#include "cli/run/recorder.h"
#include "cli/spans_text.h"
#include "fmt/format.h"
#include "hwtests/emit/emit.h"
#include "hwtests/run/inputs.h"
#include "hwtests/run/run.h"
#include "hwtests/run/spans.h"
#include "hwtests/run/trace.h"
#include "ir/cat.h"
#include "ir/work.h"
#include "nlohmann/json.hpp"
#include "traces/chrome_trace.h"
#include "traces/summary.h"

namespace tilesim::cli {
namespace {

using Json = nlohmann::ordered_json;
using hwtests::HwError;

constexpr int kWarmups = 3;
constexpr int kSpanWarmupMs = 50;  // --spans: until the clock is up
constexpr size_t kUndelayed = 4;   // of so many launches one has no delays

struct HwOptions {
  std::string file;
  std::vector<std::string> defines;
  std::string arch;
  uint64_t seed = 0;
  bool all_values = false;
  int runs = 20;
  bool cold = false;
  bool cublas = false;
  bool debug = false;
  bool spans = false;
  double timeout_s = 30;
  int schedules = 0;
  int failures = 4;
  std::string trace;
  std::string format = "text";
  std::string output;
};

class HwRunner {
 public:
  explicit HwRunner(HwOptions options) : options_(std::move(options)) {}

  int Run() {
    const NamedFile file = {"FILE", options_.file};
    const NamedFile trace = {"--trace", options_.trace};
    if (!SparesInputs({trace}, {file}) ||
        !PrintTo(options_.output, {file, trace}))
      return kBadInput;
    std::optional<ir::Overrides> defines = ParseOverrides(options_.defines);
    if (defines) loaded_ = ParseFile(options_.file, *defines);
    if (loaded_ == nullptr) return kBadInput;
    arch_ = ArchFor(*loaded_, options_.arch);
    if (arch_ == nullptr) return kBadInput;
    // Schedules are of programs whose sizes do not follow the GPU's; spans are
    // refused where it has other SMs than the model's.
    int64_t sms = static_cast<int64_t>(arch_->sms);
    if (options_.schedules == 0 && !options_.spans) {
      absl::StatusOr<int64_t> asked = hwtests::DeviceSmCount({});
      if (!asked.ok()) return Missing(asked.status());
      sms = *asked;
    }
    if (!BindAll(*loaded_, sms)) return kBadInput;
    report_.file = options_.file;
    report_.program = loaded_->program.kernels[0].name;
    report_.arch = arch_->name;
    if (options_.spans) return Spans();
    return options_.schedules > 0 ? Schedules() : Measure();
  }

 private:
  std::optional<hwtests::Lowered> Lower(const hwtests::EmitOptions& asked) {
    hwtests::EmitOptions o = asked;
    o.file = options_.file;
    ir::Diagnostics diagnostics;
    auto lowered =
        hwtests::Lower(loaded_->program, loaded_->bound(), o, diagnostics);
    PrintDiagnostics(diagnostics, loaded_->source);
    return lowered;
  }

  hwtests::HwJob JobOf(const hwtests::Lowered& lowered) const {
    hwtests::HwJob job;
    job.cuda = lowered.cuda;
    job.plan = lowered.plan;
    job.inputs = hwtests::SeededInputs(lowered.plan, options_.seed);
    job.timeout_s = options_.timeout_s;
    job.flush_l2 = options_.cold;
    job.warmups = kWarmups;
    job.repeats = options_.runs;
    return job;
  }

  // --- one measured run -----------------------------------------------------

  int Measure() {
    std::optional<hwtests::Lowered> lowered = Lower({.debug = options_.debug});
    if (!lowered) return kBadInput;
    hwtests::HwJob job = JobOf(*lowered);
    if (options_.cublas && !AskCublas(job)) return kBadInput;
    absl::StatusOr<hwtests::HwResult> result = hwtests::RunOnDevice(job);
    if (!result.ok()) return Failed(result.status());
    if (!result->log.empty()) fmt::print(stderr, "{}\n", result->log);
    FillMeasured(*result);
    measured_["emitted"] = Fingerprint(lowered->cuda);
    measured_["outputs"] = OutputsJson(lowered->plan, result->outputs);
    if (!CountCycles() || !Trace()) return kBadInput;
    model_ =
        Expected::Of(*loaded_, *arch_, {options_.seed, options_.all_values});
    if (model_ == nullptr) return kBadInput;
    FillPredicted();
    std::map<std::string, values::Tensor> outputs;
    for (const hwtests::GlobalPlan& g : lowered->plan.globals) {
      auto it = result->outputs.find(g.name);
      if (it != result->outputs.end())
        outputs[g.name] = hwtests::ToTensor(g, it->second);
    }
    Judgement j = model_->Judge(outputs);
    report_.result = j.result;
    for (const ir::Diagnostic& d : j.findings) AddFinding(d);
    Print();
    return report_.findings.empty() ? kClean : kFindings;
  }

  int Missing(const absl::Status& status) const {
    if (options_.format == "json")
      PrintFile(
          {{"file", options_.file},
           {"failure", fmt::format("{}", fmt::join(MissingHere(status), "\n"))},
           {"measured", nullptr}});
    return SayMissing(status);
  }

  // A hang is run once more with bounded waits, to name the one that hangs.
  int Failed(absl::Status status) {
    if (IsMissing(status)) return Missing(status);
    HwError error = hwtests::HwErrorOf(status);
    if (error == HwError::kCompile || error == HwError::kInternal) {
      Complain("{}", std::string(status.message()));
      return kOurBug;
    }
    if (error == HwError::kHang && !hwtests::WaitReportOf(status)) {
      auto debug = Lower({.debug = true});
      hwtests::HwJob job = JobOf(*debug);
      job.repeats = 0;
      absl::Status again = hwtests::RunOnDevice(job).status();
      if (hwtests::WaitReportOf(again)) status = again;
    }
    ir::Diagnostic d;
    d.code = error == HwError::kHang ? ir::Code("hw/hang") : "hw/fault";
    d.message = std::string(status.message());
    if (auto report = hwtests::WaitReportOf(status)) {
      d.message = report->Text();
      d.span = LineSpan(report->line);
    } else if (error == HwError::kHang) {
      d.help =
          "no polling wait expired: a named or cluster barrier, a group "
          "wait or setmaxnreg may be what blocks; see tilesim check";
    }
    AddFinding(d);
    Print();
    return kFindings;
  }

  ir::Span LineSpan(int32_t line) const {
    ir::Span span;
    span.line = line;
    span.column = 1;
    return span;
  }

  void FillMeasured(const hwtests::HwResult& r) {
    const double us = r.times_us.empty() ? 0 : Median(r.times_us);
    report_.clock_mhz = r.clock_mhz;
    report_.measured_us = us;
    report_.cycles = static_cast<int64_t>(us * r.clock_mhz);
    ir::Work work = ir::WorkOf(loaded_->bound());
    if (work.flops > 0 && us > 0) {
      report_.tflops = work.flops / us / 1e6;
      report_.peak_fraction =
          *report_.tflops / (arch_->PeakTflops() * work.peak_factor);
    }
    measured_ = {
        {"device", r.device},        {"cuda", r.driver},
        {"sm_count", r.sm_count},    {"seed", options_.seed},
        {"runs", r.times_us.size()}, {"l2", options_.cold ? "flushed" : "warm"},
        {"median_us", us},           {"times_us", r.times_us},
        {"clock_mhz", r.clock_mhz},  {"boost_mhz", r.boost_mhz}};
    FillCublas(r);
  }

  bool AskCublas(hwtests::HwJob& job) const {
    job.cublas = LibraryGemm(*loaded_, job.plan);
    if (!job.cublas)
      Complain(
          "--cublas: `{}` does not say that it computes one "
          "product of two matrices",
          options_.file);
    return job.cublas.has_value();
  }

  void FillCublas(const hwtests::HwResult& r) {
    if (!options_.cublas) return;
    if (r.cublas_us.empty()) {
      Complain("--cublas: {}", r.cublas_problem);
      measured_["cublas"] = {{"problem", r.cublas_problem}};
      return;
    }
    const double us = Median(r.cublas_us);
    measured_["cublas"] = {{"median_us", us},
                           {"times_us", r.cublas_us},
                           {"speed_of_cublas", us / *report_.measured_us}};
  }

  // How long CTAs take, in SM cycles: by code that reads the clock, which is
  // not the code whose time is taken.
  bool CountCycles() {
    auto lowered = Lower({.cycles = true});
    if (!lowered) return false;
    hwtests::HwJob job = JobOf(*lowered);
    job.repeats = 0;
    absl::StatusOr<hwtests::HwResult> result = hwtests::RunOnDevice(job);
    if (!result.ok()) {
      Complain("counting cycles: {}", std::string(result.status().message()));
      return true;
    }
    std::vector<double> all;
    for (const std::vector<int64_t>& kernel : result->cta_cycles)
      all.insert(all.end(), kernel.begin(), kernel.end());
    if (all.empty()) return true;
    measured_["cta_cycles"] = {
        {"median", Median(all)},
        {"max", *std::max_element(all.begin(), all.end())}};
    return true;
  }

  // By code with stamps, whose cost is said. False: it could not be written.
  bool Trace() {
    if (options_.trace.empty()) return true;
    auto lowered = Lower({.trace = true});
    if (!lowered) return false;
    absl::StatusOr<hwtests::HwResult> result =
        hwtests::RunOnDevice(JobOf(*lowered));
    absl::Status status = result.status();
    if (status.ok()) {
      traces::Timeline timeline = hwtests::HwTimeline(
          lowered->plan, *result, options_.file, arch_->name);
      timeline.set_source(TextFingerprint(loaded_->source));
      std::vector<std::pair<std::string, int64_t>> sizes;
      for (const ir::BoundKernel& kernel : loaded_->bound())
        AddSizes(kernel, sizes);
      timeline.set_sizes(std::move(sizes));
      status = traces::WriteChromeTrace(timeline, options_.trace);
      FillTrace(*result);
    }
    if (!status.ok()) Complain("tracing: {}", std::string(status.message()));
    return status.ok();
  }

  void FillTrace(const hwtests::HwResult& result) {
    int64_t left_out = 0;
    for (const hwtests::TracedCta& cta : result.traced) {
      for (const hwtests::TracedThread& t : cta.threads) left_out += t.left_out;
    }
    measured_["trace"] = {{"ctas", result.traced.size()},
                          {"left_out", left_out}};
    if (result.times_us.empty() || *report_.measured_us <= 0) return;
    const double cost = Median(result.times_us) / *report_.measured_us;
    measured_["trace"]["time_with_stamps"] = cost;
    Complain(
        "with its stamps the code takes {:.2f} times as "
        "long{}",
        cost,
        left_out > 0 ? fmt::format("; {} stamps found no room", left_out) : "");
  }

  void FillPredicted() {
    const timing::RunStats& s = model_->stats();
    predicted_ = Json(nullptr);
    if (!s.finished) return;
    const double us = s.time_us;
    predicted_ = {{"arch", arch_->name},
                  {"cycles", s.cycles},
                  {"clock_mhz", s.clock_mhz},
                  {"time_us", us}};
    if (*report_.measured_us > 0)
      predicted_["of_measured"] = us / *report_.measured_us;
  }

  void AddFinding(const ir::Diagnostic& d) {
    report_.findings.push_back(LineOf(d, loaded_->source));
  }

  void Print() const {
    if (options_.format == "text") {
      fmt::print("{}", traces::TextSummary(report_));
      if (measured_.contains("cublas") &&
          measured_["cublas"].contains("median_us"))
        fmt::print(
            "\ncuBLAS\n  duration   {:.2f} us; this program runs at "
            "{:.1f} % of its speed\n",
            measured_["cublas"]["median_us"].get<double>(),
            measured_["cublas"]["speed_of_cublas"].get<double>() * 100);
      if (!predicted_.is_null())
        fmt::print("\nModel\n  predicted  {:.2f} us, {:.2f} of measured\n",
                   predicted_["time_us"].get<double>(),
                   predicted_.value("of_measured", 0.0));
      return;
    }
    Json file = traces::JsonSummary(report_);
    file["measured"] = measured_;
    file["predicted"] = predicted_;
    PrintFile(std::move(file));
  }

  static void PrintFile(Json file) {
    Json out = {{"schema", 1}, {"files", Json::array()}};
    out["files"].push_back(std::move(file));
    PrintAnswer(out);
  }

  // --- many schedules -------------------------------------------------------

  int Schedules() {
    auto lowered = Lower({.debug = true, .delays = true});
    if (!lowered) return kBadInput;
    hwtests::HwJob job = JobOf(*lowered);
    job.measure_clock = false;
    std::vector<uint32_t> seeds(options_.schedules);
    // 0: without delays.
    for (size_t i = 0; i < seeds.size(); ++i)
      seeds[i] = i % kUndelayed == 0 ? 0 : static_cast<uint32_t>(i);
    auto outcomes = hwtests::Observe(job, seeds, options_.failures);
    if (!outcomes.ok()) return Failed(outcomes.status());
    if (options_.format == "json") {
      PrintFile({{"file", options_.file},
                 {"emitted", Fingerprint(lowered->cuda)},
                 {"outcomes", OutcomesJson(lowered->plan, *outcomes)}});
    } else {
      PrintOutcomes(lowered->plan, *outcomes);
    }
    bool one = outcomes->size() == 1 && (*outcomes)[0].error == HwError::kNone;
    return one ? kClean : kFindings;
  }

  // --- times and stamps of the same launches --------------------------------

  int Spans() {
    auto plain = Lower({});
    if (!plain) return kBadInput;  // said; with stamps it would be once more
    auto stamped = Lower({.spans = true});
    if (!stamped) return kBadInput;
    auto result =
        hwtests::MeasureSpans(JobOf(*plain), stamped->cuda,
                              static_cast<int64_t>(arch_->sms), kSpanWarmupMs);
    if (!result.ok()) return Failed(result.status());
    if (!result->log.empty()) fmt::print(stderr, "{}\n", result->log);
    if (options_.format == "text") {
      PrintSpans(*result);
      return kClean;
    }
    Json file = {{"file", options_.file},
                 {"program", report_.program},
                 {"emitted", Fingerprint(plain->cuda)},
                 {"seed", options_.seed},
                 {"l2", options_.cold ? "cold" : "warm"}};
    file.update(SpansJson(*result));
    PrintFile(std::move(file));
    return kClean;
  }

  HwOptions options_;
  std::unique_ptr<Loaded> loaded_;
  const arch::Arch* arch_ = nullptr;
  std::unique_ptr<Expected> model_;
  traces::RunReport report_;
  Json measured_ = nullptr, predicted_ = nullptr;
};

}  // namespace

void AddHw(Command app, int& exit) {
  auto o = std::make_shared<HwOptions>();
  Command hw = app.AddCommand(
      "hw", "Runs a program on the GPU of this machine, beside the model.");
  hw.AddOption("FILE", o->file, "a .tile file; - for stdin").Required();
  hw.AddOption("-D", o->defines, "NAME=VALUE: a param or const").OneValueEach();
  hw.AddOption("--arch", o->arch, "the model's: h200, h100_sxm, ...");
  hw.AddOption("--seed", o->seed, "of the inputs").Check(WholeNumber(0));
  hw.AddFlag("--all-values", o->all_values,
             "compare the values of every CTA, not of some");
  hw.AddOption("--runs", o->runs, "timed launches").Check(WholeNumber(0));
  hw.AddFlag("--cold", o->cold, "flush L2 before each timed launch");
  hw.AddFlag("--spans", o->spans,
             "times, and when CTAs ran by stamps of the same launches, "
             "beside nothing of the model's");
  hw.AddFlag("--cublas", o->cublas, "time the same product of cuBLAS, too");
  hw.AddFlag("--debug", o->debug, "bound every polling wait");
  hw.AddOption("--timeout", o->timeout_s, "seconds on the GPU before a kill")
      .Check(Number(0, /*or_low=*/false));
  hw.AddOption("--trace", o->trace,
               "write what the first CTAs did, as tilesim run --trace does");
  hw.AddOption("--schedules", o->schedules,
               "launch so often, mostly with injected delays, and count "
               "outcomes")
      .Check(WholeNumber(1));
  hw.AddOption("--failures", o->failures,
               "with --schedules: stop after so many hangs and faults")
      .Check(WholeNumber(1))
      .Needs("--schedules");
  // These launch for another question than that of the result.
  for (const char* of : {"--schedules", "--spans"}) {
    for (const char* other : {"--all-values", "--cublas", "--trace"})
      hw.option(of).Excludes(other);
  }
  hw.option("--schedules").Excludes("--spans");
  hw.AddOption("--format", o->format, "text or json").OneOf({"text", "json"});
  AddPrinted(hw, o->output);
  hw.Footer(
      "examples:\n"
      "  tilesim hw examples/hopper/hgemm_v07.tile -D M=512 --all-values\n"
      "  tilesim hw ring.tile --schedules 200\n"
      "  tilesim hw gemm.tile --trace gpu.json\n");
  hw.OnCall([o, &exit] { exit = HwRunner(*o).Run(); });

  // The process that a run kills when it takes too long.
  auto directory = std::make_shared<std::string>();
  Command child = app.AddCommand("hw-child", "for tilesim hw");
  child.Hide();
  child.AddOption("DIR", *directory).Required();
  child.OnCall([directory, &exit] { exit = hwtests::HwChild(*directory); });
}

}  // namespace tilesim::cli
