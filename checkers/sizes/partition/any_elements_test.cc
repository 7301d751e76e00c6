// An element of an input is a parameter where its index has one value all
// through a launch, and the same one wherever that is the same.
#include "checkers/sizes/partition/any_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::partition {
namespace {

using Names = std::vector<std::string>;

struct Drawn {
  ir::Kernel kernel;
  AnyElements elements;
};

Drawn DrawnIn(const std::string& body) {
  const std::string text = ir::Cat(
      "kernel k target sm_90a {\n"
      "  param N : 1.. = 3\n"
      "  global Len : s32[N] in -1..4\n"
      "  global Id : s32[N] in 0..N\n"
      "  global Any : s32[N]\n"
      "  grid (N)\n"
      "  block 64\n",
      body, "}\n");
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"elements.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  Drawn out;
  if (!program) return out;
  out.kernel = program->kernels[0];
  out.elements = DrawAnyElements({}, {0, 1, 2}, out.kernel);
  return out;
}

std::string Load(const std::string& to, const std::string& element) {
  return ir::Cat("var ", to, " = 0\nld ", to, ", ", element, "\n");
}

TEST(AnyElements, OfOneIndexAreOneNumber) {
  const Drawn d = DrawnIn(ir::Cat("let me = cta.x\n", Load("a", "Len[me]"),
                                  Load("b", "Len[cta.x]")));
  EXPECT_EQ(d.elements.names, Names({"Len[cta.x]"}));
  const ir::Param& p = d.kernel.params.back();
  EXPECT_EQ(p.low, 0);
  EXPECT_EQ(p.high, 5);  // above -1
}

TEST(AnyElements, OfOthersAreOthers) {
  const Drawn d =
      DrawnIn(ir::Cat(Load("a", "Len[cta.x]"), Load("b", "Len[N - 1 - cta.x]"),
                      Load("c", "Id[cta.x]")));
  EXPECT_EQ(d.elements.names,
            Names({"Len[cta.x]", "Len[N - 1 - cta.x]", "Id[cta.x]"}));
  // `Id` is at most N.
  EXPECT_FALSE(d.kernel.params.back().high);
  EXPECT_EQ(d.elements.known.size(), 1U);
}

TEST(AnyElements, WhereTheIndexMovesTheyAreLeft) {
  EXPECT_TRUE(DrawnIn(ir::Cat("for i in 0..N {\n", Load("a", "Len[i]"), "}\n"))
                  .elements.names.empty());
  EXPECT_TRUE(DrawnIn(Load("a", "Len[warp]")).elements.names.empty());
  EXPECT_TRUE(
      DrawnIn("var i = 0\nwarp 0 {\n i = 1\n}\nvar a = 0\nld a, Len[i]\n")
          .elements.names.empty());
}

TEST(AnyElements, WithoutADomainTheyAreLeft) {
  EXPECT_TRUE(DrawnIn(Load("a", "Any[cta.x]")).elements.names.empty());
}

// The load stays, of a scalar of its own.
TEST(AnyElements, TheLoadIsStillThere) {
  const Drawn d = DrawnIn(Load("a", "Len[cta.x]"));
  const ir::Block& body = d.kernel.body;
  ASSERT_EQ(body.size(), 3U);
  EXPECT_TRUE(body[1].op.has_value());
  EXPECT_NE(body[1].op->operands[0].expr.slot, body[0].slot);
  EXPECT_EQ(body[2].kind, ir::Stmt::Kind::kAssign);
  EXPECT_EQ(body[2].slot, body[0].slot);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
