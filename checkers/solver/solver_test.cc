#include "checkers/solver/solver.h"

#include <gtest/gtest.h>

namespace tilesim::checkers::solver {
namespace {

Linear V(Var v) { return Linear::Of(v); }

TEST(Linear, AddsScalesAndRenames) {
  Linear l = V(0) * 3 + V(2) - V(0) + 5;
  EXPECT_EQ(l, V(2) + V(0) * 2 + 5);
  EXPECT_EQ((V(1) - V(1)), Linear(0));
  EXPECT_EQ(l.At(std::vector<int64_t>{4, 0, 7}), 20);
  EXPECT_EQ(l.Renamed(std::vector<Var>{5, 1, 0}), V(5) * 2 + V(0) + 5);
  EXPECT_TRUE((V(0) * INT64_MAX * 2).overflowed());
}

TEST(Formula, NotIsTheOpposite) {
  Formula f = All({Ge(V(0), 3), Any({Eq(V(1), 0), Lt(V(1), V(0))})});
  for (int64_t a = 0; a < 6; ++a) {
    for (int64_t b = -1; b < 6; ++b) {
      std::vector<int64_t> at{a, b};
      EXPECT_NE(f.At(at), Not(f).At(at));
    }
  }
}

// 2 x = 2 y + 1 has rational points and no integer one.
TEST(Solve, IntegersNotRationals) {
  Problem p;
  Linear x = V(p.New()), y = V(p.New());
  p.formulas = {Eq(x * 2, y * 2 + 1)};
  EXPECT_EQ(Solve(p).answer, Answer::kNone);
  p.formulas = {Eq(x * 2, y * 2 + 4), Gt(x, 100)};
  Point at = Solve(p);
  ASSERT_EQ(at.answer, Answer::kSome);
  EXPECT_EQ(at.values[0] - at.values[1], 2);
}

// Two multiples of n: q * n + r = q' * n + r' with 0 <= r, r' < n and q != q'.
TEST(Solve, EuclidsDigitsAreUnique) {
  Problem p;
  Linear n = V(p.New()), q = V(p.New()), r = V(p.New()), u = V(p.New()),
         s = V(p.New()), qn = V(p.New()), un = V(p.New());
  p.products = {{qn, q, n}, {un, u, n}};
  p.formulas = {Ge(q, 0), Ge(u, 0), Ge(r, 0),           Ge(s, 0),
                Lt(r, n), Lt(s, n), Eq(qn + r, un + s), Ne(q, u)};
  EXPECT_EQ(Solve(p).answer, Answer::kNone);
  // Without the bound of one remainder they are not.
  p.formulas.erase(p.formulas.begin() + 4);
  Point at = Solve(p);
  ASSERT_EQ(at.answer, Answer::kSome);
  EXPECT_EQ(at.values[1] * at.values[0] + at.values[2],
            at.values[3] * at.values[0] + at.values[4]);
}

TEST(Solve, FindsProducts) {
  Problem p;
  Linear a = V(p.New()), b = V(p.New()), v = V(p.New());
  p.products = {{v, a, b}};
  p.formulas = {Eq(v, 91), Gt(a, 1), Gt(b, a)};
  Point at = Solve(p);
  ASSERT_EQ(at.answer, Answer::kSome);
  EXPECT_EQ(at.values[0], 7);
  EXPECT_EQ(at.values[1], 13);
}

TEST(Solve, FunctionsOfEqualArgumentsAreEqual) {
  Problem p;
  Linear x = V(p.New()), y = V(p.New()), fx = V(p.New()), fy = V(p.New());
  p.congruences = {{{x - y}, fx - fy}};
  p.formulas = {Lt(x - y, 1), Gt(x - y, -1), Ne(fx, fy)};
  EXPECT_EQ(Solve(p).answer, Answer::kNone);
}

// A congruence that nothing else of the problem implies.
TEST(Solve, PointsAreOfFunctions) {
  Problem p;
  Linear x = V(p.New()), y = V(p.New()), fx = V(p.New()), fy = V(p.New());
  p.congruences = {{{x - y}, fx - fy}};
  p.formulas = {Ge(x, 0), Le(x, 1), Ge(y, 0), Le(y, 1), Gt(fx, fy)};
  Point at = Solve(p);
  ASSERT_EQ(at.answer, Answer::kSome);
  EXPECT_NE(at.values[0], at.values[1]);
}

// The lemma about a product of a constant has one alternative.
TEST(Solve, ProductsOfConstantsHavePoints) {
  Problem p;
  Linear a = V(p.New()), v = V(p.New());
  p.products = {{v, -1, a}};
  p.formulas = {Ge(a, 2), Le(a, 9)};
  Point at = Solve(p);
  ASSERT_EQ(at.answer, Answer::kSome);
  EXPECT_EQ(at.values[1], -at.values[0]);
}

// The last of n rows of b after row q, and row q' after them: no product has
// the row's number i alone as a factor.
TEST(Solve, FactsAreMultipliedThoughAProductIsMissing) {
  Problem p;
  Linear n = V(p.New()), q = V(p.New()), other = V(p.New()), i = V(p.New());
  Linear b = V(p.New());
  Linear nb = V(p.New()), qb = V(p.New()), otherb = V(p.New());
  p.products = {{nb, n, b}, {qb, q, b}, {otherb, other, b}};
  p.formulas = {Ge(b, 1), Ge(i, 0), Lt(i, n), Eq(other, q + i),
                Gt(otherb, qb + nb - b)};
  EXPECT_EQ(Solve(p).answer, Answer::kNone);
  p.formulas.back() = Ge(otherb, qb + nb - b);
  EXPECT_EQ(Solve(p).answer, Answer::kSome);
}

TEST(IntegerPoints, OfEquationsWithoutUnitCoefficients) {
  Linear x = V(0), y = V(1), z = V(2);
  IntegerPoints points(1000000);
  Polyhedron p{{x * 2 + y * 4 - 6, z - x - y}, {z - 3, x, y}};
  Point at = points.Find(p, 3);
  ASSERT_EQ(at.answer, Answer::kSome);
  EXPECT_EQ(at.values, (std::vector<int64_t>{3, 0, 3}));
  p.zero[0] += 1;  // odd
  EXPECT_EQ(points.Find(p, 3).answer, Answer::kNone);
  EXPECT_EQ(points.Find({{x - y, y - x + 1}, {}}, 3).answer, Answer::kNone);
}

TEST(Solve, GivesUpAfterItsEffort) {
  Problem p;
  Linear a = V(p.New()), b = V(p.New()), v = V(p.New());
  p.products = {{v, a, b}};
  p.formulas = {Eq(v, 1000003), Gt(a, 1), Gt(b, 1)};  // a prime
  EXPECT_EQ(Solve(p, {.points = 20}).answer, Answer::kUnknown);
}

}  // namespace
}  // namespace tilesim::checkers::solver
