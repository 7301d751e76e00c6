#include "ir/values/compare.h"

#include <cmath>
#include <limits>

#include "ir/values/check.h"
#include "ir/values/convert.h"

namespace tilesim::values {
namespace {

struct Element {
  double got;
  double want;
  bool equal;  // in bits
};

double AbsError(const Element& e) {
  if (e.got == e.want) return 0;  // equal infinities too
  return std::fabs(e.got - e.want);
}

double RelError(double abs_error, double want) {
  if (abs_error == 0) return 0;
  if (want == 0) return std::numeric_limits<double>::infinity();
  return std::isinf(want) ? abs_error : abs_error / std::fabs(want);
}

// Adds elements one by one; the norms are sums of squares in double.
class Accumulator {
 public:
  explicit Accumulator(std::span<const double> bounds) : bounds_(bounds) {}

  void Add(int64_t index, const Element& e) {
    ++result_.count;
    if (e.equal) {
      ++result_.equal;
    } else if (!result_.first_mismatch) {
      result_.first_mismatch = index;
    }
    if (Passes(index, e)) {
      ++result_.passed;
    } else if (!result_.first_failure) {
      result_.first_failure = index;
    }
    AddError(index, e);
  }

  Comparison Finish() {
    if (error_squares_ > 0) {
      result_.norm_error = std::sqrt(error_squares_ / want_squares_);
    }
    return result_;
  }

 private:
  bool Passes(int64_t index, const Element& e) const {
    if (e.equal) return true;
    if (bounds_.empty()) return false;
    if (std::isnan(e.got) || std::isnan(e.want)) {
      return std::isnan(e.got) && std::isnan(e.want);
    }
    return AbsError(e) <= bounds_[bounds_.size() == 1 ? 0 : index];
  }

  void AddError(int64_t index, const Element& e) {
    if (std::isnan(e.got) || std::isnan(e.want)) {
      result_.nan_mismatch += std::isnan(e.got) != std::isnan(e.want);
      return;
    }
    const double error = AbsError(e);
    if (error > result_.max_abs_error) {
      result_.max_abs_error = error;
      result_.max_abs_index = index;
    }
    result_.max_rel_error =
        std::fmax(result_.max_rel_error, RelError(error, e.want));
    error_squares_ += error * error;
    // Equal infinities would swallow the rest of the norm.
    if (!(e.equal && std::isinf(e.want))) want_squares_ += e.want * e.want;
  }

  std::span<const double> bounds_;
  Comparison result_;
  double error_squares_ = 0;
  double want_squares_ = 0;
};

void CheckBounds(std::span<const double> bounds, size_t count) {
  Check(bounds.size() <= 1 || bounds.size() == count,
        "compare: bounds must be none, one or one an element");
}

uint64_t SignificantBits(DType type, uint64_t code) {
  const DTypeInfo& info = Info(type);
  const int top = 64 - info.code_bits();
  return (code << top) >> top >> info.pad_bits();
}

}  // namespace

Comparison Compare(DType type, const void* got, const void* want, size_t count,
                   std::span<const double> bounds) {
  CheckBounds(bounds, count);
  Accumulator sum(bounds);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t g = LoadCode(type, got, i);
    const uint64_t w = LoadCode(type, want, i);
    const bool equal = SignificantBits(type, g) == SignificantBits(type, w);
    sum.Add(i, {Decode(type, g), Decode(type, w), equal});
  }
  return sum.Finish();
}

Comparison CompareToExact(DType type, const void* got, const double* want,
                          size_t count, std::span<const double> bounds) {
  CheckBounds(bounds, count);
  Accumulator sum(bounds);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t g = LoadCode(type, got, i);
    const uint64_t w = Encode(type, want[i]);
    const bool equal = SignificantBits(type, g) == SignificantBits(type, w);
    sum.Add(i, {Decode(type, g), want[i], equal});
  }
  return sum.Finish();
}

}  // namespace tilesim::values
