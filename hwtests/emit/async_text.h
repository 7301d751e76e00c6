// What the two tensor-core families share: accumulate along K, registers of
// operations in flight.
#ifndef TILESIM_HWTESTS_EMIT_ASYNC_TEXT_H_
#define TILESIM_HWTESTS_EMIT_ASYNC_TEXT_H_

#include <cstdint>
#include <string>

#include "hwtests/emit/op_emitter.h"

namespace tilesim::hwtests {

// Keeps the compiler from moving register tiles of asynchronous operations
// across this point.
void PinAsyncRegisters(OpEmitter& e);

// Whether instruction `kk` along K adds to the accumulator.
std::string AccumulateText(OpEmitter& e, int operand, const std::string& kk,
                           int64_t instructions);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_ASYNC_TEXT_H_
