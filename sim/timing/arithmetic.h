// What register arithmetic costs: ops, and instructions of compiled code.
#ifndef TILESIM_SIM_TIMING_ARITHMETIC_H_
#define TILESIM_SIM_TIMING_ARITHMETIC_H_

#include "sim/timing/cost.h"

namespace tilesim::timing {

// Whether the tensor core of the SM is busy: accumulators and arithmetic share
// the ports of the registers.
bool Beside(const CostContext& c);
// `time` cycles of a pipe, were all sub-cores to share it, by the op's warps.
SubCores::Work Use(const CostContext& c, SubCores& pipe, double time,
                   WarpPipe::By by);
// Cycles of the pipe that has min, max, conversions and integers, for so many
// instructions' elements.
double HalfTime(const CostContext& c, double count);

Cost Move(const CostContext& c);
// One FP32 instruction, or so many, for each element of an op's result.
Cost Alu(const CostContext& c, double per_element = 1);
// The same of instructions that only half of the lanes have.
Cost HalfAlu(const CostContext& c, double per_element = 1);
Cost Mufu(const CostContext& c);
Cost Convert(const CostContext& c);
// row.max on the pipe `half`, row.sum: null.
Cost RowReduce(const CostContext& c, SubCores* pipe);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_ARITHMETIC_H_
