// Registers a thread: the estimate beside what ptxas 13.0 takes.
#include "sim/timing/registers.h"

#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {
}  // namespace
}  // namespace tilesim::timing
