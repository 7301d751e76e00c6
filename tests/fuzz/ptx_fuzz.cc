// Any bytes: the PTX parser ends without a crash, its diagnostics can be drawn,
// and what it accepts is read back from its own print as the same module.
#include "ptx/text/parser.h"
#include "ptx/text/printer.h"
#include "tests/fuzz/entry.h"
#include "tests/fuzz/round_trip.h"

namespace tilesim::fuzz {
namespace {

ptx::Module Reread(const std::string& text) {
  ir::Source source{"printed", text};
  ir::Diagnostics diagnostics;
  std::optional<ptx::Module> module = ptx::Parse(source, diagnostics);
  Require(module.has_value(), "not read back", text);
  return *module;
}

void ParseAndPrint(const ir::Source& source) {
  ir::Diagnostics diagnostics;
  std::optional<ptx::Module> module = ptx::Parse(source, diagnostics);
  RequireDrawn(diagnostics, source);
  Require(module.has_value() != diagnostics.has_errors(), "half an answer",
          source.text);
  if (!module) return;
  std::string printed = ptx::Print(*module);
  Require(Reread(printed) == *module, "read back as another", printed);
  Reread(ptx::Print(*module, {.rename_registers = true, .keep_lines = true}));
}

}  // namespace
}  // namespace tilesim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  fuzz::ParseAndPrint(
      {"fuzz.ptx", std::string(reinterpret_cast<const char*>(data), size)});
  return 0;
}
