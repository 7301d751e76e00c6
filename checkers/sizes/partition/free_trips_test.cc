// A loop of any number of trips can do what the loop does that it stands for.
#include "checkers/sizes/partition/free_trips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "checkers/sizes/partition/ops_of_test.h"
#include "frontend/parse.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
namespace {

ir::Kernel Parsed(const std::string& text) {
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"form.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  return program ? program->kernels[0] : ir::Kernel();
}

// How many parameters it takes. For each CTA they have values with which the
// other kernel executes the same ops; with the same operands, if it is `exact`.
size_t TripsOf(const std::string& body, bool exact = true) {
  const std::string text = StoringKernel(body);
  const ir::Kernel own = Parsed(text);
  ir::Kernel other = own;
  const std::vector<FreeTrip> freed = FreeTrips({{}, {}, {}, {}}, other);
  for (int64_t n : {0, 1, 2, 5, 6, 7, 13, 20}) {
    for (int64_t p : {1, 2, 5}) {
      ir::Overrides sizes = {{"N", n}, {"P", p}};
      for (int64_t cta : {int64_t{0}, p - 1}) {
        const auto ops = OpsOf(own, sizes, cta);
        auto does = [&](int64_t trips) {
          for (const FreeTrip& f : freed) sizes[f.name] = trips;
          auto others = OpsOf(other, sizes, cta);
          return exact ? others == ops : others.size() == ops.size();
        };
        int64_t trips = 0;
        while (trips < 30 && !does(trips)) ++trips;
        EXPECT_LT(trips, 30) << text << " N " << n << " P " << p;
        for (const FreeTrip& f : freed) sizes.erase(f.name);
      }
    }
  }
  return freed.size();
}

std::string Looped(const std::string& head) {
  return ir::Cat(head, " {\n st D[t], one\n }\n");
}

TEST(FreeTrips, OfTheShareOfACta) {
  for (const char* head :
       {"for t in cta.x..N step grid.x", "for t in cta.x + 1..cdiv(N, 3)",
        "for t in N * cta.x / grid.x..N * (cta.x + 1) / grid.x",
        "for t in 0..cdiv(N - cta.x, grid.x)",
        "for t in 0..N / grid.x + (cta.x < N % grid.x)",
        "for t in cta.x * cdiv(N, grid.x)..(cta.x + 1) * cdiv(N, grid.x)"}) {
    EXPECT_EQ(TripsOf(Looped(head)), 1u) << head;
    // Another role that goes around as often.
    EXPECT_EQ(TripsOf(Looped(head) + Looped(head)), 1u) << head;
  }
}

TEST(FreeTrips, OfAVariableThatGoesOn) {
  for (const char* loop :
       {"while t < N {\n st D[t], one\n t = t + grid.x\n }\n",
        "while N > t {\n t = t + grid.x\n st D[t], one\n }\n",
        "while !(t >= N) {\n st D[t], one\n t = t + grid.x\n }\n",
        "while 1 {\n if t >= N {\n break\n }\n st D[t], one\n"
        " t = t + grid.x\n }\n"}) {
    const std::string begin = "var t = cta.x\n";
    EXPECT_EQ(TripsOf(begin + loop), 1u) << loop;
    EXPECT_EQ(
        TripsOf(ir::Cat(Looped("for t in cta.x..N step grid.x"), begin, loop)),
        1u)
        << loop;
  }
  EXPECT_EQ(TripsOf("var t = N - cta.x\nwhile t >= 0 {\n st D[t], one\n"
                    " t = t - grid.x\n }\n"),
            1u);
}

// It executes a part of its iterations; which, is not said.
TEST(FreeTrips, OfIterationsThatDoSomething) {
  const std::string waves = "for w in 0..cdiv(N, grid.x) {\n";
  const std::string tile = "let t = w * grid.x + cta.x\n";
  EXPECT_EQ(
      TripsOf(ir::Cat(waves, tile, "if t < N {\n st D[t], one\n}\n}\n"), false),
      1u);
  EXPECT_EQ(TripsOf(ir::Cat(waves, tile,
                            "if t >= N {\n continue\n}\n st D[t], one\n}\n"),
                    false),
            1u);
  // From the first one on.
  EXPECT_EQ(TripsOf(ir::Cat(waves, tile,
                            "if t >= N {\n break\n}\n st D[t], one\n}\n")),
            1u);
}

TEST(FreeTrips, OneFromWhatAVariableIs) {
  EXPECT_EQ(TripsOf("var v = cta.x\nv = v + P\n"
                    "for t in v..N {\n st D[t], one\n }\nv = 0\n"),
            1u);
}

TEST(FreeTrips, OnePerProduct) {
  EXPECT_EQ(TripsOf("let mine = cdiv(N - cta.x, grid.x)\n"
                    "for t in 0..mine * P {\n st D[t], one\n }\n"),
            1u);
}

// What is asked of the loop in it and in front of it is asked of its trips.
TEST(FreeTrips, WhereThereIsAnotherIteration) {
  auto asks = [](const std::string& before, const std::string& head,
                 const std::string& body) {
    return TripsOf(before + head + " {\n st D[900], one\n " + body + " }\n");
  };
  const std::string more = "if t + grid.x < N {\n st D[t + 500], one\n }\n";
  const std::string each = "for t in cta.x..N step grid.x";
  EXPECT_EQ(asks("", each, more), 1u);
  EXPECT_EQ(asks("", each, "if t >= N - grid.x {\n st D[t], one\n }\n"), 1u);
  EXPECT_EQ(asks("if N > cta.x {\n st D[0], one\n }\n", each, more), 1u);
  EXPECT_EQ(asks("var t = cta.x\n", "while t < N",
                 more + "t = t + grid.x\nif !(t < N) {\n st D[t], one\n }\n"),
            1u);
  EXPECT_EQ(asks("var t = N - 1 - cta.x\n", "while t >= 0",
                 "if t - grid.x >= 0 {\n st D[t], one\n }\nt = t - grid.x\n"),
            1u);
  EXPECT_EQ(asks("let mine = cdiv(N - cta.x, grid.x)\n", "for t in 0..mine",
                 "if t == mine - 1 {\n st D[t], one\n }\n"),
            1u);
}

// Of the last `if`.
std::string ConditionIn(const ir::Kernel& kernel) {
  std::string out;
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& s) {
    if (s.kind == ir::Stmt::Kind::kIf) out = ir::ToString(s.value);
  });
  return out;
}

// Likewise whether there are as many more as a natural number says.
TEST(FreeTrips, WhereThereIsAnIterationFurtherOn) {
  const std::string each = "for t in cta.x..N step grid.x {\n st D[t], one\n ";
  const auto store = [](const std::string& condition) {
    return ir::Cat("if ", condition, " {\n st D[900], one\n }\n");
  };
  const auto asks = [](const std::string& body) {
    EXPECT_EQ(TripsOf(body), 1u);
    ir::Kernel kernel = Parsed(StoringKernel(body));
    FreeTrips({{}, {}, {}, {}}, kernel);
    EXPECT_THAT(ConditionIn(kernel), testing::HasSubstr("the trip count"));
  };
  for (const char* further :
       {"t + 2 * grid.x < N", "N > grid.x * 3 + t", "t + P * grid.x >= N"})
    asks(ir::Cat(each, store(further), "}\n"));
  for (const char* first :
       {"cta.x + grid.x < N", "cta.x + 2 * grid.x < N", "N <= grid.x + cta.x"})
    asks(ir::Cat(store(first), each, "}\n"));
  asks(ir::Cat("for i in 0..3 {\n st D[901], one\n ",
               store("cta.x + i * grid.x < N"), "}\n", each, "}\n"));
}

// A number that may be below 0 says nothing of iterations.
TEST(FreeTrips, WhereThereWasAnIterationStays) {
  for (const char* body :
       {"for i in -1..3 {\n st D[901], one\n if cta.x + i * grid.x < N {\n st "
        "D[900], one\n }\n "
        "}\nfor t in cta.x..N step grid.x {\n st D[t], one\n }\n",
        "for t in cta.x..N step grid.x {\n st D[901], one\n if t + (P - 2) * "
        "grid.x < N {\n "
        "st D[t], one\n }\n }\n"}) {
    ir::Kernel kernel = Parsed(StoringKernel(body));
    const std::string before = ConditionIn(kernel);
    EXPECT_EQ(FreeTrips({{}, {}, {}, {}}, kernel).size(), 1u);
    EXPECT_EQ(ConditionIn(kernel), before);
  }
}

TEST(FreeTrips, WhatSaysSomethingElseStays) {
  for (const char* condition :
       {"t + grid.x <= N", "t + 1 < N", "t < N", "t - grid.x < N",
        "t + grid.x < N + 1", "t + grid.x != N"}) {
    ir::Kernel kernel = Parsed(StoringKernel(
        ir::Cat("for t in cta.x..N step grid.x {\n st D[t], one\n if ",
                condition, " {\n st D[t], one\n }\n }\n")));
    const std::string before = ConditionIn(kernel);
    EXPECT_EQ(FreeTrips({{}, {}, {}, {}}, kernel).size(), 1u);
    EXPECT_EQ(ConditionIn(kernel), before);
  }
}

TEST(FreeTrips, OfLoopsThatGoAroundDifferentlyTwo) {
  auto two = [](const char* a, const char* b) {
    ir::Kernel kernel = Parsed(StoringKernel(Looped(a) + Looped(b)));
    return FreeTrips({{}, {}, {}, {}}, kernel).size();
  };
  EXPECT_EQ(two("for t in cta.x..N step grid.x", "for t in cta.x..N"), 2u);
  EXPECT_EQ(
      two("for t in cta.x..N step grid.x", "for t in cta.y..N step grid.x"),
      2u);
  EXPECT_EQ(
      two("for t in cta.x..N step grid.x", "for t in cta.x..N + 1 step grid.x"),
      2u);
  EXPECT_EQ(two("for t in 0..cdiv(N - cta.x, grid.x)",
                "for t in 0..cdiv(N - cta.x, grid.x + 1)"),
            2u);
}

// The loop that is left has fewer where the condition holds again later.
TEST(FreeTrips, OfOneThatIsLeftAndOneThatGoesOnTwo) {
  auto loop = [](const char* jump) {
    return ir::Cat(
        "for w in 0..cdiv(N, grid.x) {\n if w * grid.x == cta.x {\n ", jump,
        "\n }\n st D[w], one\n }\n");
  };
  ir::Kernel kernel = Parsed(StoringKernel(loop("break") + loop("continue")));
  EXPECT_EQ(FreeTrips({{}, {}, {}, {}}, kernel).size(), 2u);
}

// How many parameters two loops get whose ends hang on elements of L.
size_t TripsByMemory(const std::string& first, const std::string& second,
                     bool input = true) {
  std::string text = StoringKernel(first + second);
  text.insert(text.find("  grid"), "  global L : s32[P] in 0..9\n");
  ir::Kernel kernel = Parsed(text);
  const std::set<int32_t> inputs =
      input ? std::set<int32_t>{1} : std::set<int32_t>();
  return FreeTrips({{}, inputs, {}, {}}, kernel).size();
}

std::string ByMemory(const std::string& name, const std::string& index,
                     const std::string& end, const std::string& between = "") {
  return ir::Cat("var ", name, " = 0\nld ", name, ", L[", index, "]\n", between,
                 "for t in 0..", end, " {\n st D[t], one\n }\n");
}

TEST(FreeTrips, OneAsAnElementOfAnInputSays) {
  const std::string own = ByMemory("n", "cta.x", "cdiv(n, 64)");
  EXPECT_EQ(TripsByMemory(own, ByMemory("m", "cta.x", "cdiv(m, 64)")), 1u);
  EXPECT_EQ(TripsByMemory(own, ByMemory("m", "cta.x", "e",
                                        "let e = cdiv(m, 64)\nm = 7\n")),
            1u);
  EXPECT_EQ(
      TripsByMemory(own, ByMemory("m", "cta.x", "m", "m = cdiv(m, 64)\n")), 1u);
  EXPECT_EQ(TripsByMemory(own, "", false), 0u);
}

TEST(FreeTrips, TwoWhereElementsOrWhatIsMadeOfThemDiffer) {
  const std::string own = ByMemory("n", "cta.x", "n");
  EXPECT_EQ(TripsByMemory(own, ByMemory("m", "P - 1 - cta.x", "m")), 2u);
  EXPECT_EQ(TripsByMemory(own, ByMemory("m", "cta.x", "m + 1")), 2u);
  EXPECT_EQ(TripsByMemory(own, ByMemory("m", "cta.x", "m", "m = m + 1\n")), 2u);
}

// Of a variable that has another value by now, or in some threads or
// iterations.
TEST(FreeTrips, NoneWhereTheVariableIsNotTheElement) {
  const std::string own = ByMemory("n", "cta.x", "n");
  for (const char* between :
       {"if P > 2 {\n m = 1\n }\n", "for i in 0..P {\n m = m + 1\n }\n",
        "ld m, D[0]\n"})
    EXPECT_EQ(TripsByMemory(own, ByMemory("m", "cta.x", "m", between)), 1u)
        << between;
  EXPECT_EQ(
      TripsByMemory("for i in 0..P {\n " + ByMemory("n", "i", "n") + "}\n", ""),
      0u);
  EXPECT_EQ(
      TripsByMemory("var n = 0\nld n, L[0]\nfor t in 0..n {\n n = 1\n }\n", ""),
      0u);
  // A let has what the variable was.
  EXPECT_EQ(TripsByMemory("var m = 0\nlet e = m\nld m, L[0]\n"
                          "for t in 0..e + cta.x {\n st D[t], one\n }\n",
                          own),
            2u);
}

TEST(FreeTrips, OfNoOther) {
  for (const char* body : {
           // No share of a CTA.
           "for t in 0..N {\n st D[t], one\n }\n",
           // Another one in each warp.
           "for t in cta.x + warp..N {\n st D[t], one\n }\n",
           // Other ends in other iterations of the loop around it.
           "for i in 0..3 {\n for t in cta.x..i {\n st D[t], one\n }\n }\n",
           // Divides by what may be 0.
           "for t in cta.x..P / max(N, 0) {\n st D[t], one\n }\n",
           // Compared with what the variable was before.
           "var t = cta.x\nlet u = t\nwhile u < N {\n t = t + 1\n"
           " if t < 0 {\n break\n }\n }\n",
           "var t = cta.x\nlet u = t\nwhile 1 {\n if u >= N {\n break\n }\n"
           " t = t + 1\n }\n",
           // Does not go on, or not always.
           "var t = cta.x\nwhile t < N {\n st D[t], one\n if t > 3 {\n"
           " t = t + grid.x\n } else {\n t = t + 1\n }\n }\n",
           "var t = cta.x\nwhile t < N {\n st D[t], one\n t = t + 1\n"
           " t = t + cta.x\n }\n",
           "var t = cta.x\nwhile t != N + cta.x {\n t = t + 1\n }\n",
       }) {
    ir::Kernel kernel = Parsed(StoringKernel(body));
    EXPECT_TRUE(FreeTrips({{}, {}, {}, {}}, kernel).empty()) << body;
  }
}

// CTAs of a cluster have the same share, or different ones.
TEST(FreeTrips, InAClusterOfTwo) {
  auto trips = [](const char* head) {
    std::string text = StoringKernel(Looped(head));
    text.replace(text.find("(P)"), 3, "(2 * P)\n  cluster (2)");
    ir::Kernel kernel = Parsed(text);
    return FreeTrips({{}, {}, {}, {}}, kernel).size();
  };
  EXPECT_EQ(trips("for t in cta.x..N step grid.x"), 0u);
  EXPECT_EQ(trips("for t in cta.x / 2..N step grid.x / 2 + 1"), 1u);
  EXPECT_EQ(trips("for t in cta.x / 4..N"), 0u);
  EXPECT_EQ(trips("for t in cluster.x..N step grid.x"), 1u);
  EXPECT_EQ(trips("for t in cta.y..N step grid.x"), 1u);
  EXPECT_EQ(trips("for t in cluster.rank..N step grid.x"), 0u);
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
