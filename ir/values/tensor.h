// A dense tensor of codes in C order: what is read from and written to a file.
//
// Units: extents in elements; `data` is packed as dtype.h says, each row of
// e2m1 two codes a byte, so that its last extent must be even.
#ifndef TILESIM_IR_VALUES_TENSOR_H_
#define TILESIM_IR_VALUES_TENSOR_H_

#include <cstdint>
#include <vector>

#include "ir/values/dtype.h"

namespace tilesim::values {

struct Tensor {
  DType type = DType::kF32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;

  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t extent : shape) product *= extent;
    return product;
  }
};

}  // namespace tilesim::values

#endif  // TILESIM_IR_VALUES_TENSOR_H_
