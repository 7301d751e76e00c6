// What a program has on the GPU while it is run: its code, its tensors, where
// it reports to; launches, and what is copied back.
#ifndef TILESIM_HWTESTS_RUN_SESSION_H_
#define TILESIM_HWTESTS_RUN_SESSION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hwtests/run/device.h"
#include "hwtests/run/run.h"
#include "nlohmann/json.hpp"

namespace tilesim::hwtests {

struct DeviceReport;  // tile::Report of the device header

class Session {
 public:
  using json = nlohmann::json;

  Session(const Gpu& gpu, LaunchPlan plan, json job, std::string directory)
      : gpu_(gpu),
        cuda_(gpu.driver()),
        plan_(std::move(plan)),
        job_(std::move(job)),
        directory_(std::move(directory)) {}

 protected:
  std::string File(const std::string& name) const;
  // module_ is the one loaded last.
  absl::Status LoadModule(const std::string& file,
                          std::vector<cuda::Function>* functions);
  absl::Status AllocateGlobals();
  // Before every launch: what the kernels wrote starts again as it was.
  absl::Status ResetGlobals();
  absl::Status EncodeMaps();
  absl::Status SetSymbol(const char* symbol, const void* value, size_t bytes);
  // The report lies in host memory, which stays readable after a trap.
  absl::Status PrepareReport();
  absl::Status PrepareCycles();
  absl::Status Launch();
  absl::Status LaunchStamped(const std::vector<cuda::DevicePtr>& rooms);
  // `room`: where the stamps of code that has them go.
  absl::Status LaunchKernel(const KernelPlan& k, cuda::Function f,
                            cuda::DevicePtr room = 0);
  absl::Status Finish(std::string_view what);
  absl::StatusOr<std::string> ReadOutputs();
  absl::Status CopyOutputs(const std::string& prefix);
  absl::Status CopyCycles(json* result);
  absl::Status PrepareTrace();
  absl::Status CopyTrace();

  const Gpu& gpu_;
  const cuda::Driver& cuda_;
  LaunchPlan plan_;
  json job_;
  std::string directory_;
  cuda::Module module_ = nullptr;
  std::vector<cuda::Function> functions_;
  std::vector<cuda::Function> stamped_;  // likewise, with stamps
  std::vector<cuda::DevicePtr> memory_;  // of plan_.globals
  std::vector<std::string> inputs_;      // likewise; empty: none
  std::vector<cuda::TensorMap> maps_;
  std::vector<cuda::DevicePtr> cycles_;
  cuda::DevicePtr trace_ = 0;
  size_t trace_bytes_ = 0;
  DeviceReport* report_ = nullptr;
  bool first_reset_ = true;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_SESSION_H_
