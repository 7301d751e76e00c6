#include "checkers/solver/simplex.h"

#include <gtest/gtest.h>

#include <random>

#include "checkers/solver/integer_points.h"

namespace tilesim::checkers::solver {
namespace {

Linear V(Var v) { return Linear::Of(v); }

struct Constraint {
  Linear linear;
  bool zero = false;
};

constexpr int kVariables = 5;

std::vector<Constraint> RandomConstraints(std::mt19937& random) {
  auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const int64_t steep = number(0, 3) == 0 ? 64 : 4;
  std::vector<Constraint> out(static_cast<size_t>(number(1, 12)));
  for (Constraint& c : out) {
    c.linear = number(-9, 9);
    for (Var v = 0; v < kVariables; ++v) {
      if (number(0, 1) == 0) continue;
      c.linear +=
          V(v) * number(static_cast<int>(-steep), static_cast<int>(steep));
    }
    c.zero = number(0, 4) == 0;
  }
  return out;
}

Answer ByIsl(const std::vector<Constraint>& all) {
  Polyhedron p;
  for (const Constraint& c : all)
    (c.zero ? p.zero : p.natural).push_back(c.linear);
  return IntegerPoints(1000000000).Find(std::move(p), kVariables).answer;
}

void ExpectHolds(const std::vector<Constraint>& all,
                 const std::vector<int64_t>& at) {
  for (const Constraint& c : all) {
    const int64_t value = c.linear.At(at).value();
    EXPECT_TRUE(c.zero ? value == 0 : value >= 0);
  }
}

// What isl says of them is none either.
void ExpectContradiction(const std::vector<Constraint>& all,
                         const std::vector<int>& tags) {
  std::vector<Constraint> told;
  for (int tag : tags) told.push_back(all[static_cast<size_t>(tag)]);
  EXPECT_EQ(ByIsl(told), Answer::kNone);
}

struct Seen {
  int none = 0, integer = 0, none_by_cuts = 0, integer_by_cuts = 0, open = 0;
};

void Compare(std::mt19937& random, Seen& seen) {
  const std::vector<Constraint> all = RandomConstraints(random);
  Simplex simplex;
  for (size_t i = 0; i < all.size(); ++i)
    simplex.Add(all[i].linear, all[i].zero, static_cast<int>(i));
  if (simplex.state() == Simplex::State::kNone) {
    ++seen.none;
    return ExpectContradiction(all, simplex.Because());
  }
  auto values = simplex.Integers(kVariables);
  ++(values ? seen.integer : seen.open);
  for (int cuts = 0; !values && cuts < 20 && simplex.Cut(); ++cuts) {
    if (simplex.state() != Simplex::State::kSome) break;
    values = simplex.Integers(kVariables);
    if (values) ++seen.integer_by_cuts;
  }
  if (values) return ExpectHolds(all, *values);
  if (simplex.state() != Simplex::State::kNone) return;
  ++seen.none_by_cuts;
  EXPECT_EQ(ByIsl(all), Answer::kNone);
}

TEST(Simplex, SaysWhatIslSays) {
  std::mt19937 random(1);
  Seen seen;
  for (int i = 0; i < 10000 && !testing::Test::HasFailure(); ++i)
    Compare(random, seen);
  // Each way to an answer is taken.
  EXPECT_GT(seen.none, 1000);
  EXPECT_GT(seen.integer, 1000);
  EXPECT_GT(seen.none_by_cuts, 100);
  EXPECT_GT(seen.integer_by_cuts, 100);
}

// A copy goes its own way.
TEST(Simplex, GrowsAndIsCopied) {
  Simplex simplex;
  simplex.Add(V(0) - 3, false, 0);
  simplex.Add(V(1) - V(0) - 1, false, 1);
  Simplex copy = simplex;
  copy.Add(V(1) * -1 + 3, false, 2);
  EXPECT_EQ(copy.state(), Simplex::State::kNone);
  EXPECT_EQ(simplex.state(), Simplex::State::kSome);
  simplex.Add(V(1) - V(2), true, 2);  // a variable that is new
  EXPECT_EQ(simplex.Integers(3), (std::vector<int64_t>{3, 4, 4}));
}

TEST(Simplex, GivesUpBeyond64Bits) {
  Simplex simplex;
  const int64_t far = INT64_MAX / 2;
  simplex.Add(V(0) * far - V(1) - 1, false, 0);
  simplex.Add(V(1) * far - V(0) * (far - 1) - 1, false, 1);
  simplex.Add(V(0) * -far + V(1) * (far - 2) - 7, false, 2);
  EXPECT_EQ(simplex.state(), Simplex::State::kTooLarge);
  EXPECT_FALSE(simplex.Cut());
}

}  // namespace
}  // namespace tilesim::checkers::solver
