// Matrices in f64 with a bound on what a correct kernel may differ by, and the
// functions of `computes` that need no tensor core.
//
// Errors: none; a bound is infinite where nothing can be said, as of 1 / x when
// x may be 0.
#ifndef TILESIM_SIM_MACHINE_DATA_BOUNDED_H_
#define TILESIM_SIM_MACHINE_DATA_BOUNDED_H_

#include <cstdint>
#include <string_view>

#include "Eigen/Core"

namespace tilesim::machine {

using Matrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Values, and how far a correct kernel may be from each.
struct Bounded {
  Matrix value;
  Matrix bound;  // empty: all zeros

  bool exact() const { return bound.size() == 0; }
};

// One row or column repeated to that many.
void Repeat(int64_t rows, int64_t cols, Bounded& x);

// What was computed is kept in f32 before it is computed with: half an ulp of
// each value that f32 does not have. Where such values cancel, it is more than
// the rounding of the result.
void AddRounding(Bounded& x);

// Element by element, of matrices of one shape.
Bounded Add(Bounded a, Bounded b);
Bounded Subtract(Bounded a, Bounded b);
Bounded Multiply(const Bounded& a, const Bounded& b);
Bounded Divide(const Bounded& a, const Bounded& b);

// relu, exp2, rsqrt, sigmoid, silu, gelu: false if `name` is none of them.
bool ApplyFunction(std::string_view name, Bounded& x);

// row_sum, row_mean, row_max of whole rows: columns. A kernel may add in f32,
// in any order.
Bounded ReduceRows(std::string_view name, const Bounded& x);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_BOUNDED_H_
