#include "frontend/parse.h"

#include <utility>

#include "frontend/check.h"
#include "frontend/parser.h"
#include "ir/define.h"

namespace tilesim::frontend {

std::optional<ir::Program> ParseSyntax(const ir::Source& source,
                                       ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  ir::Program program = Parser(source, diagnostics).Run();
  if (diagnostics.errors() > before) return std::nullopt;
  return program;
}

std::optional<ir::Program> Parse(const ir::Source& source,
                                 ir::Diagnostics& diagnostics,
                                 const ir::Overrides& defines) {
  size_t before = diagnostics.errors();
  Parser parser(source, diagnostics);
  ir::Program program = parser.Run();
  Numbers numbers =
      ir::Define(program, defines) ? Numbers::kOnceBound : Numbers::kOfDefaults;
  if (parser.only_ops_missing()) Check(program, numbers, diagnostics);
  if (diagnostics.errors() > before) return std::nullopt;
  return program;
}

}  // namespace tilesim::frontend
