// The op manual, generated from the op table: ir/ops.md and the pages of
// `tilesim explain op/NAME`.
#ifndef TILESIM_IR_MANUAL_H_
#define TILESIM_IR_MANUAL_H_

#include <string>

#include "ir/op.h"

namespace tilesim::ir {

// All ops in the order of ops.def, as Markdown, with a table of contents; then
// what the functions of another API are called here.
std::string OpManual();

// One op: how it is written, what it does, who executes it, where it is
// legal, its operands and modifiers, its source.
std::string OpPage(const OpInfo& info);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_MANUAL_H_
