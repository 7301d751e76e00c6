#include "checkers/pairwise/bounds.h"

#include <optional>
#include <string>
#include <utility>

#include "checkers/report/names.h"
#include "ir/bounds.h"
#include "ir/cat.h"
#include "ir/placement.h"
#include "sim/machine/data/threads.h"

namespace tilesim::checkers::pairwise {
using report::DeclOf;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

using ir::OutOfBounds;

constexpr ir::Code kCodes[] = {
    "bounds/shared",    "bounds/tmem",  "bounds/register", "bounds/global",
    "layout/alignment", "layout/slice", "tcgen05/lanes"};

void Report(const Context& context, const Event& e, int operand, ir::Code code,
            std::string message, std::string_view help) {
  const Log& log = context.log;
  Finding* found = context.findings.AddAt(
      code,
      ir::Cat(DeclOf(log, e, operand), " ", MnemonicOf(e), " ", RoleOf(log, e)),
      {SpanOf(e)});
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = std::move(message);
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), ": ", MnemonicOf(e), NthOf(e));
  d.help = help;
}

void Report(const Context& context, const Event& e, int operand,
            OutOfBounds outside) {
  Report(context, e, operand, outside.code, std::move(outside.message),
         "guard the op, or declare as much as it may name");
}

// The operand in that space; -1: there is none.
int OperandIn(const ir::ConcreteOp& op, ir::Space space) {
  for (int i = 0; i < static_cast<int>(op.info().operands.size()); ++i) {
    if (op.is_tile(i) && op.tile(i).space == space) return i;
  }
  return -1;
}

std::optional<OutOfBounds> OutOfReach(const machine::Code& code, const Event& e,
                                      int tmem, int reg) {
  const ir::TileValue &t = e.concrete().tile(tmem), &r = e.concrete().tile(reg);
  machine::Units units = machine::UnitsOf(code.bound.decls[r.decl].fragment,
                                          code.ops[e.op], e.threads());
  auto rows = static_cast<int32_t>(r.rows());
  for (const machine::Unit& unit : units) {
    int32_t first = r.rank < 2 ? 0 : static_cast<int32_t>(r.start[0]);
    // Rows of one warp lie in lanes one after the other.
    for (int32_t row = 0; row < rows; ++row) {
      int32_t lane = (first + row) % ir::kWarpThreads;
      bool between = row > 0 && row + 1 < rows && lane > 0 &&
                     lane + 1 < ir::kWarpThreads && e.threads().whole_warps();
      if (between || !machine::Executes(e.threads(), unit.Thread(first + row)))
        continue;
      if (auto out = machine::OutOfReach(t, r, unit, row)) return out;
    }
  }
  return std::nullopt;
}

}  // namespace

std::span<const ir::Code> Bounds::codes() const { return kCodes; }

void Bounds::OnOp(const Context& context, int32_t event) {
  const Log& log = context.log;
  const Event& e = log.events[event];
  if (!seen_.Insert(*e.instance)) return;
  const ir::ConcreteOp& op = e.concrete();
  for (int i = 0; i < static_cast<int>(op.info().operands.size()); ++i) {
    // What is outside may be so in no CTA that there is (all_sizes.md 5.5): all
    // operands are looked at, and where each begins.
    if (auto out = ir::OutOfBoundsOf(log.code->bound, op, i))
      Report(context, e, i, std::move(*out));
    // Of compiled code, no layout says where a box in shared memory may begin.
    const bool coordinates =
        op.info().operands[i].start == ir::StartRule::kCoordinates;
    if (log.code->guide != nullptr && !coordinates) continue;
    if (auto wrong = ir::MisplacedOf(log.code->bound, op, i))
      Report(context, e, i, wrong->code, std::move(wrong->message),
             ir::kMisplacedHelp);
  }
  ir::AsyncUnit unit = op.info().async;
  if (unit != ir::AsyncUnit::kTmemLd && unit != ir::AsyncUnit::kTmemSt) return;
  if (log.code->guide != nullptr) return;  // its guide has looked
  int tmem = OperandIn(op, ir::Space::kTmem);
  int reg = OperandIn(op, ir::Space::kReg);
  if (tmem < 0 || reg < 0) return;
  if (auto out = OutOfReach(*log.code, e, tmem, reg))
    Report(context, e, tmem, std::move(*out));
}

}  // namespace tilesim::checkers::pairwise
