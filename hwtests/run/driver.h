// libcuda.so.1, opened at run time.
//
//   absl::StatusOr<Driver> cuda = OpenDriver();
//   if (cuda.ok()) cuda->Init(0);
#ifndef TILESIM_HWTESTS_RUN_DRIVER_H_
#define TILESIM_HWTESTS_RUN_DRIVER_H_

#include <string>

#include "absl/status/statusor.h"
#include "hwtests/run/cuda_api.h"

namespace tilesim::hwtests::cuda {

struct Driver {
#define DRIVER(member, symbol, parameters) Result(*member) parameters = nullptr;
#include "hwtests/run/driver.def"
#undef DRIVER
};

// NotFound without a driver, or with one that lacks a function.
absl::StatusOr<Driver> OpenDriver();

// "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
std::string ErrorText(const Driver& driver, Result result);

}  // namespace tilesim::hwtests::cuda

#endif  // TILESIM_HWTESTS_RUN_DRIVER_H_
