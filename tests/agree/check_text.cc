#include "tests/agree/check_text.h"

#include <optional>

#include "frontend/parse.h"
#include "gtest/gtest.h"

namespace tilesim::checkers {

CheckReport CheckText(const std::string& text, const CheckOptions& options) {
  ir::Source source{"program.tile", text};
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program = frontend::Parse(source, diagnostics);
  if (!program) {
    ADD_FAILURE() << ir::Render(diagnostics.all().front(), source);
    return {};
  }
  return Check(*program, options);
}

}  // namespace tilesim::checkers
