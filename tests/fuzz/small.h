// A program at sizes that run in a blink.
#ifndef TILESIM_TESTS_FUZZ_SMALL_H_
#define TILESIM_TESTS_FUZZ_SMALL_H_

#include <optional>
#include <vector>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::fuzz {

struct SmallProgram {
  ir::Overrides sizes;  // every parameter
  std::vector<ir::BoundKernel> kernels;
};

// Each parameter at the smallest value with which all kernels can be launched,
// else at its default. nullopt: they cannot, or even so have more CTAs, bytes
// or statements than a fuzzer has time for.
std::optional<SmallProgram> MakeSmall(const ir::Program& program,
                                      int64_t sm_count);

}  // namespace tilesim::fuzz

#endif  // TILESIM_TESTS_FUZZ_SMALL_H_
