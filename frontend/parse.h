// .tile text in, programs out.
//
//   ir::Diagnostics diagnostics;
//   std::optional<ir::Program> p = frontend::Parse(source, diagnostics);
//   for (const ir::Diagnostic& d : diagnostics.all())
//     std::cerr << ir::Render(d, source);
//
// Never throws, never fails otherwise: any bytes are an answer. Time and
// memory are linear in the text up to a fixed limit of what a file may hold.
#ifndef TILESIM_FRONTEND_PARSE_H_
#define TILESIM_FRONTEND_PARSE_H_

#include <optional>

#include "ir/bind.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// A program with every name resolved and every rule of the language and of
// the hardware that can be checked before a run checked, the numeric ones for
// the default parameters. nullopt if there are errors; warnings may be there
// either way.
//
// `defines` (-D) replaces constants as if the text said so. Numbers are then
// not checked, as the defaults may be for others; they and values given for
// parameters are by CheckBound of frontend/check.h, after ir::Bind.
std::optional<ir::Program> Parse(const ir::Source& source,
                                 ir::Diagnostics& diagnostics,
                                 const ir::Overrides& defines);
inline std::optional<ir::Program> Parse(const ir::Source& source,
                                        ir::Diagnostics& diagnostics) {
  return Parse(source, diagnostics, {});
}

// Grammar only: what fmt needs. Names are not resolved.
std::optional<ir::Program> ParseSyntax(const ir::Source& source,
                                       ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_PARSE_H_
