#include "frontend/parse.h"

#include <utility>

#include "frontend/check.h"
#include "frontend/include.h"
#include "frontend/inline.h"
#include "frontend/parser.h"
#include "ir/define.h"

namespace tilesim::frontend {

std::optional<ir::Program> ParseSyntax(const ir::Source& source,
                                       ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  ir::Program program =
      Parser(source.text, Parser::Holds::kAny, 0, diagnostics).Run();
  if (diagnostics.errors() > before) return std::nullopt;
  return program;
}

std::optional<ir::Program> Parse(const ir::Source& source,
                                 ir::Diagnostics& diagnostics,
                                 const ir::Overrides& defines) {
  size_t before = diagnostics.errors();
  source.places->clear();
  Parser parser(source.text, Parser::Holds::kProgram, 0, diagnostics);
  ir::Program program = parser.Run();
  bool whole = parser.only_ops_missing() &&
               Include(program, source, diagnostics) &&
               Inline(program, source, diagnostics);
  Numbers numbers =
      ir::Define(program, defines) ? Numbers::kOnceBound : Numbers::kOfDefaults;
  if (whole) Check(program, numbers, diagnostics);
  if (diagnostics.errors() > before) return std::nullopt;
  return program;
}

}  // namespace tilesim::frontend
