// Any bytes: the PTX parser ends without a crash, its diagnostics can be drawn,
// and what it accepts is read back from its own print as the same module. Each
// body has a graph, waits and planes.
#include "ptx/flow/graph.h"
#include "ptx/flow/slice.h"
#include "ptx/flow/waits.h"
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

void Follow(const ir::Source& source) {
  ir::Diagnostics diagnostics;
  std::optional<ptx::Module> module = ptx::Parse(source, diagnostics);
  if (!module) return;
  for (const ptx::Function& f : module->functions) {
    ptx::Graph graph = ptx::BuildGraph(f, diagnostics);
    Require(ptx::PlanesOf(graph).size() == graph.nodes.size(),
            "an instruction without a plane", source.text);
    for (const ptx::Wait& wait : ptx::FindWaits(graph))
      Require(wait.node < static_cast<int32_t>(graph.nodes.size()),
              "a wait at no instruction", source.text);
    ptx::ControlLoads(graph);
  }
  RequireDrawn(diagnostics, source);
}

}  // namespace
}  // namespace tilesim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  ir::Source source{"fuzz.ptx",
                    std::string(reinterpret_cast<const char*>(data), size)};
  fuzz::ParseAndPrint(source);
  fuzz::Follow(source);
  return 0;
}
