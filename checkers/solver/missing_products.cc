#include "checkers/solver/missing_products.h"

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checkers/solver/consequences.h"

namespace tilesim::checkers::solver {
namespace {

constexpr int kProductRounds = 2;  // a product may make another one missing
constexpr size_t kMostAdded = 24;
constexpr size_t kFewest = 2;  // products of a factor
// Variables of an equation that are multiplied: what two parties share is
// mostly one, of some numbers of each.
constexpr size_t kMostOfEquation = 4;

// The variables of which a factor has products, and those products.
using Multiplied = std::map<Var, Linear>;

class Adder {
 public:
  Adder(const Bounds& bounds, Node& root, Problem& problem)
      : root_(root), problem_(problem) {
    for (const Product& p : problem.products) {
      Note(p, p.a, p.b);
      if (p.a != p.b) Note(p, p.b, p.a);
      for (const auto& [v, c] : p.value.terms()) values_.insert(v);
    }
    std::erase_if(factors_, [&](const auto& f) {
      return f.second.products < kFewest || bounds.MayHold(Lt(f.first, 1));
    });
  }

  bool Run() {
    AddEquations();
    for (auto& [factor, known] : factors_) OfSums(factor, known);
    for (int round = 0; round < kProductRounds; ++round) {
      for (bool equations : {true, false}) {
        for (auto& [factor, known] : factors_)
          OfFacts(equations, factor, known);
      }
    }
    return added_ > 0;
  }

 private:
  struct Factor {
    size_t products = 0;
    Multiplied of;
    std::vector<std::pair<Linear, Linear>> sums;  // and their products
  };

  void Note(const Product& p, const Linear& of, const Linear& factor) {
    if (of.is_constant()) return;
    Factor& f = factors_[factor];
    ++f.products;
    if (auto v = of.variable()) {
      f.of.emplace(*v, p.value);
    } else {
      f.sums.emplace_back(of, p.value);
    }
  }

  // Two inequalities that are an equation, as of boxes that begin where another
  // does.
  void AddEquations() {
    std::set<Linear> natural;
    std::vector<Fact> equations;
    for (const Fact& f : root_.facts) {
      if (f.zero || f.linear.is_constant()) continue;
      const Linear l = f.linear.Narrowed();
      natural.insert(l);
      if (natural.count(-l) != 0) equations.push_back({l, true, 0});
    }
    for (Fact& f : equations) Consequences::AddNew(root_, std::move(f));
  }

  // What is the value of a product is not multiplied again: what that is, is
  // linear in nothing that a problem has.
  bool Add(Var v, const Linear& factor, Factor& known) {
    if (known.of.count(v) != 0) return true;
    if (values_.count(v) != 0 || added_ == kMostAdded) return false;
    ++added_;
    Linear value = Linear::Of(problem_.New());
    problem_.products.push_back({value, Linear::Of(v), factor});
    known.of.emplace(v, value);
    return true;
  }

  void OfSums(const Linear& factor, Factor& known) {
    for (const auto& [sum, product] : known.sums) {
      Linear parts = factor * sum.constant();
      bool all = true;
      for (const auto& [v, c] : sum.terms()) {
        all = all && Add(v, factor, known);
        if (all) parts += known.of.at(v) * c;
      }
      if (all && !parts.overflowed())
        root_.facts.push_back({product - parts, true, 0});
    }
  }

  void OfFacts(bool equations, const Linear& factor, Factor& known) {
    for (const Fact& f : root_.facts) {
      if (f.zero != equations) continue;
      for (Var v : MissingOf(f, known.of)) Add(v, factor, known);
    }
  }

  // The variables of a fact that have no product, where they are few enough.
  static std::vector<Var> MissingOf(const Fact& fact, const Multiplied& known) {
    std::vector<Var> out;
    for (const auto& [v, c] : fact.linear.terms()) {
      if (known.count(v) == 0) out.push_back(v);
    }
    const size_t most = fact.zero ? kMostOfEquation : 1;
    if (out.size() > most || out.size() == fact.linear.terms().size())
      out.clear();
    return out;
  }

  Node& root_;
  Problem& problem_;
  std::map<Linear, Factor> factors_;
  std::set<Var> values_;  // of products
  size_t added_ = 0;
};

}  // namespace

// docs/all_sizes.md 6.7.
bool AddMissingProducts(const Bounds& bounds, Node& root, Problem& problem) {
  return Adder(bounds, root, problem).Run();
}

}  // namespace tilesim::checkers::solver
