// What products must satisfy, and where a point does not: their growth, and
// their value for each value of a factor.
#ifndef TILESIM_CHECKERS_SOLVER_PRODUCTS_H_
#define TILESIM_CHECKERS_SOLVER_PRODUCTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "checkers/solver/linear.h"
#include "checkers/solver/solver.h"

namespace tilesim::checkers::solver {

class Products {
 public:
  // Those of the problem, which must outlive it, as they are when it is asked.
  explicit Products(const Problem& problem) : problem_(problem) {}

  static bool Holds(const Product& p, std::span<const int64_t> at);
  // The formula, where it is violated at the point.
  static std::optional<Formula> Violated(Formula f,
                                         std::span<const int64_t> at);
  // What a product that is not one at the point must satisfy and does not.
  std::optional<Formula> ViolatedProduct(std::span<const int64_t> at) const;
  // What products must satisfy by which others, and do not at the point: first
  // those of one family, then those of one factor, then 0 * b and 1 * b.
  std::vector<Formula> ViolatedGrowth(std::span<const int64_t> at) const;

  // Of two products a * b and c * b: a - c, and their difference.
  template <typename F>
  void ForEachOfOneFactor(F f) const {
    for (const Product& p : problem_.products) {
      for (const Product& q : problem_.products) {
        if (&p == &q) continue;
        for (const auto& [a, b] : {std::pair(&p.a, &p.b), {&p.b, &p.a}}) {
          for (const auto& [c, d] : {std::pair(&q.a, &q.b), {&q.b, &q.a}}) {
            const Linear order = *b == *d ? *a - *c : Linear();
            if (!order.is_constant()) f(order, p.value - q.value);
          }
        }
      }
    }
  }

 private:
  std::optional<Formula> WithFamily(const Product& p, const Product& self,
                                    std::span<const int64_t> at) const;
  std::optional<Formula> WithFactor(const Product& p, const Product& self,
                                    std::span<const int64_t> at) const;
  std::optional<Formula> WithConstants(const Product& p, const Product& self,
                                       std::span<const int64_t> at) const;

  const Problem& problem_;
  static constexpr size_t kMostCompared = 16;
};

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_PRODUCTS_H_
