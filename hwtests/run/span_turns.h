// Times launches that take turns, with and without stamps, in the child. What
// it measures is said in spans.h.
#ifndef TILESIM_HWTESTS_RUN_SPAN_TURNS_H_
#define TILESIM_HWTESTS_RUN_SPAN_TURNS_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hwtests/emit/launch_plan.h"
#include "hwtests/run/device.h"
#include "nlohmann/json_fwd.hpp"

namespace tilesim::hwtests {

class SpanTurns {
 public:
  using Launch = std::function<absl::Status()>;
  struct Launches {
    Launch reset;  // memory as it was before the first launch
    Launch plain;
    // With stamps, to these rooms, one a kernel.
    std::function<absl::Status(const std::vector<cuda::DevicePtr>&)> stamped;
  };

  SpanTurns(const Gpu& gpu, const LaunchPlan& plan, Launches launches)
      : gpu_(gpu), plan_(plan), launches_(std::move(launches)) {}

  // `module` has the helpers of MeasureSpans. `cold`: L2 holds other data
  // before each launch.
  absl::Status Open(cuda::Module module, bool cold);
  // Adds to the lists of `result` that SpanResultFrom reads.
  absl::Status Run(int warmup_ms, int repeats, nlohmann::json* result);

 private:
  absl::Status TakeTurns(nlohmann::json* result);
  absl::StatusOr<double> Timed(const Launch& launch, bool behind);
  absl::Status Stamps(nlohmann::json* spans);
  absl::Status Helper(cuda::Function f, unsigned ctas, unsigned threads,
                      void** args);

  const Gpu& gpu_;
  const LaunchPlan& plan_;
  Launches launches_;
  std::vector<cuda::DevicePtr> rooms_;
  cuda::Function spin_ = nullptr, flush_ = nullptr;
  cuda::DevicePtr other_ = 0;  // what L2 holds instead; 0: L2 is left as it is
  uint64_t other_bytes_ = 0;
  cuda::Event start_ = nullptr, stop_ = nullptr;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_SPAN_TURNS_H_
