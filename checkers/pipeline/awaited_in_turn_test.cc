// The n-th execution of an op is in the iteration of the n-th wait only where
// every iteration has one of each.
#include "checkers/pipeline/awaited_in_turn.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontend/parse.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
namespace {

// Of the only load of W, and the only wait.
bool InTurn(const std::string& body) {
  const std::string text = ir::Cat(
      "kernel k target sm_90a {\n"
      "  param S : 1..8 = 4\n"
      "  global W : u32[16]\n"
      "  global Flag : u32[16] zero\n"
      "  grid (S)\n"
      "  block 64\n"
      "  var w = 0\n",
      body, "}\n");
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"turn.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text;
  if (!program) return false;
  const ir::Kernel& kernel = program->kernels[0];
  const ir::Op *load = nullptr, *wait = nullptr;
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& s) {
    if (!s.op) return;
    const std::string& tensor = s.op->operands[1].ref.name;
    if (tensor == "W") load = &*s.op;
    if (tensor == "Flag") wait = &*s.op;
  });
  EXPECT_TRUE(load != nullptr && wait != nullptr) << text;
  return AwaitedInTurn(kernel).SameIteration(*load, *wait);
}

const char kWait[] =
    "thread 0 {\n var seen = 0\n while seen == 0 {\n"
    " ld.acquire.gpu seen, Flag[z]\n }\n }\n bar.sync 0\n";
const char kLoad[] = "ld w, W[z]\n";

std::string Loop(const std::string& body) {
  return ir::Cat("for z in 1..S {\n", body, "}\n");
}

TEST(AwaitedInTurn, WhereEveryIterationHasBoth) {
  EXPECT_TRUE(InTurn(Loop(ir::Cat(kWait, kLoad))));
  EXPECT_TRUE(InTurn(Loop(ir::Cat(kWait, "warp 1 {\n", kLoad, "}\n"))));
  EXPECT_TRUE(
      InTurn(ir::Cat("if cta.x == 0 {\n", Loop(ir::Cat(kWait, kLoad)), "}\n")));
}

TEST(AwaitedInTurn, NotWhereOneOfThemMayBeMissing) {
  const std::string some = ir::Cat("if z > 1 {\n", kLoad, "}\n");
  EXPECT_FALSE(InTurn(Loop(ir::Cat(kWait, some))));
  EXPECT_FALSE(InTurn(Loop(ir::Cat("if z > 1 {\n", kWait, "}\n", kLoad))));
  EXPECT_FALSE(
      InTurn(Loop(ir::Cat(kWait, "if z == 2 {\n continue\n }\n", kLoad))));
  EXPECT_FALSE(InTurn(Loop(ir::Cat(kWait, "warps 0..z {\n", kLoad, "}\n"))));
}

// What was seen in one iteration is not asked for in the next.
TEST(AwaitedInTurn, NotWhereTheScalarKeepsWhatItSaw) {
  EXPECT_FALSE(InTurn(ir::Cat(
      "var seen = 0\n", Loop(ir::Cat("thread 0 {\n while seen == 0 {\n"
                                     " ld.acquire.gpu seen, Flag[z]\n }\n }\n",
                                     kLoad)))));
}

TEST(AwaitedInTurn, NotInLoopsOfTheirOwnOrInOthers) {
  EXPECT_FALSE(InTurn(ir::Cat(Loop(kWait), Loop(kLoad))));
  EXPECT_FALSE(
      InTurn(ir::Cat("for r in 0..2 {\n", Loop(ir::Cat(kWait, kLoad)), "}\n")));
  EXPECT_FALSE(InTurn(ir::Cat("for z in warp..S {\n", kWait, kLoad, "}\n")));
}

}  // namespace
}  // namespace tilesim::checkers::pipeline
