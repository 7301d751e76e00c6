// When the CTAs of a launch ran, by stamps of the GPU's clock and of the SMs'
// clocks (EmitOptions::spans), and what the clock of the SMs was meanwhile.
//
//   RoomBytes(kernel)           what the kernel's last argument points to
//   SpanOf(plan, rooms, &span)  the rooms as they came back, one a kernel
//
// The clock in MHz is that of these very launches: cycles over nanoseconds,
// each summed over the SMs, from an SM's first start to its last end. The GPU's
// clock goes in steps of 32 ns, an SM's in cycles.
#ifndef TILESIM_HWTESTS_RUN_SPANS_H_
#define TILESIM_HWTESTS_RUN_SPANS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hwtests/run/run.h"
#include "nlohmann/json_fwd.hpp"

namespace tilesim::hwtests {

// One launch of all kernels.
struct Span {
  double ns = 0;          // from the first CTA's start to the last warp's end
  double clock_mhz = 0;   // of the SMs in that time
  double cta_cycles = 0;  // of a CTA, the median
  double longest_cycles = 0;  // of a CTA, the most
  double ramp_ns = 0;         // from the first SM's start to the last one's
  double drain_ns = 0;        // from the first SM's last end to the last one's
  int sms = 0;                // that had a CTA

  double cycles() const { return ns * clock_mhz / 1000; }
};

size_t RoomBytes(const KernelPlan& kernel);

// The share of elements all of whose bytes are `byte`.
double ShareOf(uint8_t byte, ir::DType dtype, std::string_view elements);

// kLaunch when a CTA or a warp has left no stamp.
absl::StatusOr<Span> SpanOf(const LaunchPlan& plan,
                            const std::vector<std::string>& rooms);

// Launches of the same program and inputs, which take turns: of the code with
// stamps, of the same code without, and of that once more, where the host
// launches it to an idle GPU. The others wait behind a kernel that spins until
// the host is done, so that their times are the GPU's alone.
struct SpanResult {
  std::vector<double> stamped_us;  // between events around a launch
  std::vector<double> plain_us;
  std::vector<double> host_us;
  std::vector<Span> spans;    // of the launches with stamps
  bool same_outputs = false;  // the code with stamps writes the same
  // Of each global that is written: the share of elements that still are what
  // they were before the launch, if that can be told.
  std::vector<std::pair<std::string, double>> unwritten;
  std::string device, driver, log;
};

// plain.repeats launches of each kind, after `warmup_ms` of launches. `stamped`
// is the same program, lowered with EmitOptions::spans. Errors: as RunOnDevice;
// kWrongArch where the GPU has other than `sms` SMs.
absl::StatusOr<SpanResult> MeasureSpans(const HwJob& plain,
                                        const std::string& stamped, int64_t sms,
                                        int warmup_ms);

// As the child says it to the parent, and as people get it.
nlohmann::json ToJson(const Span& span);
absl::StatusOr<SpanResult> SpanResultFrom(const nlohmann::json& json);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_SPANS_H_
