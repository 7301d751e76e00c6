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
// `child_command DIR` (tilesim hw-child) and reads results
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

// Stamps of one CTA. Clocks are SM cycles, low 32 bits.
struct TracedThread {
  int32_t thread = 0;
  uint32_t start = 0, end = 0;
  struct Stamp {
    uint32_t site, index, from, to;
  };
  std::vector<Stamp> stamps;
  uint32_t left_out = 0;
};
struct TracedCta {
  int32_t kernel = 0;
  int64_t cta = 0;  // linear
  int32_t sm = 0;
  uint64_t start_ns = 0;  // of the GPU's timer, at the first thread's start
  std::vector<TracedThread> threads;
};

// D[m, n] = A[m, k] * B, by indices into plan.globals. B is [n, k] or [k, n].
struct GemmPlan {
  int32_t a = 0, b = 0, d = 0;
  int64_t m = 0, n = 0, k = 0;
  bool b_is_nk = true;
};

struct HwJob {
  std::string cuda;
  LaunchPlan plan;
  // Bytes of each global by name, packed as ir/values/dtype.h says.
  std::map<std::string, std::vector<uint8_t>> inputs;
  int warmups = 1;        // launches before the timed ones
  int repeats = 1;        // timed launches, one time each
  bool flush_l2 = false;  // before each timed launch
  bool measure_clock = true;
  double timeout_s = 10;           // once the driver has started
  std::optional<GemmPlan> cublas;  // the same product, timed as well
  int trace_ctas = 4;              // plan.trace: of each kernel, the first ones
  int trace_stamps = 2048;         // of each thread
  uint8_t poison = 0xff;           // outputs start as this byte
  std::vector<std::string> child_command = {"/proc/self/exe", "hw-child"};
  std::string keep_directory;  // keep the exchange there, for a look
};

// Where a bounded wait expired.
struct WaitReport {
  std::string barrier;  // empty: a polling loop
  int64_t index = 0;
  int64_t parity = 0;
  std::string role;  // empty: outside roles
  int32_t line = 0;
  int64_t cta[3] = {0, 0, 0};
  int64_t cluster_rank = 0;
  int64_t thread = 0;
  int64_t pending = -1;  // arrivals the phase lacked; -1: not known

  std::string Text() const;
};

struct HwResult {
  // After the first launch: every global that the program writes.
  std::map<std::string, std::vector<uint8_t>> outputs;
  std::vector<double> times_us;   // of each timed launch of all kernels
  std::vector<double> cublas_us;  // likewise, of the library
  std::string cublas_problem;     // why there are none
  double clock_mhz = 0;           // SM clock, measured; 0: not
  double boost_mhz = 0;           // what the driver says is the highest
  int64_t sm_count = 0;
  // plan.cycles: of each CTA of each kernel, the longest of its warps.
  std::vector<std::vector<int64_t>> cta_cycles;
  std::vector<TracedCta> traced;  // plan.trace
  std::string device;
  std::string driver;  // CUDA version that it supports
  std::string log;     // compiler's warnings
};

absl::StatusOr<HwResult> RunOnDevice(const HwJob& job);

// One way in which launches ended.
struct Outcome {
  HwError error = HwError::kNone;  // or kHang, kLaunch
  std::string message;
  std::optional<WaitReport> report;
  // kNone: what every written global held.
  std::map<std::string, std::vector<uint8_t>> outputs;
  int64_t count = 0;
  int64_t undelayed = 0;  // of them, those of seed 0
  uint32_t first_seed = 0;
};

// Launches once for each seed of the delays, each time from the same start, and
// counts how the launches end. After a hang or fault the rest goes on in
// another child, `most_failures` times at most: then the seeds that are left
// are not launched. Errors: what is missing, and compile errors.
absl::StatusOr<std::vector<Outcome>> Observe(const HwJob& job,
                                             std::vector<uint32_t> seeds,
                                             int most_failures);

HwError HwErrorOf(const absl::Status& status);
std::string_view Name(HwError error);
// The report of a hang, if a bounded wait left one.
std::optional<WaitReport> WaitReportOf(const absl::Status& status);

// The number of SMs of the first device, or why there is none. In a child too:
// `child_command` as in HwJob; empty: the same.
absl::StatusOr<int64_t> DeviceSmCount(
    const std::vector<std::string>& child_command);

// kNoNvrtc when there is no compiler on this machine.
absl::Status CompilerStatus();

// The child's main: does what DIR says, writes results there. The exit code is
// 0 even for failures that it could describe.
int HwChild(const std::string& directory);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_RUN_H_
