#include "cli/run/ptx_run.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "cli/complain.h"
#include "cli/findings_text.h"
#include "cli/input.h"
#include "cli/launch_input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run/expect.h"
#include "cli/run/ptx_report.h"
#include "cli/source_lines.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "ir/values/npy.h"
#include "ptx/launch/kernel.h"
#include "ptx/machine/lower.h"
#include "ptx/text/parser.h"
#include "ptx/values/schedule.h"
#include "ptx/values/values.h"
#include "sim/machine/data/memory.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kSampledCtas = 4;

class PtxRun {
 public:
  PtxRun(const PtxRunOptions& options, const std::atomic<bool>& stop)
      : how_(options), options_(options.run), stop_(stop) {}

  ExitCode Run() {
    if (!Read() || !Prepare()) return kBadInput;
    if (!options_.timing_only) {
      if (ExitCode e = RunValues(); e != kClean) return e;
    }
    return how_.values_only ? kClean : RunTime();
  }

  void Print() const {
    const PtxReport report = Report();
    if (how_.format == "json") {
      PrintAnswer(JsonOf(report));
    } else {
      fmt::print("{}", TextOf(report));
    }
  }
  bool printable() const { return !done_.empty() || time_; }

 private:
  ExitCode RunValues() {
    RunLaunches();
    if (flows_ && !stop_) {  // between CTAs: some alone have other values
      flows_ = false;
      all_ = true;
      globals_.reset();
      done_.clear();
      lines_.clear();
      findings_ = 0;
      RunLaunches();
    }
    if (stop_) {
      Complain("interrupted; no file was written");
      return kInterrupted;
    }
    if (done_.empty()) {
      if (!failed_)
        Complain("{}", NoLaunchOf(options_.launch, *launches_, options_.file));
      return kBadInput;
    }
    if (failed_) return kIncomplete;
    if (findings_ == 0 && !Compare()) return kBadInput;
    if (!WriteOutputs()) return kBadInput;
    return findings_ > 0 ? kFindings : kClean;
  }

  ExitCode RunTime() {
    time_.emplace(options_, *source_, *module_, *launches_);
    time_->Run(how_.watch, stop_);
    if (stop_) {
      Complain("interrupted; no file was written");
      return kInterrupted;
    }
    if (!time_->failure().empty()) {
      const std::string why = ir::Cat(options_.file, ": ", time_->failure());
      Fail(why);
      if (!time_->bad_input()) return kIncomplete;
      if (done_.empty()) time_.reset();
      return kBadInput;
    }
    const SourceLines lines(*module_);
    for (ir::Diagnostic d : time_->findings()) {
      // Values have shown it, too.
      const bool told =
          std::any_of(lines_.begin(), lines_.end(), [&](const auto& line) {
            return line.code == d.code.name() &&
                   line.line == d.span.text_line();
          });
      lines.AddTo(d);
      if (!told) AddFinding(d);
    }
    if (how_.write_trace && !how_.write_trace(time_->stats())) return kBadInput;
    return findings_ > 0 ? kFindings : kClean;
  }

  // --- what is read
  // -----------------------------------------------------------

  bool Read() {
    if (options_.launch.empty()) {
      Complain(
          "{}: PTX is run as it is launched: --launch LAUNCH.json "
          "(tilesim ptx --skeleton writes one to fill in)",
          options_.file);
      return false;
    }
    std::string failure;
    launches_ = OpenLaunches(options_.launch, &failure);
    if (!launches_) {
      Complain("{}", failure);
      return false;
    }
    source_ = ReadSource(options_.file);
    if (!source_) return false;
    ir::Diagnostics texts;
    module_ = ptx::Parse(*source_, texts);
    PrintDiagnostics(texts, *source_);
    if (!module_ || texts.has_errors()) return false;
    if (!TakeInputs()) return false;
    std::vector<ptx::LaunchError> errors =
        ReadContents(options_.launch, ~uint64_t{0}, *launches_);
    if (!errors.empty()) Complain("{}", cli::TextOf(options_.launch, errors));
    ptx::AddVariables(*module_, *launches_);
    ptx::AddWorkspaces(*module_, *launches_);
    return errors.empty();
  }

  std::optional<size_t> BufferNamed(const std::string& name) const {
    for (size_t i = 0; i < launches_->buffers.size(); ++i) {
      if (launches_->buffers[i].name == name) return i;
    }
    return std::nullopt;
  }

  // NAME=file.npy of an option. nullopt, said on stderr: there is no such
  // buffer.
  std::optional<std::pair<size_t, std::string>> NamedFileOf(
      std::string_view option, const std::string& text) const {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      Complain("{} {}: expected NAME=file.npy", option, text);
      return std::nullopt;
    }
    std::optional<size_t> buffer = BufferNamed(text.substr(0, equals));
    if (!buffer) {
      Complain("{} {}: no buffer `{}` in {}", option, text,
               text.substr(0, equals), options_.launch);
      return std::nullopt;
    }
    return std::pair{*buffer, text.substr(equals + 1)};
  }

  values::DType TypeOf(size_t buffer) const {
    return values::FindDType(launches_->buffers[buffer].dtype)
        .value_or(values::DType::kU8);
  }

  bool TakeInputs() {
    for (const std::string& text : options_.in) {
      auto in = NamedFileOf("--in", text);
      if (!in) return false;
      auto array = values::ReadNpy(in->second, TypeOf(in->first));
      ptx::Buffer& b = launches_->buffers[in->first];
      if (!array.ok() || array->data.size() != b.bytes) {
        Complain("--in {}: {}", text,
                 array.ok() ? ir::Cat("the array has ", array->data.size(),
                                      " bytes, the buffer ", b.bytes)
                            : std::string(array.status().message()));
        return false;
      }
      b.start = {ptx::Start::Kind::kNpy, in->second, std::move(array->data)};
    }
    return true;
  }

  ir::BoundDecl DeclOf(size_t buffer) const {
    ir::BoundDecl d;
    d.space = ir::Space::kGlobal;
    d.dtype = TypeOf(buffer);
    d.rank = 1;
    d.shape[0] = static_cast<int64_t>(launches_->buffers[buffer].bytes) * 8 /
                 values::BitsOf(d.dtype);
    d.strides[0] = 1;
    return d;
  }

  bool Prepare() {
    for (const std::string& text : options_.out) {
      if (!NamedFileOf("--out", text)) return false;
    }
    for (const std::string& text : options_.expect) {
      auto named = NamedFileOf("--expect", text);
      if (!named) return false;
      auto wanted = ReadAnyShape(named->first, named->second);
      if (!wanted) return false;
      expected_.emplace_back(named->first, std::move(*wanted));
    }
    all_ = options_.values == "all" ||
           (options_.values.empty() && !options_.out.empty()) ||
           launches_->launches.size() > 1;
    count_ = kSampledCtas;
    if (!options_.values.empty() && options_.values != "all" &&
        (!absl::SimpleAtoi(options_.values, &count_) || count_ < 1)) {
      Complain("--values takes `all` or a number of CTAs");
      return false;
    }
    if (!all_ && !options_.out.empty()) {
      Complain(
          "--out: of {} CTAs, not all of a buffer is computed: --values "
          "all",
          count_);
      return false;
    }
    return true;
  }

  // In C order, whatever its shape.
  std::optional<Expectation> ReadAnyShape(size_t buffer,
                                          const std::string& file) const {
    ir::BoundDecl flat = DeclOf(buffer);
    absl::StatusOr<Expectation> out =
        ReadExpectation(launches_->buffers[buffer].name, file, flat);
    if (!out.ok()) {
      for (values::DType type : {flat.dtype, values::DType::kF32}) {
        auto read = values::ReadNpy(file, type);
        if (!read.ok() || read->elements() != flat.shape[0]) continue;
        flat.rank = static_cast<int8_t>(read->shape.size());
        for (size_t d = 0; d < read->shape.size() && d < flat.shape.size(); ++d)
          flat.shape[d] = read->shape[d];
        out = ReadExpectation(launches_->buffers[buffer].name, file, flat);
        break;
      }
    }
    if (out.ok()) return std::move(*out);
    Complain("--expect {}={}: {}", launches_->buffers[buffer].name, file,
             std::string(out.status().message()));
    return std::nullopt;
  }

  void RunLaunches() {
    for (size_t i = 0; i < launches_->launches.size(); ++i) {
      if (!IsLaunchOf(*launches_, i, options_.file)) {
        others_ = true;
      } else if (!One(i)) {
        return;
      }
    }
  }

  // --- one launch
  // -------------------------------------------------------------

  // False: those behind are not run.
  bool One(size_t at) {
    std::vector<ptx::LaunchError> errors = ptx::Fits(*module_, *launches_, at);
    if (!errors.empty()) {
      Complain("{}", cli::TextOf(options_.launch, errors));
      return false;
    }
    ir::Diagnostics texts;
    auto sets = std::make_shared<machine::ByteSets>();
    std::optional<ptx::Lowered> kernel = ptx::Lower(
        *module_, *launches_, at, {}, sets, texts, ptx::Purpose::kValues);
    PrintDiagnostics(texts, *source_);
    if (!kernel) return false;
    if (globals_ == nullptr && !MakeGlobals(kernel->guide->program().memory))
      return false;
    ptx::Values values(*globals_, *kernel);
    machine::Machine machine({kernel->code.get()}, &values);
    const ir::BoundKernel& bound = kernel->code->bound;
    ptx::ScheduleOptions schedule;
    schedule.clusters = Clusters(bound);
    schedule.resident =
        std::max<int64_t>(1, bound.sm_count / bound.cluster_size());
    schedule.stop = &stop_;
    schedule.max_rounds = options_.max_cycles;
    Progress progress("CTAs");
    schedule.progress = [&](int64_t done, int64_t all) {
      progress.Show(done, all);
    };
    const ptx::Scheduled ran = ptx::RunClusters(machine, schedule);
    progress.Clear();
    done_.push_back({launches_->launches[at].kernel, bound.ctas(), ran.ctas,
                     values.instructions(), ran.finished});
    return Judge(machine, values, ran);
  }

  bool MakeGlobals(const ptx::Memory& memory) {
    auto made = ptx::GlobalBytes::Create(*launches_, memory, options_.seed);
    if (!made.ok()) {
      Complain("{}", std::string(made.status().message()));
      return false;
    }
    globals_ = std::move(*made);
    return true;
  }

  std::vector<int64_t> Clusters(const ir::BoundKernel& bound) const {
    std::vector<int64_t> out;
    const int64_t size = bound.cluster_size();
    if (all_) {
      for (int64_t c = 0; c < bound.ctas() / size; ++c) out.push_back(c);
      return out;
    }
    for (int64_t cta : machine::SampleCtas(bound, count_))
      out.push_back(cta / size);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  bool Judge(const machine::Machine& machine, const ptx::Values& values,
             const ptx::Scheduled& ran) {
    flows_ = !all_ && values.failure().empty() && !ran.stopped &&
             machine.not_followed().empty() && !ran.too_long &&
             (!ran.finished || globals_->ReadAndWritten());
    if (flows_) return false;
    const SourceLines lines(*module_);
    auto add = [&](ir::Diagnostic d) {
      lines.AddTo(d);
      AddFinding(d);
    };
    for (const ir::Diagnostic& d : machine.findings()) add(d);
    if (ran.finished || ran.stopped) return ran.finished;
    if (!values.failure().empty()) {
      Fail(ir::Cat(options_.file, ": ", values.failure()));
    } else if (ran.too_long) {
      Fail(ir::Cat(options_.file, ": values were stopped: a CTA goes on for ",
                   "more than ", options_.max_cycles,
                   " operations (--max-cycles)"));
    } else if (!machine.not_followed().empty()) {
      Fail(ir::Cat(options_.file, ": ", machine.not_followed().front()));
    } else {
      for (const ir::Diagnostic& d : ran.deadlock) add(d);
    }
    return false;
  }

  void Fail(std::string why) {
    failed_ = true;
    Complain("{}", why);
    failure_ = std::move(why);
  }

  void AddFinding(const ir::Diagnostic& d) {
    const bool error = d.severity == ir::Severity::kError;
    findings_ += error;
    lines_.push_back(LineOf(d, *source_));
  }

  // --- what it wrote ----------------------------------------------------

  // Files of --expect, and those that the description names.
  bool Compare() {
    const auto folder = std::filesystem::path(options_.launch).parent_path();
    for (size_t i = 0; i < launches_->buffers.size(); ++i) {
      const std::string& file = launches_->buffers[i].expect;
      if (file.empty()) continue;
      auto wanted = ReadAnyShape(i, (folder / file).string());
      if (!wanted) return false;
      expected_.emplace_back(i, std::move(*wanted));
    }
    for (const auto& [buffer, wanted] : expected_) {
      machine::ComputesResult r = machine::CompareWith(
          DeclOf(buffer), globals_->Tensor(buffer), wanted.numbers,
          options_.tolerance, {&stop_, options_.jobs});
      r.target = wanted.tensor;
      if (r.failed > 0) AddFinding(MismatchOf(r, wanted.file));
      compared_.push_back({wanted.tensor, wanted.file, r.elements, r.checked,
                           r.failed, r.max_abs_error, r.nan,
                           options_.tolerance});
    }
    return true;
  }

  bool WriteOutputs() {
    for (const std::string& text : options_.out) {
      auto out = NamedFileOf("--out", text);
      if (!out) return false;
      values::Tensor tensor = globals_->Copy(out->first);
      const std::vector<int64_t>& shape = launches_->buffers[out->first].shape;
      int64_t elements = 1;
      for (int64_t n : shape) elements *= n;
      if (!shape.empty() && elements == tensor.elements()) tensor.shape = shape;
      if (!WriteFile(out->second, values::FormatNpy(tensor))) return false;
    }
    return true;
  }

  // Buffers of which something was written, and of how many elements.
  std::vector<PtxReport::Written> Written() const {
    std::vector<PtxReport::Written> out;
    for (size_t i = 0; globals_ && i < launches_->buffers.size(); ++i) {
      int64_t count = 0;
      const int64_t all = globals_->Tensor(i).elements();
      if (globals_->Tensor(i).written().size() == 0) continue;
      for (int64_t e = 0; e < all; ++e) count += globals_->Written(i, e);
      if (count > 0) out.push_back({launches_->buffers[i].name, count, all});
    }
    return out;
  }

  PtxReport Report() const {
    return {options_,
            how_.values_only,
            done_,
            Written(),
            compared_,
            lines_,
            failure_.empty() && findings_ == 0,
            failure_,
            others_,
            time_ ? &*time_ : nullptr};
  }

  const PtxRunOptions& how_;
  const RunOptions& options_;
  const std::atomic<bool>& stop_;
  std::optional<PtxTime> time_;
  std::optional<ptx::LaunchFile> launches_;
  std::optional<ir::Source> source_;
  std::optional<ptx::Module> module_;
  std::unique_ptr<ptx::GlobalBytes> globals_;
  std::vector<PtxReport::Launch> done_;
  std::vector<std::pair<size_t, Expectation>> expected_;
  std::vector<traces::ExpectedReport> compared_;
  std::vector<traces::FindingLine> lines_;
  bool all_ = false, others_ = false, failed_ = false, flows_ = false;
  int64_t count_ = 0;
  int findings_ = 0;
  std::string failure_;
};

}  // namespace

ExitCode RunPtx(const PtxRunOptions& options, const std::atomic<bool>& stop) {
  PtxRun run(options, stop);
  const ExitCode exit = run.Run();
  if (run.printable() && exit != kInterrupted) run.Print();
  return exit;
}

}  // namespace tilesim::cli
