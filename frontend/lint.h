// What is legal and mostly a mistake: names that nothing uses, results that
// nothing writes. Of the text alone, whatever sizes it is run with.
//
//   ir::Diagnostics diagnostics;
//   if (auto program = frontend::ParseSyntax(source, diagnostics))
//     frontend::Lint(*program, diagnostics);
#ifndef TILESIM_FRONTEND_LINT_H_
#define TILESIM_FRONTEND_LINT_H_

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// Warnings of the family lint/, in the order of the text. `program` is that of
// ParseSyntax: with its functions, which are looked at once and not once for
// each call. A name that begins with `_` is meant to be unused. Functions of
// included files, which are not read here, see what stands at the top level of
// a kernel: in a program that includes something no `let`, parameter, constant
// or declaration is called unused.
void Lint(const ir::Program& program, ir::Diagnostics& diagnostics);

// The same of a text that is a program.
void LintText(const ir::Source& source, ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_LINT_H_
