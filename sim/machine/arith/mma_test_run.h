// Runs the same inputs through mma.h and through the reference, on codes.
#ifndef TILESIM_SIM_MACHINE_ARITH_MMA_TEST_RUN_H_
#define TILESIM_SIM_MACHINE_ARITH_MMA_TEST_RUN_H_

#include <cstdint>
#include <vector>

#include "sim/machine/arith/mma_rule.h"
#include "sim/machine/arith/mma_test_inputs.h"

namespace tilesim::arith {

// D as codes, m*n.
std::vector<uint32_t> RunFast(const MmaRule& rule, const Inputs& inputs);
std::vector<uint32_t> RunReference(const MmaRule& rule, const Inputs& inputs);

// Type pairs that a rule's class takes: all on the diagonal, and mixes.
std::vector<std::pair<DType, DType>> TypePairs(const MmaRule& rule);

}  // namespace tilesim::arith

#endif  // TILESIM_SIM_MACHINE_ARITH_MMA_TEST_RUN_H_
