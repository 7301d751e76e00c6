#include "cli/findings_text.h"

#include <memory>
#include <optional>
#include <utility>

#include "checkers/check.h"
#include "cli/check_sink.h"
#include "cli/color.h"
#include "cli/input.h"
#include "frontend/bind.h"
#include "frontend/lint.h"
#include "frontend/parse.h"
#include "ir/cat.h"
#include "sim/machine/data/faults.h"
#include "sim/machine/data/memory.h"
#include "sim/machine/deadlock.h"
#include "sim/timing/engine.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kShortWitnessEvents = 20'000;

std::string Rendered(const std::vector<ir::Diagnostic>& all,
                     const ir::Source& source) {
  std::string out;
  for (const ir::Diagnostic& d : all)
    ir::Append(&out, out.empty() ? "" : "\n", ir::Render(d, source));
  return out;
}

// A run of a program, every value computed, and all that was wrong with it.
std::vector<ir::Diagnostic> FindingsOf(const std::vector<machine::Code>& codes,
                                       const arch::Arch& arch) {
  std::vector<const machine::Code*> pointers;
  for (const machine::Code& code : codes) pointers.push_back(&code);
  machine::MemoryOptions options;
  options.values = machine::MemoryOptions::Values::kAll;
  auto memory = machine::Memory::Create(pointers, std::move(options));
  if (!memory.ok()) return {};
  machine::Machine machine(pointers, memory->get());
  machine::MachineFaults faults(machine);
  (*memory)->set_faults(&faults);
  timing::Engine engine(machine, arch, {});
  timing::RunStats stats = engine.Run();
  std::vector<ir::Diagnostic> out = machine.findings();
  if (!stats.finished && !stats.faulted) {
    for (ir::Diagnostic& d : machine::ExplainDeadlock(machine, engine.state()))
      out.push_back(std::move(d));
  }
  if (!stats.finished) return out;
  for (const machine::ComputesResult& r : (*memory)->Check()) {
    if (r.skipped.empty() && r.failed > 0) out.push_back(MismatchOf(r));
  }
  for (const machine::TargetCoverage& t : (*memory)->coverage().Targets()) {
    for (ir::Diagnostic& d : machine::FindingsOf(t))
      out.push_back(std::move(d));
  }
  return out;
}

}  // namespace

std::string FindingsOfCheck(const ir::Source& source) {
  ir::Diagnostics texts;
  std::optional<ir::Program> program = frontend::Parse(source, texts);
  if (!program) return Rendered(texts.all(), source);
  frontend::LintText(source, texts);
  checkers::CheckOptions options;
  options.witness_events = kShortWitnessEvents;
  checkers::CheckReport report = checkers::Check(*program, options);
  std::string out = Rendered(texts.all(), source);
  out += Rendered(report.errors.all(), source);
  for (const checkers::report::Finding& f : report.findings)
    ir::Append(&out, out.empty() ? "" : "\n", FindingText(source, f));
  return out;
}

std::string FindingsOfRun(const ir::Source& source) {
  ir::Diagnostics texts;
  std::optional<ir::Program> program = frontend::Parse(source, texts);
  if (!program) return Rendered(texts.all(), source);
  const arch::Arch& arch = arch::DefaultArch(program->kernels[0].target);
  auto kernels = frontend::BindProgram(*program, {},
                                       static_cast<int64_t>(arch.sms), texts);
  std::vector<machine::Code> codes;
  if (kernels) {
    for (ir::BoundKernel& bound : *kernels) {
      auto code = machine::Compile(std::move(bound), texts);
      if (code) codes.push_back(std::move(*code));
    }
  }
  if (texts.has_errors()) return Rendered(texts.all(), source);
  return Rendered(FindingsOf(codes, arch), source);
}

std::string TextOf(const ir::Diagnostic& d, const ir::Source& source,
                   FILE* stream) {
  std::string out = ir::Render(d, source, PaintOn(stream));
  if (d.times > 1) ir::Append(&out, "  (and ", d.times - 1, " times more)\n");
  return out;
}

traces::FindingLine LineOf(const ir::Diagnostic& d, const ir::Source& source) {
  traces::FindingLine line;
  line.code = d.code.name();
  line.severity = d.severity == ir::Severity::kError ? "error" : "warning";
  line.message = d.message;
  line.file = source.PathOf(d.span);
  line.line = d.span.text_line();
  line.column = d.span.column;
  line.text = TextOf(d, source, stdout);
  return line;
}

std::string PlaceOfElement(int64_t number, const std::vector<int64_t>& shape) {
  std::string out;
  for (size_t d = shape.size(); d-- > 0; number /= shape[d])
    out = ir::Cat(number % shape[d], out.empty() ? "" : ", ", out);
  return ir::Cat("[", out.empty() ? ir::Cat(number) : out, "]");
}

std::string WhyNotCompared(const machine::ComputesResult& r) {
  if (!r.skipped.empty()) return ir::Cat("`", r.target, "`: ", r.skipped);
  return r.checked == 0 ? ir::Cat("`", r.target, "`: nothing wrote it") : "";
}

ir::Diagnostic MismatchOf(const machine::ComputesResult& r,
                          std::string_view wanted) {
  ir::Diagnostic d;
  d.code = "result/mismatch";
  d.span = r.span;
  d.message = ir::Cat("`", r.target, "` differs from ", wanted, " in ",
                      r.failed, " of ", r.checked, " elements; the first is ",
                      PlaceOfElement(r.first_mismatch.value_or(0), r.shape),
                      ": ", r.got, " instead of ", r.want);
  return d;
}

}  // namespace tilesim::cli
