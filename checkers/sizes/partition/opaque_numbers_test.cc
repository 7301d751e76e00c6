#include "checkers/sizes/partition/opaque_numbers.h"

#include <gtest/gtest.h>

#include "ir/eval.h"

namespace tilesim::checkers::sizes::partition {
namespace {

using algebra::Facts;
using algebra::Polynomial;
using algebra::Symbolic;
using ir::ExprOp;

const Polynomial kA = Polynomial::Of(0);
const Polynomial kB = Polynomial(1) + Polynomial::Of(1);

Symbolic K(const Polynomial& p) { return Symbolic::Number(p); }

int32_t Function(std::string_view name) {
  const auto& all = ir::Functions();
  for (size_t i = 0; i < std::size(all); ++i) {
    if (all[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

TEST(OpaqueNumbers, ARemainderIsLessThanItsDivisor) {
  OpaqueNumbers numbers{Facts()};
  Symbolic rest = numbers.Unsaid(ExprOp::kRem, -1, K(kA), K(kB));
  ASSERT_EQ(rest.kind, Symbolic::Kind::kNumber);
  EXPECT_TRUE(numbers.AtLeast(kB - rest.of, 1));
  EXPECT_TRUE(numbers.AtLeast(kA - rest.of, 0));
  EXPECT_FALSE(numbers.AtLeast(rest.of, 1));
}

TEST(OpaqueNumbers, TheSameOfTheSameIsOneNumber) {
  OpaqueNumbers numbers{Facts()};
  auto rest = [&] { return numbers.Unsaid(ExprOp::kRem, -1, K(kA), K(kB)); };
  Symbolic once = rest();
  EXPECT_EQ(once, rest());
  EXPECT_FALSE(once == numbers.Unsaid(ExprOp::kDiv, -1, K(kA), K(kB)));
}

TEST(OpaqueNumbers, QuotientsByTheSameAreInOrder) {
  OpaqueNumbers numbers{Facts()};
  Symbolic less = numbers.Unsaid(ExprOp::kDiv, -1, K(kA), K(kB));
  Symbolic more =
      numbers.Unsaid(ExprOp::kDiv, -1, K(kA + Polynomial(3)), K(kB));
  EXPECT_TRUE(numbers.AtLeast(more.of - less.of, 0));
  EXPECT_FALSE(numbers.AtLeast(less.of - more.of, 0));
}

TEST(OpaqueNumbers, TheLessOfTwoIsNoMoreThanEither) {
  OpaqueNumbers numbers{Facts()};
  Symbolic low = numbers.Unsaid(ExprOp::kNone, Function("min"), K(kA), K(kB));
  EXPECT_TRUE(numbers.AtLeast(kA - low.of, 0));
  EXPECT_TRUE(numbers.AtLeast(kB - low.of, 0));
  Symbolic high = numbers.Unsaid(ExprOp::kNone, Function("max"), K(kA), K(kB));
  EXPECT_TRUE(numbers.AtLeast(high.of - kA, 0));
  EXPECT_TRUE(numbers.AtLeast(high.of, 1));
}

TEST(OpaqueNumbers, OfWhatMayBeNegativeOr0NothingIsKnown) {
  OpaqueNumbers numbers{Facts()};
  Symbolic negative = K(kA - Polynomial(1));
  EXPECT_TRUE(numbers.Unsaid(ExprOp::kDiv, -1, negative, K(kB)).unknown());
  EXPECT_TRUE(numbers.Unsaid(ExprOp::kDiv, -1, K(kB), K(kA)).unknown());
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
