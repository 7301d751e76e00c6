#include "checkers/sizes/state/text_multiple.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::state {
namespace {

// Whether the start of the one store of a kernel is seen to be a multiple.
bool Seen(const std::string& start, int64_t by) {
  const std::string text = ir::Cat(
      "kernel k target sm_90a {\n  const C = 12\n"
      "  param P : 8..800 step 4 = 8\n  param Q : 1..9 = 3\n"
      "  global W : u32[100000]\n  grid (P * Q)\n  block 32\n"
      "  thread 0 { st W[",
      start, "], 1 }\n}\n");
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"multiple.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  if (!program) return false;
  auto bound = ir::Bind(program->kernels[0], {}, 132, diagnostics);
  auto code = machine::Compile(*bound, diagnostics, machine::Params::kKept);
  return IsMultiple(*code, *StartOf(code->ops[0].op->operands[0].ref, 0), by);
}

TEST(TextMultiple, ByAFactor) {
  EXPECT_TRUE(Seen("cta.x / Q * 4", 4));
  EXPECT_TRUE(Seen("(cta.x % Q) * (cta.x / Q) * 4", 4));
  EXPECT_TRUE(Seen("(cta.x * 2 + 6) * 2", 4));
  EXPECT_FALSE(Seen("cta.x / Q * 4", 8));
  EXPECT_FALSE(Seen("cta.x / Q * 6", 4));
  EXPECT_FALSE(Seen("cta.x", 2));
}

TEST(TextMultiple, OfSizesAndConstants) {
  EXPECT_TRUE(Seen("cta.x * P", 4));
  EXPECT_FALSE(Seen("cta.x * P", 8));
  EXPECT_TRUE(Seen("cta.x * C", 4));
  EXPECT_FALSE(Seen("cta.x * Q", 4));
}

// Each term must be one; a quotient of a multiple is none.
TEST(TextMultiple, OfEachTerm) {
  EXPECT_TRUE(Seen("cta.x * 4 + P", 4));
  EXPECT_TRUE(Seen("P * 2 - 8", 8));
  EXPECT_FALSE(Seen("cta.x * 4 + 2", 4));
  EXPECT_FALSE(Seen("cta.x * 8 / 2", 8));
  EXPECT_FALSE(Seen("cta.x * 4 % 6", 4));
}

}  // namespace
}  // namespace tilesim::checkers::sizes::state
