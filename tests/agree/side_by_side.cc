#include "tests/agree/side_by_side.h"

#include <utility>

#include "checkers/cluster.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
namespace {

constexpr int64_t kMaxStates = 200'000;

}  // namespace

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

Verdict SearchedSideBySide(const std::string& text) {
  CompiledKernel k = Compiled(text);
  Fragments fragments;
  RunOptions o;
  o.clusters = k.code->bound.ctas();
  ClusterVerdict v = JudgeCluster(*k.code, o, kMaxStates, fragments);
  if (!v.findings.all().empty()) return Verdict::kFindings;
  return v.all_interleavings ? Verdict::kClean : Verdict::kIncomplete;
}

bool WrongEitherWay(const std::string& text) {
  CheckReport r = CheckText(text, {});
  EXPECT_NE(r.verdict, Verdict::kIncomplete) << text << r.open.front();
  bool wrong = r.verdict == Verdict::kFindings;
  EXPECT_EQ(r.verdict, SearchedSideBySide(text)) << text;
  return wrong;
}

}  // namespace tilesim::checkers
