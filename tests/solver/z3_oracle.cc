#include "tests/solver/z3_oracle.h"

#include <z3++.h>

#include <algorithm>
#include <vector>

namespace tilesim::checkers::solver {
namespace {

class Translation {
 public:
  explicit Translation(const Problem& problem)
      : solver_(z3::tactic(context_, "smt").mk_solver()) {
    for (int v = 0; v < problem.variables; ++v)
      variables_.push_back(context_.int_const(std::to_string(v).c_str()));
    for (const Formula& f : problem.formulas) solver_.add(Of(f));
    for (const Product& p : problem.products)
      solver_.add(Of(p.value) == Of(p.a) * Of(p.b));
    for (const Congruence& c : problem.congruences) solver_.add(Of(c));
  }

  std::string Text() { return solver_.to_smt2(); }

  Point Ask(unsigned steps) {
    z3::params params(context_);
    params.set("rlimit", steps);
    // What it does before it searches counts no steps.
    params.set("timeout", 2'000u);
    solver_.set(params);
    switch (solver_.check()) {
      case z3::unsat:
        return {Answer::kNone, {}};
      case z3::sat:
        return {Answer::kSome, Values()};
      case z3::unknown:
        break;
    }
    return {};
  }

 private:
  z3::expr Of(const Linear& l) {
    z3::expr sum = context_.int_val(l.constant());
    for (const auto& [v, coefficient] : l.terms())
      sum = sum + context_.int_val(coefficient) * variables_[v];
    return sum;
  }

  z3::expr Of(const Formula& f) {
    if (f.kind == Formula::Kind::kGe) return Of(f.linear) >= 0;
    if (f.kind == Formula::Kind::kEq) return Of(f.linear) == 0;
    z3::expr_vector parts(context_);
    for (const Formula& part : f.parts) parts.push_back(Of(part));
    return f.kind == Formula::Kind::kAll ? z3::mk_and(parts) : z3::mk_or(parts);
  }

  z3::expr Of(const Congruence& c) {
    z3::expr_vector zero(context_);
    for (const Linear& l : c.zero) zero.push_back(Of(l) == 0);
    return z3::implies(z3::mk_and(zero), Of(c.difference) == 0);
  }

  // One that leaves 64 bits is beyond what the solver may answer.
  std::vector<int64_t> Values() {
    std::vector<int64_t> out;
    const z3::model model = solver_.get_model();
    for (const z3::expr& v : variables_) {
      int64_t value = 0;
      if (!model.eval(v, true).is_numeral_i64(value)) return {};
      out.push_back(value);
    }
    return out;
  }

  z3::context context_;
  z3::solver solver_;
  std::vector<z3::expr> variables_;
};

}  // namespace

Point AskZ3(const Problem& problem, unsigned steps) {
  return Translation(problem).Ask(steps);
}

std::string TextOf(const Problem& problem) {
  return Translation(problem).Text();
}

std::optional<std::string> ViolatedBy(const Problem& problem,
                                      std::span<const int64_t> values) {
  for (const Formula& f : problem.formulas) {
    std::optional<bool> holds = f.At(values);
    if (!holds) return std::nullopt;
    if (!*holds) return "a formula";
  }
  for (const Product& p : problem.products) {
    auto value = p.value.At(values), a = p.a.At(values), b = p.b.At(values);
    int64_t exact = 0;
    if (!value || !a || !b || __builtin_mul_overflow(*a, *b, &exact))
      return std::nullopt;
    if (*value != exact) return "a product";
  }
  for (const Congruence& c : problem.congruences) {
    bool equal =
        std::all_of(c.zero.begin(), c.zero.end(),
                    [&](const Linear& l) { return l.At(values) == 0; });
    if (equal && c.difference.At(values) != 0) return "a congruence";
  }
  return "";
}

}  // namespace tilesim::checkers::solver
