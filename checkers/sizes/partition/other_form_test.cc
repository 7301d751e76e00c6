// A kernel in another form does what it does as it is written: the same ops
// with the same operands, at every size.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "checkers/sizes/partition/guarded_loops.h"
#include "checkers/sizes/partition/ops_of_test.h"
#include "checkers/sizes/partition/quotient_bounds.h"
#include "checkers/sizes/partition/ring_counters.h"
#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::partition {
namespace {

using Rewrite = bool (*)(const ir::Overrides& defines, ir::Kernel& kernel);

// Whether the form is another one; it does the same in any case.
bool Changes(Rewrite rewrite, const std::string& body) {
  ir::Diagnostics diagnostics;
  const std::string text = StoringKernel(body);
  auto program = frontend::Parse({"form.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  if (!program) return false;
  const ir::Kernel& own = program->kernels[0];
  ir::Kernel other = own;
  const bool changed = rewrite({}, other);
  for (int64_t n : {0, 1, 2, 5, 6, 7, 13, 20}) {
    for (int64_t p : {1, 2, 5}) {
      const ir::Overrides sizes = {{"N", n}, {"P", p}};
      for (int64_t cta : {int64_t{0}, p - 1})
        EXPECT_EQ(OpsOf(own, sizes, cta), OpsOf(other, sizes, cta)) << text;
    }
  }
  return changed;
}

// Three tiles of N turns, and `turn` at the end of each.
std::string Turns(const std::string& turn, const std::string& first = "0") {
  return ir::Cat("    var s = 0\n    var ph = ", first,
                 "\n    for t in 0..3 {\n      for i in 0..N {\n",
                 "        st D[100 * ph + s], one\n", turn, "      }\n    }\n");
}
bool IsRing(const std::string& turn, const std::string& first = "0") {
  return Changes(CountRings, Turns(turn, first));
}

TEST(CountRings, HoweverTheyAreTurned) {
  const std::string flip = "ph = ph ^ 1\n";
  for (const char* first : {"0", "1", "S - 2"}) {
    EXPECT_TRUE(
        IsRing("s = s + 1\nif s == S {\ns = 0\n" + flip + "}\n", first));
    EXPECT_TRUE(
        IsRing("s = s + 1\nif s >= S {\nph = 1 - ph\ns = 0\n}\n", first));
    EXPECT_TRUE(IsRing(
        "if s == S - 1 {\ns = 0\n" + flip + "} else {\ns = s + 1\n}\n", first));
    EXPECT_TRUE(IsRing("s = (s + 1) % S\nph = ph ^ (s == 0)\n", first));
    EXPECT_TRUE(
        IsRing("ph = s == 2 ? !ph : ph\ns = s == 2 ? 0 : s + 1\n", first));
    EXPECT_TRUE(IsRing("s = s + 1\nph = ph ^ (s / S)\ns = s % S\n", first));
  }
}

TEST(CountRings, SeveralStepsAndSeveralRings) {
  EXPECT_TRUE(
      IsRing("s = (s + 1) % S\nph = ph ^ (s == 0)\n"
             "st D[100 * ph + s], one\n"
             "if s < 2 {\ns = s + 1\n} else {\ns = 0\nph = 1 - ph\n}\n"));
  EXPECT_FALSE(IsRing("s = s + 2\nif s >= S {\ns = s - S\nph = 1 - ph\n}\n"));
  EXPECT_TRUE(
      Changes(CountRings,
              "    var s = 0\n    var r = 0\n    var ph = 1\n"
              "    for i in 0..N {\n      st D[10 * r + s + 100 * ph], one\n"
              "      s = s == 2 ? 0 : s + 1\n"
              "      r = r == 4 ? 0 : r + 1\n"
              "      ph = r == 0 ? 1 - ph : ph\n    }\n"));
}

// What is no digit of a number of steps.
TEST(CountRings, WhatIsNone) {
  EXPECT_FALSE(
      IsRing("s = s + 1\nst D[s], one\nif s == S {\ns = 0\nph = 1 - ph\n}\n"));
  EXPECT_FALSE(IsRing("s = s + 1\nif s == S {\ns = 1\nph = 1 - ph\n}\n"));
  EXPECT_FALSE(IsRing("s = s == 2 ? 0 : s + 1\nph = ph == 2 ? 0 : ph + s\n"));
  EXPECT_FALSE(IsRing(
      "s = s == 2 ? 0 : s + 1\nph = 1 - ph\nif i == 1 {\nph = s & 1\n}\n"));
  // Only the slot is.
  EXPECT_TRUE(IsRing("s = s == 2 ? 0 : s + 1\nph = s == N ? 1 - ph : ph\n"));
  EXPECT_FALSE(
      IsRing("s = s == 2 ? 0 : s + 1\nph = s == 0 ? 1 - ph : ph\n", "N & 1"));
}

// They come back to where they began before the slot has gone round.
TEST(CountRings, WhatGoesRoundUnevenlyIsNone) {
  for (const char* slot : {"s = c % 3", "s = c & 1", "s = c / 5"}) {
    EXPECT_EQ(
        Changes(CountRings, ir::Cat("    var c = 0\n    var s = 0\n"
                                    "    for i in 0..N {\n      st D[s], one\n"
                                    "      c = c == 8 ? 0 : c + 1\n      ",
                                    slot, "\n    }\n")),
        slot == std::string_view("s = c % 3"))
        << slot;
  }
}

// One of them begins anew.
TEST(CountRings, WhatBeginsApartIsNone) {
  EXPECT_FALSE(
      Changes(CountRings,
              "    var s = 0\n    for t in 0..3 {\n      var ph = 0\n"
              "      for i in 0..N {\n        st D[100 * ph + s], one\n"
              "        s = s + 1\n        if s == S {\n          s = 0\n"
              "          ph = 1 - ph\n        }\n      }\n    }\n"));
}

bool HasQuotient(const std::string& body) {
  return Changes(CompareProducts, body);
}

TEST(CompareProducts, WhereALoopEnds) {
  for (const char* end :
       {"cdiv(N, P)", "cdiv(N - cta.x, grid.x)", "N / P", "(N + P - 1) / P + 1",
        "cdiv(N, 2 * P) - 1", "(N - 7) / P + 2", "cdiv(N - 7, P) + 2",
        "cdiv(N - 7, P)", "(N - 3) / min(P, 2)"}) {
    EXPECT_TRUE(HasQuotient(ir::Cat("    let n = ", end,
                                    "\n    for t in 0..n {\n"
                                    "      st D[t], one\n    }\n")))
        << end;
    EXPECT_TRUE(
        HasQuotient(ir::Cat("    for t in 1..", end,
                            " step 2 {\n      st D[t + P], one\n"
                            "      if t == 5 {\n        break\n      }\n"
                            "    }\n")))
        << end;
  }
}

TEST(CompareProducts, HoweverItIsCompared) {
  for (const char* compared :
       {"t < n", "t <= n", "n > t", "n >= t", "t == n - 1", "t + 1 != n",
        "n == t", "!(t < n - 2)", "t < n && t > 1", "t >= n + 1"}) {
    for (const char* number : {"cdiv(N, P)", "N / P"}) {
      EXPECT_TRUE(HasQuotient(
          ir::Cat("    let n = ", number, "\n    for t in 0..24 {\n      if ",
                  compared, " {\n        st D[t], one\n      }\n    }\n")))
          << compared;
    }
  }
}

TEST(CompareProducts, OnlyByWhatIsPositiveAndStays) {
  // By a constant, quotients are numbers.
  EXPECT_FALSE(
      HasQuotient("    for t in 0..N / 2 {\n      st D[t], one\n    }\n"));
  // Of a variable, which may have another value by now.
  EXPECT_FALSE(HasQuotient(
      "    var v = N\n    let n = v / P\n    v = 0\n    for t in 0..n {\n"
      "      st D[t], one\n    }\n"));
  // Goes on with the next turn before the counter does.
  EXPECT_FALSE(HasQuotient(
      "    for t in 0..N / P {\n      if t == 1 {\n        continue\n      }\n"
      "      st D[t], one\n    }\n"));
}

// --- loops that end where what they do ends ----------------------------------

// Six iterations of that, from `low` on.
bool Ends(const std::string& iteration, const std::string& low = "0") {
  return Changes(
      [](const ir::Overrides&, ir::Kernel& k) {
        return !EndGuardedLoops(k).empty();
      },
      ir::Cat("    for i in ", low, "..6 {\n", iteration, "    }\n"));
}

TEST(EndGuardedLoops, HoweverTheGuardIsWritten) {
  const std::string store = "st D[i], one\n";
  EXPECT_TRUE(Ends("if i < N {\n" + store + "}\n"));
  EXPECT_TRUE(Ends("if N > 2 + i {\n" + store + "}\n", "1"));
  EXPECT_TRUE(Ends("if i - 1 <= N {\n" + store + "}\n"));
  EXPECT_TRUE(Ends("if N >= i + cta.x {\n" + store + "}\n", "N"));
  EXPECT_TRUE(
      Ends("let r = cta.x * 6\nlet j = r + i\nif j < N {\nst D[j], one\n"
           "if j == 3 {\nbreak\n}\nst D[r], one\n}\n"));
}

TEST(EndGuardedLoops, NotWhereAnythingElseIsDone) {
  const std::string store = "st D[i], one\n";
  EXPECT_FALSE(Ends("if i < N {\n" + store + "} else {\nst D[9], one\n}\n"));
  EXPECT_FALSE(Ends("if i < N {\n" + store + "}\nst D[9], one\n"));
  EXPECT_FALSE(Ends("st D[9], one\nif i < N {\n" + store + "}\n"));
  EXPECT_FALSE(Ends("if 2 * i < N {\n" + store + "}\n"));
  EXPECT_FALSE(Ends("if P - i < N {\n" + store + "}\n"));
  EXPECT_FALSE(Ends("if i + i < N {\n" + store + "}\n"));
  EXPECT_FALSE(Ends("if i < N && i < 3 {\n" + store + "}\n"));
  EXPECT_FALSE(Ends("if i < one + 2 {\nst D[i], one\none = one + 1\n}\n"));
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
