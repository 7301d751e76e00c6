#include "frontend/directives.h"

#include <gtest/gtest.h>

namespace tilesim::frontend {
namespace {

TEST(Directives, AloneTheyAreAboutTheLineBelow) {
  Directives d = FindDirectives({"", "//! one\n//! two\n// prose\n\nop x\n"});
  ASSERT_EQ(d.directives.size(), 2u);
  EXPECT_EQ(d.directives[0].text, "one");
  EXPECT_EQ(d.directives[0].target, 5);
  EXPECT_EQ(d.directives[1].target, 5);
  EXPECT_TRUE(d.directives[1].own_line);
  EXPECT_EQ(d.directives[1].span.line, 2);
}

TEST(Directives, AfterCodeTheyAreAboutTheirOwnLine) {
  Directives d = FindDirectives({"", "  op x  //!  three \n"});
  ASSERT_EQ(d.directives.size(), 1u);
  EXPECT_EQ(d.directives[0].text, "three");
  EXPECT_EQ(d.directives[0].target, 1);
  EXPECT_EQ(d.directives[0].span.column, 9);
}

TEST(Directives, AtTheEndOfTheFileTheyHaveNoTarget) {
  Directives d = FindDirectives({"", "op\n//! last"});
  ASSERT_EQ(d.directives.size(), 1u);
  EXPECT_EQ(d.directives[0].target, 0);
}

TEST(Directives, MarkersNameLines) {
  Directives d = FindDirectives({"", "a\nb  // #read the tile\n// #prose\n"});
  ASSERT_EQ(d.markers.size(), 1u);
  EXPECT_EQ(d.markers[0].name, "read");
  EXPECT_EQ(d.markers[0].line, 2);
}

}  // namespace
}  // namespace tilesim::frontend
