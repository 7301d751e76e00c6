// NVRTC, opened at run time: CUDA C++ to a cubin. Needs no GPU.
#ifndef TILESIM_HWTESTS_RUN_NVRTC_H_
#define TILESIM_HWTESTS_RUN_NVRTC_H_

#include <string>

#include "absl/status/statusor.h"
#include "ir/target.h"

namespace tilesim::hwtests {

struct Compiled {
  std::string cubin;
  std::string log;  // warnings
};

// NotFound: no NVRTC on this machine. InvalidArgument: the compiler's log.
absl::StatusOr<Compiled> CompileCuda(const std::string& source,
                                     ir::Target target);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_NVRTC_H_
