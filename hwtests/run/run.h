// Runs lowered code on the GPU of this machine, in a child process that is
// killed when it takes too long.
//
//   HwJob job;
//   job.cuda = lowered.cuda;
//   job.plan = lowered.plan;
//   job.inputs["A"] = bytes;              // absent ones are zeros
//   absl::StatusOr<HwResult> result = RunOnDevice(job);
//   if (!result.ok()) std::cerr << Describe(result.status());
//
// The parent compiles (NVRTC needs no GPU), writes a directory, runs
// `child_command DIR` (tilesim hw-child, hw_probe --child) and reads results
// from the directory. Nothing of CUDA's driver is in the parent.
//
// Errors, by HwErrorOf: see HwError.
#ifndef TILESIM_HWTESTS_RUN_RUN_H_
#define TILESIM_HWTESTS_RUN_RUN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hwtests/emit/launch_plan.h"

namespace tilesim::hwtests {

enum class HwError : uint8_t {
  kNone,
  kNoDriver,
  kNoDevice,
  kNoNvrtc,
  kWrongArch,  // the device is not the program's target
  kCompile,    // with the compiler's log
  kLaunch,     // the driver refused something, or the kernel faulted
  kHang,       // the watchdog, or a bounded wait that expired
  kInternal,   // files, processes
};

struct HwJob {
  std::string cuda;
  LaunchPlan plan;
  // Bytes of each global by name, packed as values/dtype.h says.
  std::map<std::string, std::vector<uint8_t>> inputs;
  int warmups = 1;         // launches before the timed ones
  int repeats = 1;         // timed launches, one time each
  bool flush_l2 = false;   // before each timed launch
  bool measure_clock = true;
  double timeout_s = 10;   // of everything on the GPU
  uint8_t poison = 0xff;   // outputs start as this byte
  std::vector<std::string> child_command = {"/proc/self/exe", "hw-child"};
  std::string keep_directory;  // keep the exchange there, for a look
};

// Where a bounded wait expired.
struct WaitReport {
  std::string barrier;  // empty: a polling loop
  int64_t index = 0;
  int64_t parity = 0;
  std::string role;     // empty: outside roles
  int32_t line = 0;
  int64_t cta[3] = {0, 0, 0};
  int64_t cluster_rank = 0;
  int64_t thread = 0;

  std::string Text() const;
};

struct HwResult {
  // After the first launch: every global that the program writes.
  std::map<std::string, std::vector<uint8_t>> outputs;
  std::vector<double> times_us;  // of each timed launch of all kernels
  double clock_mhz = 0;          // SM clock, measured; 0: not
  double boost_mhz = 0;          // what the driver says is the highest
  int64_t sm_count = 0;
  // plan.cycles: of each CTA of each kernel, the longest of its warps.
  std::vector<std::vector<int64_t>> cta_cycles;
  std::string device;
  std::string driver;            // CUDA version that it supports
  std::string log;               // compiler's warnings
};

absl::StatusOr<HwResult> RunOnDevice(const HwJob& job);

HwError HwErrorOf(const absl::Status& status);
std::string_view Name(HwError error);
// The report of a hang, if a bounded wait left one.
std::optional<WaitReport> WaitReportOf(const absl::Status& status);

// The number of SMs of the first device, or why there is none. In a child too.
absl::StatusOr<int64_t> DeviceSmCount(
    const std::vector<std::string>& child_command);

// The child's main: does what DIR says, writes results there. The exit code is
// 0 even for failures that it could describe.
int HwChild(const std::string& directory);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_RUN_H_
