#include "tests/fuzz/round_trip.h"

#include <cstdio>
#include <cstdlib>

#include "ir/printer.h"

namespace tilesim::fuzz {

void Require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

void RequireDrawn(const ir::Diagnostics& diagnostics,
                  const ir::Source& source) {
  for (const ir::Diagnostic& d : diagnostics.all())
    Require(!ir::Render(d, source).empty(), "cannot be drawn", source.text);
}

std::optional<ir::Program> ParseAndReread(const ir::Source& source,
                                          ParseFn parse) {
  ir::Diagnostics diagnostics, again;
  std::optional<ir::Program> program = parse(source, diagnostics);
  RequireDrawn(diagnostics, source);
  Require(program.has_value() != diagnostics.has_errors(), "half an answer",
          source.text);
  if (!program) return program;
  ir::Source printed{"printed", ir::Print(*program)};
  std::optional<ir::Program> reread = parse(printed, again);
  Require(reread.has_value(), "not read back", printed.text);
  Require(*reread == *program, "read back as another", printed.text);
  Require(ir::Print(*reread) == printed.text, "no fixed point", printed.text);
  return program;
}

}  // namespace tilesim::fuzz
