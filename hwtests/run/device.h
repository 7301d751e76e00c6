// One GPU, driven through the driver API: memory, modules, launches. Used in
// the child only.
#ifndef TILESIM_HWTESTS_RUN_DEVICE_H_
#define TILESIM_HWTESTS_RUN_DEVICE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hwtests/emit/launch_plan.h"
#include "hwtests/run/driver.h"

namespace tilesim::hwtests {

class Gpu {
 public:
  // kNoDriver, kNoDevice.
  static absl::StatusOr<Gpu> Open();

  const cuda::Driver& driver() const { return driver_; }
  std::string name() const;
  std::string driver_version() const;
  int Attribute(int which) const;
  // kWrongArch when code for `target` does not run here.
  absl::Status CheckArch(ir::Target target) const;

  // kLaunch with what the driver said.
  absl::Status Check(cuda::Result result, std::string_view doing) const;

  absl::StatusOr<cuda::DevicePtr> Allocate(int64_t bytes) const;

 private:
  cuda::Driver driver_;
  cuda::Device device_ = 0;
};

// The tensor map for memory at `base`.
absl::StatusOr<cuda::TensorMap> EncodeTensorMap(const Gpu& gpu,
                                                const TensorMapPlan& map,
                                                ir::DType dtype,
                                                cuda::DevicePtr base);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_DEVICE_H_
