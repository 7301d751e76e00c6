#include "checkers/pipeline/polls.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "checkers/program/shared_control.h"
#include "checkers/report/names.h"
#include "checkers/run/control_memory.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
namespace {

// Whether the op asks for an input, whose numbers are not the program's.
bool ReadsInput(const run::Log& log, const run::Event& e) {
  const std::vector<int32_t> drawn = run::DrawnOf(*log.code);
  return std::any_of(e.effects().begin(), e.effects().end(), [&](auto& f) {
    return f.kind == ir::EffectKind::kRead && e.concrete().is_tile(f.operand) &&
           std::find(drawn.begin(), drawn.end(),
                     e.concrete().tile(f.operand).decl) != drawn.end();
  });
}

}  // namespace

std::optional<ir::Diagnostic> PollsForEver(const run::Log& log,
                                           const ir::Program& program) {
  if (!log.polls || !program::SharedControlOf(program, *log.code).empty())
    return std::nullopt;
  auto last = std::find_if(
      log.events.rbegin(), log.events.rend(),
      [](const run::Event& e) { return e.kind == run::Event::Kind::kOp; });
  if (last == log.events.rend() || ReadsInput(log, *last)) return std::nullopt;
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

}  // namespace tilesim::checkers::pipeline
