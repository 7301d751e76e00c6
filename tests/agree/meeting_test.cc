// What CTAs do to each other in global memory, where the sizes that stand for
// all have one CTA each, or one that is looked at.
#include <string>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
namespace {

// Each CTA stores 32 rows from `row` on.
std::string Stores(const std::string& row, const std::string& grid) {
  return fmt::format(R"(kernel stores target sm_100a {{
  param T : 1.. = 8
  param U : 1.. = 3
  global D : f32[T * U * 32, 4]
  grid ({})
  block 32
  reg v : f32[32, 4] fragment row
  mov v, 1.0
  st.global D[{} :+ 32, :], v
}}
)",
                     grid, row);
}

// The same, tile by tile, in as many clusters as there are SMs for.
std::string Persistent(const std::string& row, int ctas,
                       const std::string& clusters) {
  return fmt::format(R"(kernel persistent target sm_90a {{
  param T : 1.. = 8
  global D : f32[T * 32 * {0} + 31, 4]
  grid ({0} * {2})
  cluster ({0})
  block 32
  reg v : f32[32, 4] fragment row
  mov v, 1.0
  for tile in cta.x / {0}..T step grid.x / {0} {{
    st.global D[{1} :+ 32, :], v
  }}
}}
)",
                     ctas, row, clusters);
}

Verdict VerdictOf(const std::string& text) {
  return CheckText(text, {}).verdict;
}

TEST(Meeting, CtasOfAGridThatGrows) {
  EXPECT_EQ(VerdictOf(Stores("cta.x * 32", "T")), Verdict::kClean);
  EXPECT_EQ(VerdictOf(Stores("(cta.x * U + cta.y) * 32", "T, U")),
            Verdict::kClean);
  for (const char* row :
       {"cta.x / 2 * 32", "cta.x * 31", "(cta.x == 1 ? 0 : cta.x * 32)",
        "(cta.x == 5 ? 0 : cta.x * 32)"})
    EXPECT_EQ(VerdictOf(Stores(row, "T")), Verdict::kFindings) << row;
  for (const char* row :
       {"(cta.x + cta.y) * 32", "(cta.x * U + cta.y) / 3 * 32",
        "(cta.y * U + cta.x) * 32"})
    EXPECT_EQ(VerdictOf(Stores(row, "T, U")), Verdict::kFindings) << row;
}

TEST(Meeting, TilesOfAPersistentKernel) {
  for (int ctas : {1, 2}) {
    std::string some = fmt::format("min(sm.count / {}, T)", ctas);
    std::string all = fmt::format("(sm.count / {})", ctas);
    for (const std::string& clusters : {some, all}) {
      SCOPED_TRACE(clusters);
      auto verdict = [&](const std::string& row) {
        return VerdictOf(Persistent(row, ctas, clusters));
      };
      std::string right = fmt::format("(tile * {} + cluster.rank) * 32", ctas);
      EXPECT_EQ(verdict(right), Verdict::kClean);
      for (const char* row :
           {"(tile / 2 * CTAS + cluster.rank) * 32", "tile * 31 * CTAS",
            "((tile == 1 ? 0 : tile) * CTAS + cluster.rank) * 32",
            "((tile == 3 ? 2 : tile) * CTAS + cluster.rank) * 32",
            "(tile + cluster.rank) * 32 * 31 / 32"}) {
        std::string wrong = row;
        for (size_t at; (at = wrong.find("CTAS")) != std::string::npos;)
          wrong.replace(at, 4, std::to_string(ctas));
        EXPECT_EQ(verdict(wrong), Verdict::kFindings) << wrong;
      }
    }
  }
}

}  // namespace
}  // namespace tilesim::checkers
