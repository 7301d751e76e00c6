#include "ir/code.h"

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>

#include "gtest/gtest.h"

namespace tilesim::ir {
namespace {

constexpr size_t kLongestSummary = 72;

static_assert(std::is_trivially_copyable_v<Code> && sizeof(Code) == 2);
static_assert(Code("race/war") == "race/war" && Code("race/war") < "race/waw");
static_assert(Code("race/war").family() == "race" && Code().empty());

// "proxy-fence"
bool IsWord(std::string_view text) {
  bool form = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  return form && !text.empty() && text.front() != '-' && text.back() != '-';
}

TEST(Codes, AreAFamilyAndAKindEachOnce) {
  std::set<std::string_view> names;
  for (Code code : AllCodes()) {
    std::string_view name = code.name();
    EXPECT_TRUE(names.insert(name).second) << name << " is listed twice";
    EXPECT_TRUE(IsWord(code.family())) << name;
    ASSERT_LT(code.family().size() + 1, name.size()) << name;
    EXPECT_TRUE(IsWord(name.substr(code.family().size() + 1))) << name;
  }
  EXPECT_EQ(names.size(), kCodes);
}

TEST(Codes, AreFoundByName) {
  for (Code code : AllCodes()) EXPECT_EQ(FindCode(code.name()), code);
  for (const char* other : {"", "race", "race/", "race/rwa", "race/war ", "~"})
    EXPECT_FALSE(FindCode(other)) << other;
}

TEST(Codes, AreSorted) {
  EXPECT_TRUE(std::is_sorted(AllCodes().begin(), AllCodes().end()));
}

TEST(Codes, HaveAShortSummaryWithoutAFullStop) {
  for (Code code : AllCodes()) {
    ASSERT_FALSE(code.summary().empty()) << code.name();
    EXPECT_LE(code.summary().size(), kLongestSummary) << code.name();
    EXPECT_NE(code.summary().back(), '.') << code.name();
  }
}

TEST(Codes, ASwitchMakesWarningsErrors) {
  for (Code code : AllCodes()) {
    EXPECT_TRUE(code.may_err() || code.may_warn()) << code.name();
    EXPECT_EQ(code.severity() == Severity::kError, code.may_err());
    if (code.strict().empty()) continue;
    EXPECT_TRUE(code.may_warn()) << code.name() << " is never a warning";
    EXPECT_TRUE(IsWord(code.strict())) << code.strict();
  }
  EXPECT_EQ(std::set(StrictSwitches().begin(), StrictSwitches().end()),
            (std::set<std::string_view>{"lanes", "proxy-war", "proxy-writer",
                                        "scope", "tensor-war"}));
}

TEST(Codes, NoCodeIsNone) {
  EXPECT_EQ(Code().name(), "");
  EXPECT_LT(Code(), AllCodes().front());
  EXPECT_EQ(testing::PrintToString(Code("race/war")), "race/war");
}

}  // namespace
}  // namespace tilesim::ir
