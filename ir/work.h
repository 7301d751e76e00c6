// How much useful work a program does: what its TFLOP/s are of. Counted from
// the `computes` lines that hold, not from what the kernel executes, so that a
// kernel gains nothing by multiplying what nobody asked for:
//
//   A * B                   2 * rows(A) * cols(A) * cols(B)
//   causal(Q * K)           only the products on and below the diagonal
//   softmax(causal(S)) * V  only what is not masked is multiplied
#ifndef TILESIM_IR_WORK_H_
#define TILESIM_IR_WORK_H_

#include <vector>

#include "ir/bind.h"

namespace tilesim::ir {

struct Work {
  double flops = 0;        // 2 for each multiply-add of a matrix product
  double peak_factor = 1;  // rate of the operand type, relative to 16 bits
};
Work WorkOf(const std::vector<BoundKernel>& kernels);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_WORK_H_
