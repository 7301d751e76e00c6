// A box of codes in C order, each row in whole bytes: what ops compute with.
#ifndef TILESIM_SIM_MACHINE_DATA_DENSE_H_
#define TILESIM_SIM_MACHINE_DATA_DENSE_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "ir/types.h"
#include "ir/values/convert.h"

namespace tilesim::machine {

struct Dense {
  ir::DType type = ir::DType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
  std::vector<uint8_t> data;

  Dense() = default;
  Dense(ir::DType t, int64_t r, int64_t c)
      : type(t), rows(r), cols(c), data(r * values::BytesOf(t, c)) {}

  int64_t pitch() const { return values::BytesOf(type, cols); }
  uint8_t* Row(int64_t r) { return data.data() + r * pitch(); }
  const uint8_t* Row(int64_t r) const { return data.data() + r * pitch(); }
  int64_t elements() const { return rows * cols; }
};

// Which elements of a box an op may touch; empty: all.
struct Mask {
  std::vector<uint8_t> held;  // rows x cols

  bool all() const { return held.empty(); }
  bool Has(int64_t row, int64_t col, int64_t cols) const {
    return held.empty() || held[row * cols + col] != 0;
  }
};

// `count` codes between packed arrays.
inline void CopyCodes(ir::DType type, uint8_t* to, int64_t to_index,
                      const uint8_t* from, int64_t from_index, int64_t count) {
  int bits = values::BitsOf(type);
  if (bits >= 8 || ((to_index | from_index | count) & 1) == 0) {
    std::memcpy(to + to_index * bits / 8, from + from_index * bits / 8,
                count * bits / 8);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    values::StoreCode(type, to, to_index + i,
                      values::LoadCode(type, from, from_index + i));
}

// The same codes, in C order, in another shape of as many elements.
inline Dense Reshaped(Dense in, int64_t rows, int64_t cols) {
  if (in.rows == rows && in.cols == cols) return in;
  Dense out(in.type, rows, cols);
  if (out.data.size() == in.data.size()) {
    out.data = std::move(in.data);
    return out;
  }
  for (int64_t i = 0; i < out.elements(); ++i)
    CopyCodes(out.type, out.Row(i / cols), i % cols, in.Row(i / in.cols),
              i % in.cols, 1);
  return out;
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_DENSE_H_
