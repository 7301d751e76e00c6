#include "cli/run/timed_run.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "cli/complain.h"
#include "cli/findings_text.h"
#include "cli/output.h"
#include "cli/run/other_sizes.h"
#include "cli/run/report_of.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "ir/values/convert.h"
#include "ir/values/npy.h"
#include "sim/machine/data/budget.h"
#include "sim/machine/deadlock.h"
#include "sim/timing/registers.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kSampledCtas = 4;

// A run that would take longer is not begun in earnest unless it is bounded.
constexpr double kMostHours = 1;
constexpr double kSecondsBeforeEstimate = 2;
constexpr int64_t kWavesBeforeEstimate = 4;

// Of dimensions of stride 0, whose elements are one, a file may have only that:
// here are as many as the program declares.
values::Tensor Repeated(const values::Tensor& once, const ir::BoundDecl& decl,
                        const std::vector<int64_t>& shape) {
  values::Tensor out{once.type, shape, {}};
  const int64_t all = out.elements();
  out.data.resize(values::BytesOf(once.type, all));
  for (int64_t i = 0; i < all; ++i) {
    int64_t from = 0, times = 1, left = i;
    for (size_t d = shape.size(); d-- > 0; left /= shape[d]) {
      if (decl.strides[d] == 0) continue;
      from += left % shape[d] * times;
      times *= shape[d];
    }
    values::StoreCode(once.type, out.data.data(), i,
                      values::LoadCode(once.type, once.data.data(), from));
  }
  return out;
}

absl::StatusOr<values::Tensor> ReadInput(const std::string& path,
                                         const ir::BoundDecl& decl) {
  // The file, and the tensor made of it.
  absl::Status fits =
      machine::Budget{machine::FreeBytes()}.Fits(2 * decl.object_bytes);
  if (!fits.ok()) return fits;
  std::vector<int64_t> shape(decl.shape.begin(),
                             decl.shape.begin() + decl.rank);
  auto whole = values::ReadNpy(path, decl.dtype, shape);
  std::vector<int64_t> kept, ones;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (decl.strides[d] != 0) kept.push_back(shape[d]);
    ones.push_back(decl.strides[d] != 0 ? shape[d] : 1);
  }
  if (whole.ok() || kept.size() == shape.size()) return whole;
  auto once = values::ReadNpy(path, decl.dtype, kept);
  if (!once.ok()) once = values::ReadNpy(path, decl.dtype, ones);
  return once.ok() ? Repeated(*once, decl, shape) : std::move(whole);
}

}  // namespace

ExitCode TimedRun::Prepare() {
  std::optional<ir::Overrides> defines = ParseOverrides(options_.defines);
  if (defines) loaded_ = ParseFile(options_.file, *defines);
  if (loaded_ == nullptr) return kBadInput;
  arch_ = ArchFor(*loaded_, options_.arch, options_.set);
  if (arch_ == nullptr) return kBadInput;
  if (!BindAll(*loaded_, static_cast<int64_t>(arch_->sms))) return kBadInput;
  if (!ReadExpected() || !NamesOutputs() || !MakeMemory() || !MayWriteOutputs())
    return kBadInput;
  machine_.emplace(loaded_->pointers(), memory_.get());
  return kClean;
}

ExitCode TimedRun::Simulate(timing::Observer* observer,
                            const std::atomic<bool>& stop) {
  // What is observed cannot be observed again.
  if (options_.jobs > 1 && observer == nullptr && !options_.timing_only)
    memory_->ComputeAside();
  RunEngine(observer, stop);
  if (memory_->gave_up() && !stop) {
    // No two at once: there is room for one.
    engine_.reset();
    machine_.reset();
    memory_.reset();
    if (!MakeMemory()) return kBadInput;
    machine_.emplace(loaded_->pointers(), memory_.get());
    RunEngine(observer, stop);
  }
  if (stop) return Interrupted();
  if (stats_.too_long || takes_too_long_) return Unfinished();
  if (!memory_->status().ok()) {
    Complain("{}", std::string(memory_->status().message()));
    return kBadInput;
  }
  if (!machine_->not_followed().empty()) {
    Complain("{}: {}; no file was written", options_.file,
             machine_->not_followed().front());
    return kIncomplete;
  }
  if (!stats_.finished && !stats_.faulted)
    deadlock_ = machine::ExplainDeadlock(*machine_, engine_->state());
  CheckResults(stop);
  if (stop) return Interrupted();
  FillReport({options_, loaded_->source, loaded_->pointers(), stats_, *arch_},
             report_);
  return kClean;
}

int64_t TimedRun::MostCtas() const {
  int64_t most = 0;
  for (const machine::Code& code : loaded_->codes)
    most = std::max(most, code.bound.ctas());
  return most;
}

ExitCode TimedRun::exit() const {
  if (our_bug_) return kOurBug;
  if (not_compared_) return kBadInput;
  return findings_ > 0 ? kFindings : kClean;
}

ExitCode TimedRun::Interrupted() const {
  Complain(
      "interrupted after {} modelled cycles; no file was "
      "written",
      stats_.cycles);
  return kInterrupted;
}

// By a limit on the clock, or because nobody would wait for the end.
ExitCode TimedRun::Unfinished() const {
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

bool TimedRun::MakeMemory() {
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

bool TimedRun::ReadInputs(machine::MemoryOptions& o) {
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

bool TimedRun::ReadExpected() {
  for (const std::string& text : options_.expect) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const ir::BoundDecl* decl = GlobalNamed(name);
    if (equals == std::string::npos || decl == nullptr) {
      Complain("--expect {}: {}", text,
               equals == std::string::npos
                   ? "expected NAME=file.npy"
                   : ir::Cat("`", name, "` is no global"));
      return false;
    }
    auto wanted = ReadExpectation(name, text.substr(equals + 1), *decl);
    if (!wanted.ok()) {
      Complain("--expect {}: {}", text, std::string(wanted.status().message()));
      return false;
    }
    expected_.push_back(std::move(*wanted));
  }
  return true;
}

const ir::BoundDecl* TimedRun::GlobalNamed(const std::string& name) const {
  for (const machine::Code& code : loaded_->codes) {
    const auto& decls = code.kernel().decls;
    for (size_t i = 0; i < decls.size(); ++i) {
      if (decls[i].space == ir::Space::kGlobal && decls[i].name == name)
        return &code.bound.decls[i];
    }
  }
  return nullptr;
}

void TimedRun::RunEngine(timing::Observer* observer,
                         const std::atomic<bool>& stop) {
  machine::MachineFaults faults(*machine_);
  memory_->set_faults(&faults);
  timing::EngineOptions o;
  progress_.emplace("CTAs");
  o.max_cycles = options_.max_cycles;
  if (options_.l2 == "cold") o.l2 = timing::L2State::kCold;
  o.stop = &stop_;
  o.progress = [this, &stop](int64_t done, int64_t all) {
    // CTAs of a persistent kernel all end with the run.
    progress_->Show(done, all, fmt::format(" cycle {}", engine_->now()));
    takes_too_long_ = options_.max_cycles == 0 && TakesTooLong(done, all);
    stop_ = stop || takes_too_long_ || memory_->gave_up();
  };
  o.observer = observer;
  engine_.emplace(*machine_, *arch_, std::move(o));
  stop_ = false;
  ctas_done_ = 0;
  stats_ = engine_->Run();
  memory_->Finish();
  memory_->set_faults(nullptr);
  progress_->Clear();
  for (const machine::Grid& grid : engine_->state().grids)
    ctas_done_ += grid.finished_ctas;
}

// Told only of runs that have had their GPU full several times: the first
// CTAs all end late. Asked often: the time first, what must be computed last.
bool TimedRun::TakesTooLong(int64_t done, int64_t all) const {
  if (progress_->seconds() <= kSecondsBeforeEstimate ||
      progress_->HoursFor(done, all) <= kMostHours)
    return false;
  int64_t resident = 0;
  for (const machine::Code& code : loaded_->codes)
    resident = std::max(resident, timing::CtasPerSm(code.bound));
  resident *= static_cast<int64_t>(arch_->sms);
  return done > kWavesBeforeEstimate * resident;
}

// --- the answer -------------------------------------------------------------

void TimedRun::CheckResults(const std::atomic<bool>& stop) {
  for (const ir::Diagnostic& d : machine_->findings()) AddFinding(d);
  for (const ir::Diagnostic& d : deadlock_) AddFinding(d);
  if (!stats_.finished && findings_ == 0) {
    Complain("the run stopped and nothing says why");
    our_bug_ = true;
  }
  traces::ResultReport& result = report_.result;
  result.coverage =
      ir::Cat(memory_->materialised_ctas(), " of ", stats_.ctas, " CTAs");
  result.valued_ctas = memory_->materialised_ctas();
  if (!stats_.finished) return;
  CheckCoverage();
  if (options_.timing_only) return;
  CompareWithSlowRule();
  CompareValues(stop);
  CompareWithFiles(stop);
}

// What all CTAs have stored of the result.
void TimedRun::CheckCoverage() {
  std::vector<std::string> whole;
  for (const machine::TargetCoverage& t : memory_->coverage().Targets()) {
    for (const ir::Diagnostic& d : machine::FindingsOf(t)) AddFinding(d);
    if (t.followed && t.holes == 0) whole.push_back(t.target);
    if (!t.followed)
      report_.result.coverage +=
          ir::Cat("; what is written of ", t.target, " was not followed");
    if (!t.pairs_followed && !t.twice)
      report_.result.coverage +=
          ir::Cat("; not every double store to ", t.target, " was looked for");
  }
  if (!whole.empty())
    report_.result.coverage +=
        fmt::format(", all of {} written", fmt::join(whole, ", "));
}

void TimedRun::CompareValues(const std::atomic<bool>& stop) {
  traces::ResultReport& result = report_.result;
  double abs_error = 0, rel_error = 0, bound = 0;
  for (const machine::ComputesResult& r :
       memory_->Check({&stop, options_.jobs})) {
    if (std::string why = WhyNotCompared(r); !why.empty()) {
      result.not_compared.push_back(std::move(why));
      continue;
    }
    result.checked = true;
    result.compared += r.checked;
    result.wrong += r.failed;
    abs_error = std::max(abs_error, r.max_abs_error);
    rel_error = std::max(rel_error, r.max_rel_error);
    bound = std::max(bound, r.bound);
    result.nan_elements += r.nan;
    if (r.failed > 0) AddFinding(MismatchOf(r));
  }
  if (!result.checked) return;
  result.compared_at = ComparedAt(loaded_->pointers());
  result.max_abs_error = abs_error;
  result.max_rel_error = rel_error;
  result.bound = bound;
}

void TimedRun::CompareWithFiles(const std::atomic<bool>& stop) {
  for (const Expectation& wanted : expected_) {
    absl::StatusOr<Met> met =
        Meet(wanted, options_.tolerance, *memory_, {&stop, options_.jobs});
    if (!met.ok()) {
      Complain("--expect {}={}: {}", wanted.tensor, wanted.file,
               std::string(met.status().message()));
      not_compared_ = true;
      continue;
    }
    if (met->result.failed > 0)
      AddFinding(MismatchOf(met->result, wanted.file));
    report_.result.expected.push_back(std::move(met->line));
  }
}

// The fast arithmetic of the tensor core against the slow rule. No other op
// has two.
void TimedRun::CompareWithSlowRule() {
  const machine::MmaTally& tally = memory_->mma_tally();
  report_.result.bit_exact_title = "MMA sums";
  if (tally.checked == 0) {
    report_.result.bit_exact_note = "none: no MMA was computed";
    return;
  }
  report_.result.bit_exact_of =
      "a slow reference of the tensor core's own rule";
  report_.result.bit_exact = tally.equal == tally.checked;
  if (!*report_.result.bit_exact) ++findings_;
}

void TimedRun::AddFinding(const ir::Diagnostic& d) {
  bool error = d.severity == ir::Severity::kError;
  findings_ += error;
  if (!options_.quiet)
    fmt::print(stderr, "{}\n", TextOf(d, loaded_->source, stderr));
  report_.findings.push_back(LineOf(d, loaded_->source));
}

// --- files ------------------------------------------------------------------

// What --out asks for, looked at before its tensors take memory.
bool TimedRun::NamesOutputs() const {
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
bool TimedRun::MayWriteOutputs() const {
  for (const std::string& text : options_.out) {
    absl::Status status = memory_->CanCopy(text.substr(0, text.find('=')));
    if (status.ok()) continue;
    Complain("--out {}: {}", text, std::string(status.message()));
    return false;
  }
  return true;
}

bool TimedRun::WriteOutputs() {
  for (const std::string& text : options_.out) {
    size_t equals = text.find('=');
    auto tensor = memory_->Tensor(text.substr(0, equals));
    if (!WriteFile(text.substr(equals + 1), values::FormatNpy(*tensor)))
      return false;
  }
  return true;
}

}  // namespace tilesim::cli
