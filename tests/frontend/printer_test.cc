// The canonical text, and programs no text has made.
#include "ir/printer.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "frontend/parse.h"

namespace tilesim::ir {
namespace {

std::string Formatted(const std::string& text) {
  Source source{"test.tile", text};
  Diagnostics diagnostics;
  std::optional<Program> program = frontend::ParseSyntax(source, diagnostics);
  for (const Diagnostic& d : diagnostics.all())
    ADD_FAILURE() << Render(d, source);
  return program ? Print(*program) : "";
}

TEST(Printer, CommentsAndBlankLinesStay) {
  const std::string text =
      "//! clean\n"
      "// above the kernel\n"
      "kernel k target sm_90a {  // open\n"
      "  // above grid\n"
      "  grid (1)  // after grid\n"
      "  block 128\n"
      "\n"
      "  // above, far\n"
      "\n"
      "  // above, near\n"
      "  if cta.x == 0 {  // then\n"
      "    bar.sync 0  // sync\n"
      "    // at the end\n"
      "  } else {  // otherwise\n"
      "    bar.sync 1\n"
      "    // at the end of else\n"
      "  }  // after the if\n"
      "  // at the end of the kernel\n"
      "}  // after the kernel\n"
      "// at the end of the file\n";
  EXPECT_EQ(Formatted(text), text);
}

TEST(Printer, SpaceIsCanonical) {
  EXPECT_EQ(Formatted("\n\nkernel  k target sm_90a{\n\n\ngrid(1);block 128\n"
                      "mbarrier f[2],e[2]\n\n\n\nwarp 0,elect{fence;\n"
                      "  mbarrier.wait f[0],parity=(0+1)&1\n\n}\n\n}\n\n"),
            "kernel k target sm_90a {\n"
            "  grid (1)\n"
            "  block 128\n"
            "  mbarrier f[2], e[2]\n"
            "\n"
            "  warp 0, elect {\n"
            "    fence\n"
            "    mbarrier.wait f[0], parity = (0 + 1) & 1\n"
            "  }\n"
            "}\n");
}

TEST(Printer, LongLinesBreakAfterACommaAndStayBroken) {
  std::string once = Formatted(
      "kernel k target sm_90a {\n  grid (1); block 128\n"
      "  const AAAAAAAAAAAAAAAA = 1, BBBBBBBBBBBBBBBBBBBBBBBBBBBBBB = 2, "
      "CCCCCCCCCCCCCCCCCCCCCCC = 3, D = 4 // end\n}\n");
  EXPECT_NE(once.find("= 2,\n      CCC"), std::string::npos) << once;
  EXPECT_EQ(Formatted(once), once);
}

TEST(Printer, LongLinesBreakOutsideOfBracketsAndWhereOperatorsBindLeast) {
  const std::string text =
      "kernel k target sm_90a {\n"
      "  let x = AAAAAAAAAAAAAAAAAAAAAAA * BBBBBBBBBBBBBBBBB +\n"
      "      (CCCCCCCCCCCCCCC + DDDDDDDDDD) * EEEEEEEEEEEEEE\n"
      "  computes O = softmax(causal(SCALE * (Q * transpose(K)))) *\n"
      "      V within 0.002 when CAUSAL\n"
      "  grid (1)\n"
      "  block 128\n"
      "  tma.store O[cta.y, m * BM + row + first_row :+ 64, d :+ 64],\n"
      "      out[row :+ 64, d :+ 64]\n"
      "}\n";
  EXPECT_EQ(Formatted(text), text);
}

TEST(Printer, TilesOfOneTypeStayOnOneLine) {
  const std::string text =
      "kernel k target sm_90a {\n"
      "  grid (1)\n"
      "  block 128\n"
      "  // above\n"
      "  reg a, b[2], c : f32[64, 128] fragment wgmma  // after\n"
      "  reg d : f32[64, 128] fragment wgmma\n"
      "  warpgroup 0 {\n"
      "    reg e, f : f32[64, 128] fragment wgmma\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(Formatted(text), text);
}

TEST(Printer, NumbersKeepTheirSpelling) {
  const std::string text =
      "kernel k target sm_90a {\n"
      "  grid (1)\n"
      "  block 0x80\n"
      "  const A = 0b11, B = 1_000, C = 1e-5, D = -0x10, E = -1.50, F = 2.0\n"
      "  const G = -9223372036854775808\n"
      "}\n";
  EXPECT_EQ(Formatted(text), text);
}

// --- expressions made by hand ------------------------------------------------

class RandomExpr {
 public:
  explicit RandomExpr(uint32_t seed) : random_(seed) {}

  Expr Make(int depth) {
    switch (depth <= 0 ? random_() % 3 : random_() % 7) {
      case 0:
        return Expr::Int(Number());
      case 1:
        return Float();
      case 2:
        return Name();
      case 3:
        return Node(ExprKind::kUnary,
                    Pick({ExprOp::kNeg, ExprOp::kNot, ExprOp::kBitNot}), 1,
                    depth);
      case 4:
        return Node(ExprKind::kSelect, ExprOp::kNone, 3, depth);
      case 5: {
        Expr e = Node(ExprKind::kCall, ExprOp::kNone, 2, depth);
        e.name = "cdiv";
        return e;
      }
      default:
        return Node(ExprKind::kBinary,
                    kBinaryOps[random_() % std::size(kBinaryOps)].op, 2, depth);
    }
  }

 private:
  int64_t Number() {
    constexpr int64_t kNumbers[] = {0,
                                    1,
                                    -1,
                                    5,
                                    -5,
                                    std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min()};
    return kNumbers[random_() % std::size(kNumbers)];
  }
  Expr Float() {
    constexpr double kNumbers[] = {0.0, 1.0, -2.5, 1e300, 1e-300, 0.1, -3e20};
    Expr e;
    e.kind = ExprKind::kFloat;
    e.number = kNumbers[random_() % std::size(kNumbers)];
    return e;
  }
  Expr Name() {
    Expr e;
    e.kind = ExprKind::kName;
    e.name = random_() % 2 ? "cta.x" : "value";
    return e;
  }
  Expr Node(ExprKind kind, ExprOp op, int args, int depth) {
    Expr e;
    e.kind = kind;
    e.op = op;
    for (int i = 0; i < args; ++i) e.args.push_back(Make(depth - 1));
    return e;
  }
  ExprOp Pick(std::initializer_list<ExprOp> ops) {
    return *(ops.begin() + random_() % ops.size());
  }

  std::mt19937 random_;
};

TEST(Printer, EveryExpressionIsReadBackAsItWas) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    Program program;
    Kernel& k = program.kernels.emplace_back();
    k.name = "k";
    k.grid = {Expr::Int(1)};
    k.block = Expr::Int(128);
    k.constants.push_back({"x", true, RandomExpr(seed).Make(5), -1, {}});
    Source source{"", Print(program)};
    Diagnostics diagnostics;
    std::optional<Program> again = frontend::ParseSyntax(source, diagnostics);
    ASSERT_TRUE(again.has_value())
        << source.text << Render(diagnostics.all()[0], source);
    ASSERT_EQ(*again, program) << source.text;
  }
}

}  // namespace
}  // namespace tilesim::ir
