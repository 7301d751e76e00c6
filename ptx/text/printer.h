// A Module as PTX text, one statement a line: no comments, one kind of blank.
// Parsing the text gives the same tree.
//
//   Print(module)                              as it was named
//   Print(module, {.rename_registers = true})  registers by class and order of
//                                              declaration: %p0, %r0, %rd0
//   Print(module, {.keep_lines = true})        statements on the lines on which
//                                              they stood, where there is room
#ifndef TILESIM_PTX_TEXT_PRINTER_H_
#define TILESIM_PTX_TEXT_PRINTER_H_

#include <string>

#include "ptx/text/module.h"

namespace tilesim::ptx {

struct PrintOptions {
  bool rename_registers = false;
  bool keep_lines = false;
};

std::string Print(const Module& module, const PrintOptions& options = {});
// A statement or operand alone, as messages quote it.
std::string Print(const Statement& statement);
std::string Print(const Operand& operand);

// The registers of each body get the names %p0, %rs0, %r0, %rd0, %rq0 by the
// width of their class, and one declaration a class where the body begins.
void RenameRegisters(Module& module);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_TEXT_PRINTER_H_
