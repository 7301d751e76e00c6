#include "frontend/partial.h"

#include "frontend/parser.h"

namespace tilesim::frontend {

ir::Program ParsePartly(const ir::Source& source) {
  ir::Diagnostics told_elsewhere;
  return Parser(source.text, Parser::Holds::kAny, 0, told_elsewhere).Run();
}

}  // namespace tilesim::frontend
