#include "tests/agree/check_text.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "frontend/parse.h"
#include "gtest/gtest.h"

namespace tilesim::checkers {

CheckReport CheckText(const std::string& text, const CheckOptions& options,
                      const std::string& path) {
  ir::Source source{path, text};
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program =
      frontend::Parse(source, diagnostics, options.defines);
  if (!program) {
    ADD_FAILURE() << ir::Render(diagnostics.all().front(), source);
    return {};
  }
  return Check(*program, options);
}

std::string TextOf(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

CheckReport CheckFile(const std::string& path, const CheckOptions& options) {
  return CheckText(TextOf(path), options, path);
}

CompiledKernel Compiled(const std::string& text) {
  ir::Source source{"program.tile", text};
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse(source, diagnostics);
  EXPECT_TRUE(program) << text;
  CompiledKernel out;
  out.program = std::make_unique<ir::Program>(std::move(program.value()));
  auto bound = ir::Bind(out.program->kernels[0], {}, 1, diagnostics);
  auto code = machine::Compile(std::move(bound.value()), diagnostics);
  out.code = std::make_unique<machine::Code>(std::move(code.value()));
  return out;
}

}  // namespace tilesim::checkers
