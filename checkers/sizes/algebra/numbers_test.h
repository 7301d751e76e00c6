// What tests write numbers with: n and m are symbols.
#ifndef TILESIM_CHECKERS_SIZES_ALGEBRA_NUMBERS_TEST_H_
#define TILESIM_CHECKERS_SIZES_ALGEBRA_NUMBERS_TEST_H_

#include <cstdint>
#include <utility>

#include "checkers/sizes/algebra/symbolic.h"

namespace tilesim::checkers::sizes::algebra {

constexpr Symbol kN = 0, kM = 1;

inline Polynomial N(int64_t times = 1) { return Polynomial::Of(kN, times); }
inline Polynomial M(int64_t times = 1) { return Polynomial::Of(kM, times); }
inline Polynomial C(int64_t n) { return Polynomial(n); }
inline Symbolic K(Polynomial p) { return Symbolic::Number(std::move(p)); }
inline Symbolic K(int64_t n) { return Symbolic::Number(n); }

}  // namespace tilesim::checkers::sizes::algebra

#endif  // TILESIM_CHECKERS_SIZES_ALGEBRA_NUMBERS_TEST_H_
