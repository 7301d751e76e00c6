// libcublas, opened at run time: the same product beside ours. In the child.
#ifndef TILESIM_HWTESTS_RUN_CUBLAS_H_
#define TILESIM_HWTESTS_RUN_CUBLAS_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hwtests/run/cuda_api.h"
#include "hwtests/run/run.h"

namespace tilesim::hwtests {

// What launches `gemm` once, on the default stream, accumulating in f32;
// NotFound without the library, InvalidArgument for types it does not take.
// The library stays open.
absl::StatusOr<std::function<absl::Status()>> CublasGemm(const GemmPlan& gemm,
                                                         const LaunchPlan& plan,
                                                         cuda::DevicePtr a,
                                                         cuda::DevicePtr b,
                                                         cuda::DevicePtr d);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_CUBLAS_H_
