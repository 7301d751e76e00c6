#include "checkers/pipeline/polls.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "checkers/program/shared_control.h"
#include "checkers/report/names.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/words_used.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
namespace {

// Whether the op asks for an input, whose numbers are not the program's.
bool ReadsInput(const machine::Code& code, const machine::CompiledOp& op) {
  const std::vector<int32_t> drawn = run::DrawnOf(code);
  const std::vector<ir::Effect> effects = run::EffectsIn(op);
  return std::any_of(effects.begin(), effects.end(), [&](const ir::Effect& f) {
    return f.kind == ir::EffectKind::kRead &&
           machine::FixedOperands(op).is_tile(f.operand) &&
           std::find(drawn.begin(), drawn.end(),
                     op.operands[f.operand].fixed.tile.decl) != drawn.end();
  });
}

bool OthersMayChange(const machine::Code& code, const ir::Program& program,
                     const ir::Span& polled) {
  const std::set<int32_t> listeners = program::ListenersOf(program, code);
  for (size_t i = 0; i < code.ops.size(); ++i) {
    const ir::Span& span = code.ops[i].op->span;
    if (span.line == polled.line && span.column == polled.column &&
        (listeners.contains(static_cast<int32_t>(i)) ||
         ReadsInput(code, code.ops[i])))
      return true;
  }
  return false;
}

}  // namespace

std::optional<ir::Diagnostic> PollsForEver(const run::Log& log,
                                           const ir::Program& program) {
  if (!log.polls || !program::SharedControlOf(program, *log.code).empty())
    return std::nullopt;
  auto last = std::find_if(
      log.events.rbegin(), log.events.rend(),
      [](const run::Event& e) { return e.kind == run::Event::Kind::kOp; });
  if (last == log.events.rend() ||
      ReadsInput(*log.code, log.code->ops[last->op]))
    return std::nullopt;
  ir::Diagnostic d;
  d.code = "deadlock/loop";
  d.span = report::SpanOf(*last);
  d.span_text =
      ir::Cat(report::WhoOf(log, *last), ": ", report::MnemonicOf(*last));
  d.message = ir::Cat(report::WhoOf(log, *last),
                      " polls for ever: nothing is in flight, and nobody else "
                      "goes on who could change what it polls");
  d.help =
      "whoever is to change it must come to do so without waiting for those "
      "that poll";
  return d;
}

bool DropPollsThatOthersMayEnd(const run::Log& log, const ir::Program& program,
                               report::Findings& findings) {
  report::Findings kept;
  kept.Merge(findings, [&](const report::Finding& f) {
    return f.diagnostic.code != "deadlock/loop" ||
           !OthersMayChange(*log.code, program, f.diagnostic.span);
  });
  const bool dropped = kept.all().size() != findings.all().size();
  if (dropped) findings = std::move(kept);
  return dropped;
}

}  // namespace tilesim::checkers::pipeline
