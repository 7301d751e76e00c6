#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "cli/color.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/findings_text.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/recorder.h"
#include "cli/replay.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "ir/values/npy.h"
#include "ir/work.h"
#include "nlohmann/json.hpp"
#include "sim/arch/accuracy.h"
#include "sim/machine/data/budget.h"
#include "sim/machine/data/memory.h"
#include "sim/machine/deadlock.h"
#include "sim/timing/engine.h"
#include "sim/timing/registers.h"
#include "traces/chrome_trace.h"
#include "traces/filter.h"
#include "traces/summary.h"
#include "traces/tiling.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kSampledCtas = 4;

// A run that would take longer is not begun in earnest unless it is bounded.
constexpr double kMostHours = 1;
constexpr double kSecondsBeforeEstimate = 2;
constexpr int64_t kWavesBeforeEstimate = 4;

struct RunOptions {
  std::string file;
  std::vector<std::string> defines;
  std::string arch;
  std::vector<std::string> set;
  bool timing_only = false;
  bool values_only = false;
  std::string values;
  std::vector<std::string> in, out;
  uint64_t seed = 0;
  int64_t max_cycles = 0;
  std::string l2 = "warm";
  std::string trace;
  std::vector<int64_t> trace_sms, trace_ctas;
  int64_t trace_events = 200000;
  std::string format = "text";
  std::string replay;
  int finding = 0;
};

// One `tilesim run`, step by step.
class Runner {
 public:
  explicit Runner(RunOptions options) : options_(std::move(options)) {}

  int Run() {
    const std::atomic<bool>& stop = CatchInterrupt();
    if (!KeepsInputs()) return kBadInput;
    std::optional<ir::Overrides> defines = ParseOverrides(options_.defines);
    if (defines) loaded_ = ParseFile(options_.file, *defines);
    if (loaded_ == nullptr) return kBadInput;
    arch_ = ArchFor(*loaded_, options_.arch, options_.set);
    if (arch_ == nullptr) return kBadInput;
    if (!BindAll(*loaded_, static_cast<int64_t>(arch_->sms))) return kBadInput;
    if (!NamesTraced() || !NamesOutputs() || !MakeMemory() ||
        !MayWriteOutputs())
      return kBadInput;
    machine_.emplace(loaded_->pointers(), memory_.get());
    machine::MachineFaults faults(*machine_);
    if (memory_ != nullptr) memory_->set_faults(&faults);
    Simulate(stop);
    if (stop) return Interrupted();
    if (stats_.too_long || takes_too_long_) return Unfinished();
    if (memory_ != nullptr && !memory_->status().ok()) {
      Complain("{}", std::string(memory_->status().message()));
      return kBadInput;
    }
    if (!stats_.finished && !stats_.faulted)
      deadlock_ = machine::ExplainDeadlock(*machine_, engine_->state());
    CheckResults(stop);
    if (stop) return Interrupted();
    // Files first: who reads the report may stop reading (`| head`).
    bool written = WriteOutputs();
    Print();
    if (!written) return kBadInput;
    if (our_bug_) return kOurBug;
    return findings_ > 0 ? kFindings : kClean;
  }

 private:
  int Interrupted() const {
    Complain(
        "interrupted after {} modelled cycles; no file was "
        "written",
        stats_.cycles);
    return kInterrupted;
  }

  // By a limit on the clock, or because nobody would wait for the end.
  int Unfinished() const {
    if (takes_too_long_) {
      Complain(
          "after {:.0f} s {} of {} CTAs have been run; all "
          "would take about {:.0f} hours. Choose smaller sizes (-D), or "
          "bound the run: --max-cycles N",
          progress_->seconds(), ctas_done_, stats_.ctas,
          progress_->HoursFor(ctas_done_, stats_.ctas));
      return kBadInput;
    }
    Complain(
        "stopped after {} modelled cycles (--max-cycles), with "
        "{} of {} CTAs run; no file was written",
        options_.max_cycles, ctas_done_, stats_.ctas);
    return kIncomplete;
  }

  bool KeepsInputs() const {
    std::vector<NamedFile> outputs = FilesOf("--out", options_.out);
    outputs.push_back({"--trace", options_.trace});
    std::vector<NamedFile> inputs = FilesOf("--in", options_.in);
    inputs.push_back({"FILE", options_.file});
    return SparesInputs(outputs, inputs);
  }

  bool MakeMemory() {
    machine::MemoryOptions o;
    o.seed = options_.seed;
    if (!ReadInputs(o)) return false;
    using Values = machine::MemoryOptions::Values;
    o.values = Values::kSample;
    int64_t count = kSampledCtas;
    if (options_.timing_only) {
      o.values = Values::kNone;
    } else if (options_.values == "all" ||
               (options_.values.empty() && !options_.out.empty()) ||
               machine::ValuesFlowBetweenCtas(loaded_->pointers())) {
      o.values = Values::kAll;
    } else if (!options_.values.empty() &&
               (!absl::SimpleAtoi(options_.values, &count) || count < 1)) {
      Complain("--values takes `all` or a number of CTAs");
      return false;
    }
    for (const machine::Code& code : loaded_->codes)
      o.sample.push_back(machine::SampleCtas(code.bound, count));
    auto memory = machine::Memory::Create(loaded_->pointers(), std::move(o));
    if (!memory.ok()) {
      Complain("{}", std::string(memory.status().message()));
      return false;
    }
    memory_ = std::move(*memory);
    return true;
  }

  bool ReadInputs(machine::MemoryOptions& o) {
    for (const std::string& text : options_.in) {
      size_t equals = text.find('=');
      if (equals == std::string::npos) {
        Complain("--in {}: expected NAME=file.npy", text);
        return false;
      }
      std::string name = text.substr(0, equals);
      const ir::BoundDecl* decl = GlobalNamed(name);
      if (decl == nullptr) {
        Complain("--in {}: no global `{}`", text, name);
        return false;
      }
      auto tensor = ReadInput(text.substr(equals + 1), *decl);
      if (!tensor.ok()) {
        Complain("--in {}: {}", text, std::string(tensor.status().message()));
        return false;
      }
      o.inputs[name] = std::move(*tensor);
    }
    return true;
  }

  static absl::StatusOr<values::Tensor> ReadInput(const std::string& path,
                                                  const ir::BoundDecl& decl) {
    // The file, and the tensor made of it.
    absl::Status fits =
        machine::Budget{machine::FreeBytes()}.Fits(2 * decl.object_bytes);
    if (!fits.ok()) return fits;
    std::vector<int64_t> shape(decl.shape.begin(),
                               decl.shape.begin() + decl.rank);
    return values::ReadNpy(path, decl.dtype, shape);
  }

  const ir::BoundDecl* GlobalNamed(const std::string& name) const {
    for (const machine::Code& code : loaded_->codes) {
      const auto& decls = code.kernel().decls;
      for (size_t i = 0; i < decls.size(); ++i) {
        if (decls[i].space == ir::Space::kGlobal && decls[i].name == name)
          return &code.bound.decls[i];
      }
    }
    return nullptr;
  }

  void Simulate(const std::atomic<bool>& stop) {
    timing::EngineOptions o;
    progress_.emplace("CTAs");
    o.max_cycles = options_.max_cycles;
    if (options_.l2 == "cold") o.l2 = timing::L2State::kCold;
    o.stop = &stop_;
    o.progress = [this, &stop](int64_t done, int64_t all) {
      progress_->Show(done, all);
      takes_too_long_ = options_.max_cycles == 0 && TakesTooLong(done, all);
      stop_ = stop || takes_too_long_;
    };
    if (!options_.trace.empty()) {
      traces::TimelineInfo info;
      info.program = options_.file;
      info.arch = arch_->name;
      info.clock_khz = static_cast<int64_t>(arch_->clock_mhz * 1000);
      recorder_.emplace(*machine_, std::move(info),
                        [part = TracePart()](int sm, int64_t cta) {
                          return Holds(part.sms, sm) && Holds(part.ctas, cta);
                        });
      o.observer = &*recorder_;
    }
    engine_.emplace(*machine_, *arch_, std::move(o));
    stats_ = engine_->Run();
    progress_->Clear();
    for (const machine::Grid& grid : engine_->state().grids)
      ctas_done_ += grid.finished_ctas;
  }

  // Told only of runs that have had their GPU full several times: the first
  // CTAs all end late.
  bool TakesTooLong(int64_t done, int64_t all) const {
    int64_t resident = 0;
    for (const machine::Code& code : loaded_->codes)
      resident = std::max(resident, timing::CtasPerSm(code.bound));
    resident *= static_cast<int64_t>(arch_->sms);
    return done > kWavesBeforeEstimate * resident &&
           progress_->seconds() > kSecondsBeforeEstimate &&
           progress_->HoursFor(done, all) > kMostHours;
  }

  // What --trace records: two SMs unless something was chosen.
  traces::Filter TracePart() const {
    traces::Filter part;
    part.sms = options_.trace_sms;
    part.ctas = options_.trace_ctas;
    if (part.sms.empty() && part.ctas.empty()) part.sms = {0, 1};
    part.max_events = options_.trace_events;
    return part;
  }

  // No restriction holds for everything.
  static bool Holds(const std::vector<int64_t>& chosen, int64_t number) {
    return chosen.empty() ||
           std::find(chosen.begin(), chosen.end(), number) != chosen.end();
  }

  // --- the answer -----------------------------------------------------------

  void CheckResults(const std::atomic<bool>& stop) {
    for (const ir::Diagnostic& d : machine_->findings()) AddFinding(d);
    for (const ir::Diagnostic& d : deadlock_) AddFinding(d);
    if (!stats_.finished && findings_ == 0) {
      Complain("the run stopped and nothing says why");
      our_bug_ = true;
    }
    traces::ResultReport& result = report_.result;
    result.coverage =
        ir::Cat(memory_->materialised_ctas(), " of ", stats_.ctas, " CTAs");
    if (!stats_.finished) return;
    CheckCoverage();
    if (options_.timing_only) return;
    CompareWithSlowRule();
    CompareValues(stop);
  }

  // What all CTAs have stored of the result.
  void CheckCoverage() {
    std::vector<std::string> whole;
    for (const machine::TargetCoverage& t : memory_->coverage().Targets()) {
      for (const ir::Diagnostic& d : machine::FindingsOf(t)) AddFinding(d);
      if (t.followed && t.holes == 0) whole.push_back(t.target);
      if (!t.followed)
        report_.result.coverage +=
            ir::Cat("; what is written of ", t.target, " was not followed");
      if (!t.pairs_followed && !t.twice)
        report_.result.coverage += ir::Cat("; not every double store to ",
                                           t.target, " was looked for");
    }
    if (!whole.empty())
      report_.result.coverage +=
          fmt::format(", all of {} written", fmt::join(whole, ", "));
  }

  void CompareValues(const std::atomic<bool>& stop) {
    traces::ResultReport& result = report_.result;
    double abs_error = 0, rel_error = 0, bound = 0;
    for (const machine::ComputesResult& r : memory_->Check(&stop)) {
      if (!r.skipped.empty()) continue;
      result.checked = true;
      abs_error = std::max(abs_error, r.max_abs_error);
      rel_error = std::max(rel_error, r.max_rel_error);
      bound = std::max(bound, r.bound);
      if (r.failed > 0) AddFinding(MismatchOf(r));
    }
    if (!result.checked) return;
    result.max_abs_error = abs_error;
    result.max_rel_error = rel_error;
    result.bound = bound;
  }

  // The fast arithmetic of the tensor core against the slow rule. No other op
  // has two.
  void CompareWithSlowRule() {
    const machine::MmaTally& tally = memory_->mma_tally();
    if (tally.checked == 0) {
      report_.result.bit_exact_note = "nothing to compare: no MMA";
      return;
    }
    report_.result.bit_exact = tally.equal == tally.checked;
    if (!*report_.result.bit_exact) ++findings_;
  }

  void AddFinding(const ir::Diagnostic& d) {
    bool error = d.severity == ir::Severity::kError;
    findings_ += error;
    fmt::print(stderr, "{}", ir::Render(d, loaded_->source, PaintOn(stderr)));
    if (d.times > 1) fmt::print(stderr, "  (and {} times more)\n", d.times - 1);
    fmt::print(stderr, "\n");
    traces::FindingLine line;
    line.code = d.code.name();
    line.severity = error ? "error" : "warning";
    line.message = d.message;
    line.file = loaded_->source.PathOf(d.span);
    line.line = d.span.text_line();
    line.column = d.span.column;
    report_.findings.push_back(std::move(line));
  }

  void Print() {
    FillReport();
    if (options_.format == "json") {
      nlohmann::ordered_json out;
      out["schema"] = 1;
      out["files"] = nlohmann::ordered_json::array();
      out["files"].push_back(traces::JsonSummary(report_));
      PrintAnswer(out);
    } else {
      fmt::print("{}", traces::TextSummary(report_));
    }
  }

  void FillReport() {
    report_.file = options_.file;
    report_.program = loaded_->program.kernels[0].name;
    report_.arch = arch_->name;
    report_.clock_mhz = stats_.clock_mhz;
    report_.cycles = stats_.cycles;
    report_.launch_us = arch_->launch_time / 1000;
    report_.clock_error = traces::ClockError{};
    if (const arch::Accuracy* a = arch::AccuracyOf(arch_->name))
      report_.clock_error = {a->points, a->mean_time, a->worst_time,
                             a->mean_cycles, a->worst_cycles};
    ir::Work work = ir::WorkOf(loaded_->bound());
    if (work.flops > 0 && stats_.finished) {
      report_.tflops = work.flops / stats_.time_us / 1e6;
      report_.peak_fraction =
          *report_.tflops / (arch_->PeakTflops() * work.peak_factor);
    }
    FillBound();
    FillLaunch();
    for (const timing::RoleStats& role : stats_.roles) {
      traces::RoleReport r;
      r.name = role.name;
      r.agents = role.strands;
      r.lifetime = static_cast<int64_t>(role.cycles);
      r.busy = static_cast<int64_t>(role.busy);
      for (const timing::WaitStats& w : role.waits)
        r.waits.push_back({w.on, static_cast<int64_t>(w.cycles), w.count});
      report_.roles.push_back(std::move(r));
    }
    for (const timing::UnitStats& unit : stats_.units) {
      if (unit.busy == 0) continue;
      traces::UnitReport u;
      u.name = unit.name;
      bool memory = unit.name == "HBM" || unit.name.starts_with("L2");
      u.unit_class =
          memory ? traces::UnitClass::kMemory : traces::UnitClass::kCompute;
      u.busy = unit.busy;
      report_.units.push_back(std::move(u));
    }
  }

  void FillBound() {
    int most = 0;
    double all = 0;
    for (int i = 0; i < timing::kCauses; ++i) {
      all += stats_.chain.cycles[i];
      if (stats_.chain.cycles[i] > stats_.chain.cycles[most]) most = i;
    }
    report_.bound_by = std::string(timing::kCauseNames[most]);
    std::vector<int> order(timing::kCauses);
    for (int i = 0; i < timing::kCauses; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return stats_.chain.cycles[a] > stats_.chain.cycles[b];
    });
    int64_t at = 0;
    for (int i : order) {
      int64_t cycles = static_cast<int64_t>(stats_.chain.cycles[i]);
      if (static_cast<double>(cycles) < all * 0.01) break;
      traces::PathStep step;
      step.start = at;
      step.end = at + cycles;
      step.who = std::string(timing::kCauseNames[i]);
      step.what =
          fmt::format("{:.1f} %", 100 * static_cast<double>(cycles) / all);
      report_.critical_path.push_back(std::move(step));
      at += cycles;
    }
  }

  void FillLaunch() {
    const ir::BoundKernel& b = loaded_->codes[0].bound;
    auto triple = [](const std::array<int64_t, 3>& v) {
      return v[2] > 1 ? fmt::format("({}, {}, {})", v[0], v[1], v[2])
                      : fmt::format("({}, {})", v[0], v[1]);
    };
    traces::LaunchReport launch;
    launch.grid = triple(b.grid);
    launch.cluster = triple(b.cluster);
    launch.threads_per_cta = b.block;
    launch.ctas = b.ctas();
    launch.sms = static_cast<int64_t>(arch_->sms);
    launch.shared_bytes = b.shared_bytes;
    launch.registers_per_thread = timing::RegistersOf(b);
    launch.tmem_columns = b.tmem_columns;
    launch.ctas_per_sm = timing::CtasPerSm(b);
    launch.waves = static_cast<double>(launch.ctas) /
                   static_cast<double>(launch.sms * launch.ctas_per_sm);
    report_.launch = launch;
  }

  bool NamesTraced() const {
    return NumbersFrom0("--trace-sm", options_.trace_sms,
                        static_cast<int64_t>(arch_->sms)) &&
           NumbersFrom0("--trace-cta", options_.trace_ctas,
                        loaded_->codes.front().bound.ctas());
  }

  // What --out asks for, looked at before its tensors take memory.
  bool NamesOutputs() const {
    for (const std::string& text : options_.out) {
      size_t equals = text.find('=');
      std::string why;
      if (equals == std::string::npos) {
        why = "expected NAME=file.npy";
      } else if (GlobalNamed(text.substr(0, equals)) == nullptr) {
        why = ir::Cat("`", text.substr(0, equals), "` is no global");
      }
      if (why.empty()) continue;
      Complain("--out {}: {}", text, why);
      return false;
    }
    return true;
  }

  // And before a long run. Split at the `=`.
  bool MayWriteOutputs() const {
    for (const std::string& text : options_.out) {
      absl::Status status = memory_->CanCopy(text.substr(0, text.find('=')));
      if (status.ok()) continue;
      Complain("--out {}: {}", text, std::string(status.message()));
      return false;
    }
    return true;
  }

  bool WriteOutputs() {
    for (const std::string& text : options_.out) {
      size_t equals = text.find('=');
      auto tensor = memory_->Tensor(text.substr(0, equals));
      if (!WriteFile(text.substr(equals + 1), values::FormatNpy(*tensor)))
        return false;
    }
    if (!recorder_) return true;
    traces::Timeline timeline = recorder_->Finish(stats_.cycles);
    if (auto gap = traces::FindTilingViolation(timeline);
        gap && stats_.finished) {
      Complain("a trace with a hole is our bug: {}", *gap);
      our_bug_ = true;
    }
    absl::Status status = traces::WriteChromeTrace(
        traces::ApplyFilter(timeline, TracePart()), options_.trace);
    if (!status.ok()) Complain("{}", std::string(status.message()));
    return status.ok();
  }

  RunOptions options_;
  std::unique_ptr<Loaded> loaded_;
  const arch::Arch* arch_ = nullptr;
  std::unique_ptr<machine::Memory> memory_;
  std::optional<machine::Machine> machine_;
  std::optional<Recorder> recorder_;
  std::optional<timing::Engine> engine_;
  std::optional<Progress> progress_;
  std::atomic<bool> stop_ = false;
  bool takes_too_long_ = false;
  int64_t ctas_done_ = 0;
  timing::RunStats stats_;
  std::vector<ir::Diagnostic> deadlock_;
  traces::RunReport report_;
  int findings_ = 0;
  bool our_bug_ = false;
};

}  // namespace

void AddReplay(CLI::App* run, RunOptions& o) {
  auto* replay =
      run->add_option("--replay", o.replay,
                      "what `check --format json` printed: runs the schedule "
                      "of a finding again");
  for (const char* other :
       {"-D", "--arch", "--set", "--timing-only", "--values-only", "--values",
        "--in", "--out", "--seed", "--max-cycles", "--trace-sm", "--trace-cta",
        "--trace-events"})
    replay->excludes(run->get_option(other));
  run->add_option("--finding", o.finding,
                  "which of the file's, from 1; the first that has a schedule")
      ->check(WholeNumber(1))
      ->needs(replay);
}

void AddRun(CLI::App& app, int& exit) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* run = app.add_subcommand(
      "run",
      "Runs a program on the modelled GPU, checks its result, times it.");
  run->add_option("FILE", o->file, "a .tile file; - for stdin")->required();
  run->add_option("-D", o->defines, "NAME=VALUE: a param or const")
      ->allow_extra_args(false);
  AddArch(*run, o->arch, o->set);
  auto* timing = run->add_flag("--timing-only", o->timing_only,
                               "times, computes no values");
  run->add_flag("--values-only", o->values_only, "values, prints no times")
      ->excludes(timing);
  run->add_option("--values", o->values,
                  "which CTAs compute values: all, or how many (sampled)");
  run->add_option("--in", o->in, "NAME=file.npy")->allow_extra_args(false);
  run->add_option("--out", o->out, "NAME=file.npy")->allow_extra_args(false);
  run->add_option("--seed", o->seed, "of the inputs that are not given")
      ->check(WholeNumber(0));
  run->add_option("--max-cycles", o->max_cycles,
                  "stop when the modelled clock has come that far (exit 3)")
      ->check(WholeNumber(1));
  run->add_option("--l2", o->l2,
                  "before: warm, the same launch went before; cold, other data")
      ->check(CLI::IsMember({"warm", "cold"}));
  run->add_option("--trace", o->trace,
                  "write a Chrome trace (.json or .json.gz) for Perfetto")
      ->check(Something());
  run->add_option("--trace-sm", o->trace_sms, "SMs to trace; 0 and 1")
      ->delimiter(',')
      ->check(WholeNumber(0));
  run->add_option("--trace-cta", o->trace_ctas,
                  "CTAs to trace, by linear index; all of the SMs")
      ->delimiter(',')
      ->check(WholeNumber(0));
  run->add_option("--trace-events", o->trace_events, "at most this many")
      ->check(WholeNumber(1));
  AddReplay(run, *o);
  run->add_option("--format", o->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  run->footer(
      "examples:\n"
      "  tilesim run examples/hopper/hgemm_v07.tile\n"
      "  tilesim run gemm.tile -D M=512 -D N=512 --values all\n"
      "  tilesim run gemm.tile --timing-only --trace gemm.json.gz\n"
      "  tilesim check gemm.tile --format json > w.json;"
      " tilesim run gemm.tile --replay w.json\n");
  run->callback([o, &exit] {
    exit = o->replay.empty() ? Runner(*o).Run()
                             : ReplayWitness({o->file, o->replay, o->finding,
                                              o->trace, o->format});
  });
}

}  // namespace tilesim::cli
