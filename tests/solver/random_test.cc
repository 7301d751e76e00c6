// Random problems: the solver against Z3, and against all points there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "checkers/grid/question.h"
#include "checkers/grid/terms.h"
#include "tests/solver/z3_oracle.h"

namespace tilesim::checkers::solver {
namespace {

constexpr unsigned kSteps = 300'000;

struct Tally {
  int none = 0, some = 0, unknown = 0, of_z3 = 0;

  void Add(Answer ours, Answer of_other) {
    none += ours == Answer::kNone;
    some += ours == Answer::kSome;
    unknown += ours == Answer::kUnknown;
    of_z3 += of_other == Answer::kUnknown;
  }
  void Print(const char* what) const {
    std::printf("%s: %d none, %d some, %d unknown; %d unknown to Z3\n", what,
                none, some, unknown, of_z3);
  }
};

// TILESIM_SOLVER_PROBLEMS=5000 for more of them, TILESIM_SOLVER_SEED for
// others.
int NumberIn(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

class Random {
 public:
  explicit Random(uint32_t seed) : random_(seed) {}

  int Below(int n) { return static_cast<int>(random_() % n); }
  int Between(int low, int high) { return low + Below(high - low + 1); }
  bool One(int of) { return Below(of) == 0; }

 private:
  std::mt19937 random_;
};

// What both say of one problem is the same, as far as they say anything.
void Compare(const Problem& p, const Point& ours, Tally& tally,
             const std::string& what) {
  const Point z3 = AskZ3(p, kSteps);
  tally.Add(ours.answer, z3.answer);
  if (ours.answer == Answer::kNone) {
    EXPECT_NE(z3.answer, Answer::kSome) << what << ": Z3 has a model\n"
                                        << TextOf(p);
  }
  if (ours.answer == Answer::kSome) {
    EXPECT_NE(z3.answer, Answer::kNone) << what << ": Z3 refuses our point";
    EXPECT_EQ(ViolatedBy(p, ours.values), "") << what;
  }
  if (z3.answer == Answer::kSome && !z3.values.empty()) {
    EXPECT_EQ(ViolatedBy(p, z3.values), "") << what << ": the point of Z3";
  }
}

// --- problems of the solver's own shape
// ---------------------------------------

class ProblemMaker {
 public:
  explicit ProblemMaker(uint32_t seed) : random_(seed) {}

  Problem Make() {
    Problem p;
    const int free = random_.Between(2, 4);
    for (int i = 0; i < free; ++i) {
      Linear v = Linear::Of(p.New());
      int low = random_.One(3) ? -5 : random_.Below(2);
      p.formulas.push_back(Ge(v, low));
      p.formulas.push_back(Le(v, low + random_.Between(2, 9)));
    }
    const int products = random_.Between(1, 3);
    const Linear shared = Some(p);  // a factor of several
    for (int i = 0; i < products; ++i) {
      Linear a = Some(p), b = random_.One(2) ? shared : Some(p);
      Linear v = Linear::Of(p.New());
      p.products.push_back({v, a, b, random_.One(2) ? 0 : i});
    }
    const int formulas = random_.Between(2, 4);
    for (int i = 0; i < formulas; ++i) p.formulas.push_back(Make(p, 2));
    if (random_.One(3)) {
      Linear difference = Some(p) - Some(p);
      p.congruences.push_back({{Some(p) - Some(p)}, difference});
    }
    return p;
  }

 private:
  Linear Some(const Problem& p) {
    Linear out = random_.Between(-3, 3);
    for (int i = random_.Between(1, 2); i > 0; --i)
      out += Linear::Of(random_.Below(p.variables)) *
             (random_.One(3) ? random_.Between(-4, 4) : 1);
    return out;
  }

  Formula Make(const Problem& p, int depth) {
    if (depth == 0 || random_.One(2)) {
      Linear l = Some(p) - Some(p);
      return random_.One(3) ? Eq(l, 0) : random_.One(4) ? Ne(l, 0) : Ge(l, 1);
    }
    std::vector<Formula> parts;
    for (int i = random_.Between(2, 3); i > 0; --i)
      parts.push_back(Make(p, depth - 1));
    Formula out =
        random_.One(3) ? All(std::move(parts)) : Any(std::move(parts));
    return random_.One(5) ? Not(out) : out;
  }

  Random random_;
};

TEST(SolverAgainstZ3, OnRandomProblems) {
  const int problems = NumberIn("TILESIM_SOLVER_PROBLEMS", 400);
  const uint32_t first = NumberIn("TILESIM_SOLVER_SEED", 1);
  Tally tally;
  for (int i = 0; i < problems; ++i) {
    Problem p = ProblemMaker(first + i).Make();
    Compare(p, Solve(p), tally, "seed " + std::to_string(first + i));
  }
  tally.Print("random problems");
  EXPECT_GE(tally.none * 10, problems);
  EXPECT_GE(tally.some * 10, problems);
  EXPECT_LE(tally.of_z3 * 10, problems);
}

// --- index arithmetic
// ----------------------------------------------------------

using grid::Question;
using grid::Terms;
using Cta = Question::Cta;

// What a CTA that divides by 0 has of an expression: nothing.
using Value = std::optional<int64_t>;
using Values = std::vector<int64_t>;  // by variable

// An expression, for the solver and for C.
struct Expression {
  Linear term;
  std::function<Value(const Values&)> at;
};

using Apply = std::function<Value(int64_t, int64_t)>;

Expression Of(Linear term, const Expression& a, const Expression& b, Apply f) {
  return {std::move(term), [a, b, f](const Values& v) -> Value {
            Value x = a.at(v), y = b.at(v);
            return x && y ? f(*x, *y) : std::nullopt;
          }};
}

// Index arithmetic over a few variables: those of the launch first, then those
// of a CTA.
class ExpressionMaker {
 public:
  struct Variable {
    Linear term;
    int low = 0, high = 0;
    bool of_launch = false;
  };

  explicit ExpressionMaker(uint32_t seed) : random_(seed) {
    for (int i = 0; i < 4; ++i) {
      Variable v;
      v.of_launch = i < 2;
      v.low = v.of_launch ? 1 : random_.One(4) ? -3 : 0;
      v.high = v.low + random_.Between(2, 5);
      v.term = terms.New("", v.of_launch, v.low, v.high);
      variables.push_back(v);
    }
  }

  Expression Make(int depth) {
    if (depth == 0 || random_.One(6)) return Leaf();
    Expression a = Make(depth - 1), b = Make(depth - 1);
    switch (random_.Below(8)) {
      case 0:
        return Of(a.term + b.term, a, b,
                  [](int64_t x, int64_t y) { return x + y; });
      case 1:
        return Of(a.term - b.term, a, b,
                  [](int64_t x, int64_t y) { return x - y; });
      case 2:
        return Of(terms.Multiply(a.term, b.term), a, b,
                  [](int64_t x, int64_t y) { return x * y; });
      case 3:
        return Of(terms.Min(a.term, b.term), a, b,
                  [](int64_t x, int64_t y) { return std::min(x, y); });
      case 4:
        return Of(terms.Max(a.term, b.term), a, b,
                  [](int64_t x, int64_t y) { return std::max(x, y); });
      case 5:
        return Of(terms.Select(Ge(a.term, b.term), a.term, b.term + 1), a, b,
                  [](int64_t x, int64_t y) { return x >= y ? x : y + 1; });
      default:
        return Quotient(a, b);
    }
  }

  Terms terms;
  std::vector<Variable> variables;

 private:
  Expression Leaf() {
    if (random_.One(3)) {
      int64_t n = random_.Between(-2, 5);
      return {n, [n](const Values&) { return n; }};
    }
    auto i = static_cast<size_t>(random_.Below(4));
    return {variables[i].term, [i](const Values& v) { return v[i]; }};
  }

  // A constant 0 is not divided by: the text may not.
  Expression Quotient(const Expression& a, const Expression& b) {
    if (b.term == Linear(0)) return a;
    if (random_.One(2)) {
      return Of(terms.Divide(a.term, b.term), a, b,
                [](int64_t x, int64_t y) -> Value {
                  return y == 0 ? std::nullopt : Value(x / y);
                });
    }
    return Of(terms.Remainder(a.term, b.term), a, b,
              [](int64_t x, int64_t y) -> Value {
                return y == 0 ? std::nullopt : Value(x % y);
              });
  }

  Random random_;
};

// A question about two CTAs: their places differ, and an expression of the one
// is that of the other (or less by `less`).
class Case {
 public:
  explicit Case(uint32_t seed)
      : maker_(seed),
        index_(maker_.Make(3)),
        beside_(maker_.Make(2)),
        less_(static_cast<int>(seed % 3)) {}

  void Judge(Tally& tally, const std::string& what) {
    std::optional<Problem> problem;
    Point ours;
    Question q(maker_.terms);
    Ask(q);
    {
      Observer observer([&](const Problem& p, const Point&) { problem = p; });
      ours = q.Answer({});
    }
    ASSERT_TRUE(problem);
    Compare(*problem, ours, tally, what);
    if (ours.answer == Answer::kNone) {
      EXPECT_FALSE(AnyPoint()) << what << ": C has a point";
    }
    if (ours.answer == Answer::kSome) {
      auto values = [&](Cta cta) {
        Values out;
        for (const auto& v : maker_.variables)
          out.push_back(q.ValueOf(v.term, cta, ours.values));
        return out;
      };
      EXPECT_TRUE(
          Holds(values(Cta::kFirst), values(Cta::kSecond)).value_or(true))
          << what << ": not so in C";
    }
  }

 private:
  void Ask(Question& q) {
    std::vector<Formula> differ;
    for (const auto& v : maker_.variables) {
      Linear first = q.Of(v.term, Cta::kFirst);
      Linear second = q.Of(v.term, Cta::kSecond);
      if (!v.of_launch) differ.push_back(Ne(first, second));
    }
    q.Require(Any(std::move(differ)));
    q.Require(Eq(q.Of(index_.term, Cta::kFirst) + less_,
                 q.Of(index_.term, Cta::kSecond)));
    q.Require(
        Ge(q.Of(beside_.term, Cta::kFirst), q.Of(index_.term, Cta::kSecond)));
  }

  // nullopt: one of them divides by 0.
  std::optional<bool> Holds(const Values& first, const Values& second) const {
    Value a = index_.at(first), b = index_.at(second), c = beside_.at(first);
    if (!a || !b || !c) return std::nullopt;
    return first != second && *a + less_ == *b && *c >= *b;
  }

  bool AnyPoint() const {
    Values first;
    return Try(first);
  }

  // All values of both; those of the launch are the same.
  bool Try(Values& values) const {
    const size_t n = values.size(), all = maker_.variables.size();
    if (n == all + 2) {
      Values first(values.begin(), values.begin() + 4);
      Values second{values[0], values[1], values[4], values[5]};
      return Holds(first, second).value_or(false);
    }
    const auto& v = maker_.variables[n < all ? n : n - 2];
    for (int value = v.low; value <= v.high; ++value) {
      values.push_back(value);
      if (Try(values)) return true;
      values.pop_back();
    }
    return false;
  }

  ExpressionMaker maker_;
  Expression index_, beside_;
  int less_;
};

TEST(SolverAgainstZ3, OnRandomIndexArithmetic) {
  const int problems = NumberIn("TILESIM_SOLVER_PROBLEMS", 300);
  const uint32_t first = NumberIn("TILESIM_SOLVER_SEED", 1);
  Tally tally;
  for (int i = 0; i < problems; ++i)
    Case(first + i).Judge(tally, "seed " + std::to_string(first + i));
  tally.Print("random index arithmetic");
  EXPECT_GE(tally.none * 10, problems);
  EXPECT_GE(tally.some * 10, problems);
}

}  // namespace
}  // namespace tilesim::checkers::solver
