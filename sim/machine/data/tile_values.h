// Register tiles as numbers and back.
#ifndef TILESIM_SIM_MACHINE_DATA_TILE_VALUES_H_
#define TILESIM_SIM_MACHINE_DATA_TILE_VALUES_H_

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/machine/data/dense.h"
#include "sim/machine/data/integers.h"
#include "sim/machine/data/job.h"

namespace tilesim::machine {

// The numbers of a box. T is float, double or int64_t.
template <typename T>
std::vector<T> NumbersOf(const Dense& in) {
  std::vector<T> out(in.elements());
  for (int64_t r = 0; r < in.rows; ++r) {
    T* row = out.data() + r * in.cols;
    if constexpr (!std::is_same_v<T, int64_t>) {
      if (values::BitsOf(in.type) < 64) {
        values::DecodeArray(in.type, in.Row(r), in.cols, row);
        continue;
      }
    }
    for (int64_t c = 0; c < in.cols; ++c) {
      uint64_t code = values::LoadCode(in.type, in.Row(r), c);
      row[c] = values::IsFloat(in.type)
                   ? static_cast<T>(values::Decode(in.type, code))
                   : static_cast<T>(IntegerOf(in.type, code));
    }
  }
  return out;
}

// Rounded to nearest even; integers lose their upper bits.
template <typename T>
Dense CodesOf(ir::DType type, int64_t rows, int64_t cols,
              const std::vector<T>& numbers,
              values::EncodeOptions options = {}) {
  Dense out(type, rows, cols);
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = numbers.data() + r * cols;
    if constexpr (!std::is_same_v<T, int64_t>) {
      values::EncodeArray(type, row, cols, out.Row(r), options);
    } else {
      for (int64_t c = 0; c < cols; ++c)
        values::StoreCode(type, out.Row(r), c, static_cast<uint64_t>(row[c]));
    }
  }
  return out;
}

// Calls f with a null pointer to the type to compute in for `type`.
template <typename F>
void WithNumber(ir::DType type, F f) {
  if (type == ir::DType::kF32 || type == ir::DType::kTF32)
    return f(static_cast<float*>(nullptr));
  if (values::IsFloat(type)) return f(static_cast<double*>(nullptr));
  f(static_cast<int64_t*>(nullptr));
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_TILE_VALUES_H_
