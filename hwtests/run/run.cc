#include "hwtests/run/run.h"

#include "hwtests/run/exchange.h"
#include "hwtests/run/nvrtc.h"
#include "hwtests/run/process.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using nlohmann::json;

// SM cycles and nanoseconds of the same stretch of time.
constexpr char kClockKernel[] = R"(
extern "C" __global__ void tile_clock(unsigned long long* out) {
  unsigned long long t0, t1;
  long long c0 = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  } while (t1 - t0 < 2000000ull);
  out[0] = static_cast<unsigned long long>(clock64() - c0);
  out[1] = t1 - t0;
}
)";

absl::Status WriteJob(const HwJob& job, const ExchangeDirectory& dir) {
  json inputs = json::array();
  for (const auto& [name, bytes] : job.inputs) {
    inputs.push_back(name);
    absl::Status status = WriteBytes(
        dir.File(ir::Cat("in_", name, ".bin")),
        {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!status.ok()) return status;
  }
  return WriteJson(dir.File("job.json"),
                   {{"plan", ToJson(job.plan)},
                    {"inputs", inputs},
                    {"warmups", job.warmups},
                    {"repeats", job.repeats},
                    {"flush_l2", job.flush_l2},
                    {"measure_clock", job.measure_clock},
                    {"poison", job.poison}});
}

absl::StatusOr<json> RunChild(const std::vector<std::string>& command,
                              double timeout_s, const ExchangeDirectory& dir) {
  std::vector<std::string> whole = command;
  whole.push_back(dir.path());
  absl::StatusOr<ProcessEnd> end = RunProcess(whole, timeout_s);
  if (!end.ok())
    return HwFailure(HwError::kInternal, std::string(end.status().message()));
  if (end->killed)
    return HwFailure(HwError::kHang, ir::Cat("killed after ", timeout_s,
                                             " s on the device"));
  absl::StatusOr<json> result = ReadJson(dir.File("result.json"));
  if (!result.ok())
    return HwFailure(HwError::kInternal,
                     ir::Cat("the child on the device ended with ",
                             end->exit_code, " and no result"));
  absl::Status status = StatusFromJson(*result);
  if (!status.ok()) return status;
  return result;
}

absl::StatusOr<HwResult> Collect(const HwJob& job, const json& j,
                                 const ExchangeDirectory& dir) {
  HwResult result;
  result.device = j.value("device", "");
  result.driver = j.value("driver", "");
  result.sm_count = j.value("sm_count", int64_t{0});
  result.clock_mhz = j.value("clock_mhz", 0.0);
  result.boost_mhz = j.value("boost_mhz", 0.0);
  if (j.contains("times_us"))
    result.times_us = j.at("times_us").get<std::vector<double>>();
  if (j.contains("cta_cycles"))
    result.cta_cycles =
        j.at("cta_cycles").get<std::vector<std::vector<int64_t>>>();
  for (const GlobalPlan& global : job.plan.globals) {
    if (!global.written) continue;
    absl::StatusOr<std::string> bytes =
        ReadBytes(dir.File(ir::Cat("out_", global.name, ".bin")));
    if (!bytes.ok()) return bytes.status();
    result.outputs[global.name].assign(bytes->begin(), bytes->end());
  }
  return result;
}

}  // namespace

absl::StatusOr<HwResult> RunOnDevice(const HwJob& job) {
  std::string source = job.cuda;
  if (job.measure_clock) source += kClockKernel;
  absl::StatusOr<Compiled> compiled = CompileCuda(source, job.plan.target);
  if (!compiled.ok()) {
    bool found = compiled.status().code() != absl::StatusCode::kNotFound;
    return HwFailure(found ? HwError::kCompile : HwError::kNoNvrtc,
                     std::string(compiled.status().message()));
  }
  ExchangeDirectory dir(job.keep_directory);
  if (!dir.ok())
    return HwFailure(HwError::kInternal, "cannot make a directory");
  absl::Status status = WriteJob(job, dir);
  if (status.ok()) status = WriteBytes(dir.File("kernel.cubin"),
                                       compiled->cubin);
  if (!status.ok()) return status;
  absl::StatusOr<json> answer =
      RunChild(job.child_command, job.timeout_s, dir);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<HwResult> result = Collect(job, *answer, dir);
  if (result.ok()) result->log = compiled->log;
  return result;
}

absl::StatusOr<int64_t> DeviceSmCount(
    const std::vector<std::string>& child_command) {
  constexpr double kProbeSeconds = 20;
  ExchangeDirectory dir("");
  if (!dir.ok())
    return HwFailure(HwError::kInternal, "cannot make a directory");
  absl::Status status = WriteJson(dir.File("job.json"), {{"probe", true}});
  if (!status.ok()) return status;
  absl::StatusOr<json> answer = RunChild(child_command, kProbeSeconds, dir);
  if (!answer.ok()) return answer.status();
  return answer->value("sm_count", int64_t{0});
}

}  // namespace tilesim::hwtests
