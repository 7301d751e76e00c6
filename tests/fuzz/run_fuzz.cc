// Any program: what parses is bound at small sizes, run with values and
// without, checked and lowered. Nothing crashes, a run that stops says why,
// values never change the time, and a trace has no holes.
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "checkers/check.h"
#include "cli/run/recorder.h"
#include "frontend/parse.h"
#include "hwtests/emit/emit.h"
#include "sim/machine/data/memory.h"
#include "sim/machine/deadlock.h"
#include "sim/timing/engine.h"
#include "tests/fuzz/entry.h"
#include "tests/fuzz/round_trip.h"
#include "tests/fuzz/small.h"
#include "traces/tiling.h"

namespace tilesim::fuzz {

namespace {

using Values = machine::MemoryOptions::Values;

constexpr int64_t kMaxLooks = 20;  // of the engine, at its progress
constexpr int64_t kMaxCheckedEvents = 300;
constexpr int64_t kMaxCheckedStates = 1'000;
constexpr int64_t kMaxMemory = int64_t{1} << 24;
constexpr int64_t kSms = 16;  // room for the largest cluster

// A chip of one GPC, so that an engine is soon made.
arch::Arch SmallChip(ir::Target target) {
  arch::Arch chip = arch::DefaultArch(target);
  for (double* gpc :
       {&chip.gpc_sms_1, &chip.gpc_sms_2, &chip.gpc_sms_3, &chip.gpc_sms_4,
        &chip.gpc_sms_5, &chip.gpc_sms_6, &chip.gpc_sms_7})
    *gpc = 0;
  chip.gpc_sms_0 = chip.sms = kSms;
  return chip;
}

class RunFuzz {
 public:
  RunFuzz(const ir::Source& source, const ir::Program& program)
      : source_(source),
        program_(program),
        chip_(SmallChip(program.kernels[0].target)) {}

  void Go() {
    std::optional<SmallProgram> small = MakeSmall(program_, kSms);
    if (!small) return;
    Lower(small->kernels);
    Check(small->sizes);
    if (!Compile(std::move(small->kernels))) return;
    timing::RunStats timed = Run(Values::kNone);
    timing::RunStats computed = Run(Values::kAll);
    if (timed.interrupted || computed.interrupted) return;
    Want(timed.cycles == computed.cycles, "values change the time");
  }

 private:
  void Want(bool holds, const char* what) {
    Require(holds, what, source_.text);
  }

  void Lower(const std::vector<ir::BoundKernel>& kernels) {
    ir::Diagnostics diagnostics;
    std::string cuda = hwtests::EmitCuda(program_, kernels, {}, diagnostics);
    RequireDrawn(diagnostics, source_);
    Want(cuda.empty() == diagnostics.has_errors(), "half lowered");
  }

  void Check(const ir::Overrides& sizes) {
    checkers::CheckOptions options;
    options.defines = sizes;
    options.max_events = kMaxCheckedEvents;
    options.max_states = kMaxCheckedStates;
    options.sm_count = kSms;
    checkers::CheckReport report = checkers::Check(program_, options);
    RequireDrawn(report.errors, source_);
    for (const checkers::report::Finding& f : report.findings)
      Want(!ir::Render(f.diagnostic, source_).empty(), "cannot be drawn");
  }

  bool Compile(std::vector<ir::BoundKernel> kernels) {
    ir::Diagnostics diagnostics;
    for (ir::BoundKernel& bound : kernels) {
      auto code = machine::Compile(std::move(bound), diagnostics);
      if (code) codes_.push_back(std::move(*code));
    }
    RequireDrawn(diagnostics, source_);
    for (const machine::Code& code : codes_) pointers_.push_back(&code);
    return !diagnostics.has_errors();
  }

  timing::RunStats Run(Values values) {
    machine::MemoryOptions options;
    options.values = values;
    options.limit_bytes = kMaxMemory;
    auto memory = machine::Memory::Create(pointers_, std::move(options));
    if (!memory.ok()) {
      timing::RunStats none;
      none.interrupted = true;
      return none;
    }
    machine::Machine machine(pointers_, memory->get());
    machine::MachineFaults faults(machine);
    (*memory)->set_faults(&faults);
    traces::TimelineInfo info;
    info.clock_khz = 1'000'000;
    cli::Recorder recorder(machine, info, [](int, int64_t) { return true; });
    std::atomic<bool> stop = false;
    int64_t looks = 0;
    timing::EngineOptions o;
    o.observer = values == Values::kNone ? &recorder : nullptr;
    o.stop = &stop;
    o.progress = [&](int64_t, int64_t) { stop = ++looks >= kMaxLooks; };
    timing::Engine engine(machine, chip_, std::move(o));
    timing::RunStats stats = engine.Run();
    if (values == Values::kNone) JudgeTrace(stats, recorder);
    Judge(stats, machine, engine, **memory);
    return stats;
  }

  void JudgeTrace(const timing::RunStats& stats, cli::Recorder& recorder) {
    traces::Timeline timeline = recorder.Finish(stats);
    if (!stats.finished) return;
    std::optional<std::string> hole = traces::FindTilingViolation(timeline);
    Want(!hole, hole.value_or("").c_str());
  }

  void Judge(const timing::RunStats& stats, machine::Machine& machine,
             timing::Engine& engine, const machine::Memory& memory) {
    for (const ir::Diagnostic& d : machine.findings())
      Want(!ir::Render(d, source_).empty(), "cannot be drawn");
    memory.Check();
    if (stats.finished || stats.interrupted) return;
    bool told = !machine.findings().empty();
    if (!stats.faulted)
      told |= !machine::ExplainDeadlock(machine, engine.state()).empty();
    Want(told, "the run stopped and nothing says why");
  }

  const ir::Source& source_;
  const ir::Program& program_;
  arch::Arch chip_;
  std::vector<machine::Code> codes_;
  std::vector<const machine::Code*> pointers_;
};

}  // namespace
}  // namespace tilesim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  ir::Source source{"fuzz.tile",
                    std::string(reinterpret_cast<const char*>(data), size)};
  std::optional<ir::Program> program =
      fuzz::ParseAndReread(source, frontend::Parse);
  if (program) fuzz::RunFuzz(source, *program).Go();
  return 0;
}
