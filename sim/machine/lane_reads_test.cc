#include "sim/machine/lane_reads.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::machine {
namespace {

// Whether a warp's text rests on its lanes' reading the same.
bool Rests(const std::string& body) {
  const std::string text = ir::Cat(
      "kernel k target sm_90a {\n  global F : u32[8] zero\n"
      "  global D : u32[64]\n  grid (2)\n  block 64\n  mbarrier b\n"
      "  thread 0 { mbarrier.init b, 1 }\n  bar.sync 0\n  var x = 0\n"
      "  var y = 0\n  warp 0 {\n",
      body, "\n  }\n}\n");
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"reads.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  if (!program) return false;
  auto bound = ir::Bind(program->kernels[0], {}, 132, diagnostics);
  auto code = Compile(std::move(*bound), diagnostics);
  EXPECT_TRUE(code) << text;
  return code && RestsOnEqualReads(*code);
}

TEST(LaneReads, WhatIsDoneTogether) {
  const std::string read = "ld.relaxed.gpu x, F[0]\n";
  EXPECT_TRUE(Rests(read + "if x { bar.warp.sync }"));
  EXPECT_TRUE(Rests(read + "if x { mbarrier.arrive b }"));
  EXPECT_TRUE(Rests(read + "for i in 0..x { bar.warp.sync }"));
  EXPECT_TRUE(Rests(read + "y = x + 1\nif y == 2 { st D[0], 1 }"));
  // What a branch has set differs as well.
  EXPECT_TRUE(Rests(read + "if x { y = 1 }\nif y { bar.warp.sync }"));
  // How often the loop goes round.
  EXPECT_TRUE(Rests("while x == 0 {\n" + read + "bar.warp.sync\n}"));
  EXPECT_TRUE(Rests("while 1 {\n" + read + "if x { break }\nbar.warp.sync\n}"));
  EXPECT_TRUE(
      Rests("mbarrier.test_wait x, b, parity = 0\n"
            "if x { st D[0], 1 }"));
  EXPECT_TRUE(Rests(read + "st D[x], 1"));  // where, not what
}

TEST(LaneReads, WhatEachDoesForItself) {
  const std::string read = "ld.relaxed.gpu x, F[0]\n";
  EXPECT_FALSE(Rests("while x == 0 { ld.acquire.gpu x, F[0] }\nst D[0], 1"));
  EXPECT_FALSE(Rests("while x < 3 {\n" + read + "ld.relaxed.gpu y, F[1]\n}"));
  EXPECT_FALSE(
      Rests("mbarrier.test_wait x, b, parity = 0\n"
            "if x == 0 { mbarrier.wait b, parity = 0 }"));
  EXPECT_FALSE(Rests(read + "st D[0], x"));                   // what, not where
  EXPECT_FALSE(Rests("ld x, F[0]\nif x { bar.warp.sync }"));  // races are told
  EXPECT_FALSE(Rests("lane 0 {\n" + read + "if x { st D[0], 1 }\n}"));
  EXPECT_FALSE(Rests("elect {\n" + read + "if x { mbarrier.arrive b }\n}"));
}

}  // namespace
}  // namespace tilesim::machine
