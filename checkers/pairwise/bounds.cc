#include "checkers/pairwise/bounds.h"

#include <optional>
#include <string>
#include <utility>

#include "checkers/report/names.h"
#include "ir/bounds.h"
#include "ir/cat.h"
#include "ir/placement.h"
#include "sim/machine/data/threads.h"
#include "sim/machine/guide.h"
#include "sim/machine/own_quarter.h"

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
  if (log.code->guide != nullptr) {  // its guide has looked
    const auto* guide =
        dynamic_cast<const machine::OwnQuarter*>(log.code->guide.get());
    const auto says = guide == nullptr
                          ? std::nullopt
                          : guide->NamesOtherLanes(log.code->ops[e.op]);
    if (says)
      Report(context, e, machine::OperandIn(op, ir::Space::kTmem),
             "tcgen05/lanes", ir::Cat(*says, ", and its own are taken"),
             "add 32 * (warp % 4) << 16 to the address");
    return;
  }
  if (auto out = machine::LanesOutOfReach(*log.code, log.code->ops[e.op], op))
    Report(context, e, machine::OperandIn(op, ir::Space::kTmem), out->code,
           std::move(out->message),
           "begin at lane 32 * (warp % 4): a warp reaches 32 lanes from there");
}

}  // namespace tilesim::checkers::pairwise
