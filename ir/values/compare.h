// How far two tensors of one format are apart.
//
//   Comparison c = Compare(DType::kF16, got, want, count);
//   if (!c.all_equal()) Report(c.first_mismatch, c.max_abs_error);
//
// Equal means bit-equal, tf32 padding ignored. With a bound (one for each
// element, or a single one for all) an element passes if it is bit-equal or
// |got - want| <= bound. -0 and +0 differ in bits but are 0 apart.
//
// NaN: two NaN of any payload pass with a bound, and count as equal only if
// their bits are; NaN against a number never passes. The same infinity twice
// is equal; Inf against anything else is an infinite error. Elements with NaN
// on either side stay out of the errors and norms, and are counted.
//
// Units: errors as numbers of the format, indices in elements. 64-bit integers
// are compared as double beyond their bits. Errors: none.
#ifndef TILESIM_IR_VALUES_COMPARE_H_
#define TILESIM_IR_VALUES_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ir/values/dtype.h"

namespace tilesim::values {

struct Comparison {
  int64_t count = 0;
  int64_t equal = 0;         // bit-equal elements
  int64_t passed = 0;        // bit-equal or within the bound
  int64_t nan_mismatch = 0;  // NaN on exactly one side
  double max_abs_error = 0;
  double max_rel_error = 0;  // |got - want| / |want|; Inf if want is 0
  double norm_error = 0;     // |got - want|_F / |want|_F; 0 if both are 0
  int64_t max_abs_index = -1;
  std::optional<int64_t> first_mismatch;  // not bit-equal
  std::optional<int64_t> first_failure;   // not passed

  bool all_equal() const { return equal == count; }
  bool all_passed() const { return passed == count; }
};

// Bounds: empty (only bit-equal passes), one, or `count`.
Comparison Compare(DType type, const void* got, const void* want, size_t count,
                   std::span<const double> bounds = {});

// A result against the exact or f64 one. Equal means that `got` has the bits
// of `want` rounded to nearest even.
Comparison CompareToExact(DType type, const void* got, const double* want,
                          size_t count, std::span<const double> bounds = {});

}  // namespace tilesim::values

#endif  // TILESIM_IR_VALUES_COMPARE_H_
