// How much useful work a program does, from its `computes` lines: what
// TFLOP/s and GB/s are of.
#ifndef TILESIM_CLI_WORK_H_
#define TILESIM_CLI_WORK_H_

#include "sim/arch/arch.h"
#include "sim/machine/code.h"

namespace tilesim::cli {

struct Work {
  double flops = 0;        // 2 for each multiply-add of a matrix product
  double peak_factor = 1;  // rate of the operand type, relative to 16 bits
};
Work WorkOf(const std::vector<machine::Code>& codes);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_WORK_H_
