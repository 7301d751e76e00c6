// Any bytes: the parser ends without a crash, its diagnostics can be drawn,
// and what it accepts is read back from its own print as the same program.
//
//   cmake --preset fuzz && cmake --build build/fuzz --target parse_fuzz
//   build/fuzz/tests/fuzz/parse_fuzz -max_len=4096 CORPUS examples tests
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "frontend/directives.h"
#include "frontend/parse.h"
#include "ir/printer.h"

namespace {

using tilesim::ir::Diagnostics;
using tilesim::ir::Program;
using tilesim::ir::Source;

using ParseFn = std::optional<Program> (*)(const Source&, Diagnostics&);

void Require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

void Check(const Source& source, ParseFn parse) {
  Diagnostics diagnostics, again;
  std::optional<Program> program = parse(source, diagnostics);
  for (const auto& d : diagnostics.all()) {
    Require(!tilesim::ir::Render(d, source).empty(), "cannot be drawn",
            source.text);
  }
  Require(program.has_value() != diagnostics.has_errors(), "half an answer",
          source.text);
  if (!program) return;
  Source printed{"printed", tilesim::ir::Print(*program)};
  std::optional<Program> reread = parse(printed, again);
  Require(reread.has_value(), "not read back", printed.text);
  Require(*reread == *program, "read back as another", printed.text);
  Require(tilesim::ir::Print(*reread) == printed.text, "no fixed point",
          printed.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Source source{"fuzz.tile",
                std::string(reinterpret_cast<const char*>(data), size)};
  tilesim::frontend::FindDirectives(source);
  Check(source, tilesim::frontend::ParseSyntax);
  Check(source, tilesim::frontend::Parse);
  return 0;
}
