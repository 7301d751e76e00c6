// What programs mean: names, slots, structure.
#include "frontend/parse.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/check.h"
#include "ir/bind.h"
#include "ir/define.h"
#include "ir/printer.h"

namespace tilesim::frontend {
namespace {

std::string InKernel(const std::string& body) {
  return "kernel k target sm_90a {\n  grid (1)\n  block 256\n" + body + "}\n";
}

ir::Program Parsed(const std::string& text) {
  ir::Source source{"test.tile", text};
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program = Parse(source, diagnostics);
  for (const ir::Diagnostic& d : diagnostics.all())
    ADD_FAILURE() << ir::Render(d, source);
  return program.value_or(ir::Program());
}

ir::Kernel Kernel(const std::string& body) {
  ir::Program program = Parsed(InKernel(body));
  return program.kernels.empty() ? ir::Kernel() : program.kernels[0];
}

TEST(Parse, SlotsAreParamsThenConstantsThenScalars) {
  ir::Kernel k = Kernel(
      "const A = 2\nparam M : A.. step A = 8\nlet T = M / A\n"
      "role r = warp 0 {\n  var k = 0\n  for i in 0..T { k = k + i }\n}\n");
  EXPECT_EQ(k.slot_names, (std::vector<std::string>{"M", "A", "T", "k", "i"}));
  EXPECT_EQ(k.slots, 5);
  EXPECT_EQ(k.params[0].low, 2);
  EXPECT_EQ(k.params[0].step, 2);
  EXPECT_EQ(k.params[0].value, 8);
  EXPECT_EQ(k.roles, std::vector<std::string>{"r"});
  const ir::Stmt& loop = k.body[0].body[1];
  EXPECT_EQ(loop.slot, 4);
  EXPECT_EQ(loop.high.name_kind, ir::NameKind::kLet);
  EXPECT_EQ(loop.high.slot, 2);
  const ir::Stmt& assign = loop.body[0];
  EXPECT_EQ(assign.slot, 3);
  EXPECT_EQ(assign.value.args[1].name_kind, ir::NameKind::kLoop);
}

TEST(Parse, TopLevelLetsAreSizesUnlessTheyUseAVar) {
  ir::Kernel k = Kernel("let a = cta.x * 2\nvar v = a\nlet b = v + 1\n");
  ASSERT_EQ(k.constants.size(), 1u);
  EXPECT_EQ(k.constants[0].name, "a");
  ASSERT_EQ(k.body.size(), 2u);
  EXPECT_EQ(k.body[1].kind, ir::Stmt::Kind::kLet);
}

TEST(Parse, ModifiersInAnyOrder) {
  ir::Kernel k = Kernel(
      "mbarrier b\nmbarrier.arrive.cluster.relaxed b\n"
      "mbarrier.arrive b, count = 2\n");
  const ir::Op& op = *k.body[0].op;
  EXPECT_EQ(op.info->kind, ir::OpKind::kMbarrierArrive);
  EXPECT_EQ(ir::Mnemonic(op), "mbarrier.arrive.relaxed.cluster");
  EXPECT_EQ(op.operands[0].ref.decl, 0);
  EXPECT_FALSE(op.has(1));
  EXPECT_TRUE(k.body[1].op->has(1));
}

TEST(Parse, TheLongestMnemonicWins) {
  ir::Kernel k = Kernel("mbarrier b\nmbarrier.arrive.expect_tx b, 16\n");
  EXPECT_EQ(k.body[0].op->info->kind, ir::OpKind::kMbarrierArriveExpectTx);
}

TEST(Parse, ScalarsStandWhereTilesMay) {
  ir::Kernel k = Kernel(
      "const SCALE = 0.5\nwarpgroup 0 {\n"
      "reg a[2] : f32[64, 64] fragment wgmma\n"
      "mul a[0], a[1], SCALE\nmul a[0], a[0], -1.5\n}\n");
  const ir::Block& body = k.body[0].body;
  EXPECT_EQ(body[1].op->operands[1].kind, ir::Operand::Kind::kRef);
  EXPECT_EQ(body[1].op->operands[2].kind, ir::Operand::Kind::kExpr);
  EXPECT_EQ(body[1].op->operands[2].expr.name_kind, ir::NameKind::kConst);
  EXPECT_EQ(body[2].op->operands[2].expr.number, -1.5);
  EXPECT_EQ(body[0].decl_id, 0);
}

TEST(Parse, ConstantsScaleTensors) {
  ir::Kernel k = Kernel(
      "const S = 0.5\nglobal A : f16[64, 64]\n"
      "computes A = S * A * A + 2 * A\n");
  const ir::TensorExpr& sum = k.computes[0].value;
  EXPECT_EQ(sum.args[0].kind, ir::TensorExpr::Kind::kMatmul);
  EXPECT_EQ(sum.args[0].args[0].kind, ir::TensorExpr::Kind::kScale);
  EXPECT_EQ(sum.args[1].kind, ir::TensorExpr::Kind::kScale);
  EXPECT_EQ(k.computes[0].decl, 0);
}

TEST(Parse, AResultMayHoldForSomeParametersOnly) {
  ir::Kernel k = Kernel(
      "const T = 0\nglobal A : f16[64, 32]\nglobal B : f16[T ? 32 : 64, T ? "
      "64 : 32]\ncomputes B = A when !T\ncomputes B = transpose(A) when T\n");
  ASSERT_EQ(k.computes.size(), 2u);
  EXPECT_EQ(ir::ToString(*k.computes[0].when), "!T");
}

TEST(Parse, ScaleFactorsMayLieInChunks) {
  Kernel(
      "global A : e4m3[256, 256]\nglobal S : ue8m0[2, 2, 32, 4, 4]\n"
      "global D : f32[256, 256]\ncomputes D = block_scale(A, S)\n");
}

TEST(Parse, LaterKernelsImportWhatTheyName) {
  ir::Program p = Parsed(
      "kernel a target sm_90a {\n  param M : 64.. = 64\n  param X : 1.. = 1\n"
      "  const W = 64\n  global A : f16[M, W]\n  global B : f16[M, W]\n"
      "  grid (1)\n  block 128\n}\n"
      "kernel b target sm_90a {\n  grid (1)\n  block 128\n"
      "  shared s : f16[64, 64]\n"
      "  reg r : f16[64, 64] fragment wgmma\n  ld.global r, B\n}\n");
  ASSERT_EQ(p.kernels.size(), 2u);
  const ir::Kernel& b = p.kernels[1];
  ASSERT_EQ(b.params.size(), 1u);
  EXPECT_EQ(b.params[0].name, "M");
  ASSERT_EQ(b.decls.size(), 3u);
  EXPECT_EQ(b.decls[0].name, "B");
  EXPECT_EQ(b.body[0].decl_id, 2);
  EXPECT_EQ(b.body[1].op->operands[1].ref.decl, 0);
  EXPECT_EQ(b.body[1].op->operands[0].ref.decl, 2);
}

TEST(Parse, GivenConstantsAreCheckedOnceBound) {
  ir::Source source{
      "k.tile", InKernel("const BN = 64\nshared a : f16[64, 64] swizzle 128B\n"
                         "shared b : f16[BN, 64] swizzle 128B\nwarpgroup 0 {\n"
                         "reg d : f32[64, BN] fragment wgmma\n"
                         "wgmma.mma_async d, a, b, accumulate = 0\n}\n")};
  ir::Diagnostics diagnostics;
  auto p = Parse(source, diagnostics, {{"BN", 264}});
  ASSERT_TRUE(p.has_value());
  auto bound = ir::Bind(p->kernels[0], {}, 132, diagnostics);
  ASSERT_TRUE(bound.has_value());
  CheckBound(*bound, diagnostics);
  ASSERT_GE(diagnostics.errors(), 1u);
  EXPECT_EQ(diagnostics.all().back().code, ir::Code("shape/wgmma"));
}

TEST(Parse, GivenConstantsAreAsIfTheTextSaidSo) {
  ir::Source source{
      "k.tile",
      "kernel a target sm_90a {\n  const BM = 64, TWO = 2 * BM\n"
      "  param M : BM.. step BM = 64\n  grid (M / BM)\n  block TWO\n}\n"
      "kernel b target sm_90a {\n  const N = BM\n  param P : 1.. = 1\n"
      "  grid (P)\n  block N\n}\n"};
  ir::Diagnostics diagnostics;
  ir::Overrides defines{{"BM", 96}, {"M", 192}, {"P", 3}};
  auto p = Parse(source, diagnostics, defines);
  ASSERT_TRUE(p.has_value());
  EXPECT_EQ(p->kernels[0].params[0].low, 96);
  EXPECT_EQ(p->kernels[0].params[0].step, 96);
  EXPECT_EQ(ir::ParamsOf(*p, 0, defines), (ir::Overrides{{"M", 192}}));
  EXPECT_EQ(ir::ParamsOf(*p, 1, defines), (ir::Overrides{{"P", 3}}));
  auto a = ir::Bind(p->kernels[0], {{"M", 192}}, 132, diagnostics);
  auto b = ir::Bind(p->kernels[1], {{"P", 3}}, 132, diagnostics);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->grid[0], 2);
  EXPECT_EQ(a->block, 192);
  EXPECT_EQ(b->block, 96);
}

// What is nothing in the file, or a constant that the text was not parsed with,
// the first kernel's binding reports.
TEST(Parse, ADefineThatNobodyTakesIsReportedOnce) {
  ir::Program p =
      Parsed(InKernel("const C = 2\nlet L = C\nparam N : 1.. = 1\n"));
  for (const char* name : {"X", "L", "C"}) {
    ir::Overrides defines{{name, 3}};
    EXPECT_EQ(ir::ParamsOf(p, 0, defines), defines);
    ir::Diagnostics diagnostics;
    EXPECT_FALSE(ir::Bind(p.kernels[0], defines, 132, diagnostics));
    ASSERT_EQ(diagnostics.errors(), 1u);
    EXPECT_EQ(diagnostics.all()[0].code, ir::Code("name/parameter"));
  }
}

TEST(Parse, TextOfOtherEditors) {
  Parsed(
      "\xef\xbb\xbfkernel k target sm_90a {\r\n\tgrid (1)\r\n\tblock "
      "128\r\n}\r\n");
}

TEST(Parse, SyntaxAloneResolvesNothing) {
  ir::Source source{"", InKernel("mbarrier.arrive nowhere\n")};
  ir::Diagnostics diagnostics;
  EXPECT_TRUE(ParseSyntax(source, diagnostics).has_value());
  EXPECT_FALSE(Parse(source, diagnostics).has_value());
}

TEST(Parse, ElseMayStandOnItsOwnLine) {
  ir::Kernel k = Kernel(
      "if cta.x > 1 { bar.warp.sync }\nelse if cta.x { }\n"
      "// why\nelse { bar.sync 0; bar.sync 0 }\n");
  ASSERT_EQ(k.body.size(), 1u);
  ASSERT_EQ(k.body[0].orelse.size(), 1u);
  EXPECT_EQ(k.body[0].orelse[0].orelse.size(), 2u);
}

}  // namespace
}  // namespace tilesim::frontend
