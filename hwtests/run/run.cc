#include "hwtests/run/run.h"

#include <algorithm>
#include <filesystem>

#include "hwtests/run/exchange.h"
#include "hwtests/run/nvrtc.h"
#include "hwtests/run/process.h"
#include "hwtests/run/spans.h"
#include "hwtests/run/trace.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

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

// What holds a launch back until the host is done, and what reads so many bytes
// that L2 holds nothing else: they leave nothing to be written back.
constexpr char kSpanKernels[] = R"(
extern "C" __global__ void tile_spin(unsigned long long ns) {
  unsigned long long t0, t1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  } while (t1 - t0 < ns);
}
extern "C" __global__ void tile_flush(const uint4* p, unsigned long long n,
                                      unsigned* sink) {
  unsigned sum = 0;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    const uint4 v = __ldcg(p + i);
    sum |= v.x | v.y | v.z | v.w;
  }
  if (sum != 0) *sink = sum;  // never: they are zeros
}
)";

absl::Status WriteInputs(const HwJob& job, const ExchangeDirectory& dir) {
  for (const auto& [name, bytes] : job.inputs) {
    absl::Status status =
        WriteBytes(dir.File(ir::Cat("in_", name, ".bin")),
                   {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

json JobJson(const HwJob& job) {
  json inputs = json::array();
  for (const auto& input : job.inputs) inputs.push_back(input.first);
  json cublas = nullptr;
  if (job.cublas) {
    const GemmPlan& g = *job.cublas;
    cublas = {{"a", g.a},
              {"b", g.b},
              {"d", g.d},
              {"m", g.m},
              {"n", g.n},
              {"k", g.k},
              {"b_is_nk", g.b_is_nk}};
  }
  return {{"plan", ToJson(job.plan)},
          {"inputs", inputs},
          {"cublas", cublas},
          {"warmups", job.warmups},
          {"repeats", job.repeats},
          {"flush_l2", job.flush_l2},
          {"measure_clock", job.measure_clock},
          {"trace_ctas", job.trace_ctas},
          {"trace_stamps", job.trace_stamps},
          {"poison", job.poison}};
}

// Compiles and writes what a child needs but job.json; the compiler's log.
absl::StatusOr<std::string> Prepare(const HwJob& job,
                                    const ExchangeDirectory& dir) {
  if (!dir.ok())
    return HwFailure(HwError::kInternal, "cannot make a directory");
  std::string source = job.cuda;
  if (job.measure_clock) source += kClockKernel;
  absl::StatusOr<Compiled> compiled = CompileCuda(source, job.plan.target);
  if (!compiled.ok()) {
    bool found = compiled.status().code() != absl::StatusCode::kNotFound;
    return HwFailure(found ? HwError::kCompile : HwError::kNoNvrtc,
                     std::string(compiled.status().message()));
  }
  absl::Status status = WriteInputs(job, dir);
  if (status.ok())
    status = WriteBytes(dir.File("kernel.cubin"), compiled->cubin);
  if (!status.ok()) return status;
  return compiled->log;
}

absl::StatusOr<json> RunChild(const std::vector<std::string>& command,
                              double timeout_s, const ExchangeDirectory& dir) {
  std::vector<std::string> whole = command;
  whole.push_back(dir.path());
  const DeviceTurn turn;
  std::error_code none;
  std::filesystem::remove(dir.File(kReadyFile), none);
  absl::StatusOr<ProcessEnd> end =
      RunProcess(whole, timeout_s, dir.File(kReadyFile));
  if (!end.ok())
    return HwFailure(HwError::kInternal, std::string(end.status().message()));
  if (end->killed)
    return HwFailure(HwError::kHang,
                     ir::Cat("killed after ", timeout_s, " s on the device"));
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
  if (j.contains("cublas_us"))
    result.cublas_us = j.at("cublas_us").get<std::vector<double>>();
  result.cublas_problem = j.value("cublas_problem", "");
  if (j.contains("cta_cycles"))
    result.cta_cycles =
        j.at("cta_cycles").get<std::vector<std::vector<int64_t>>>();
  if (job.plan.trace) {
    absl::StatusOr<std::string> room = ReadBytes(dir.File("trace.bin"));
    if (!room.ok()) return room.status();
    result.traced = TracedCtas(job, *room);
  }
  for (const GlobalPlan& global : job.plan.globals) {
    if (!global.written) continue;
    absl::StatusOr<std::string> bytes =
        ReadBytes(dir.File(ir::Cat("out_", global.name, ".bin")));
    if (!bytes.ok()) return bytes.status();
    result.outputs[global.name].assign(bytes->begin(), bytes->end());
  }
  return result;
}

// The code with stamps: to a file of its own.
absl::Status PrepareStamped(const std::string& cuda, ir::Target target,
                            const ExchangeDirectory& dir) {
  absl::StatusOr<Compiled> compiled = CompileCuda(cuda, target);
  if (!compiled.ok())
    return HwFailure(HwError::kCompile,
                     std::string(compiled.status().message()));
  return WriteBytes(dir.File("stamped.cubin"), compiled->cubin);
}

// How the launches of Observe ended, equal ends together.
class Tally {
 public:
  // What the child wrote down; `next` becomes the first seed not launched.
  absl::Status AddSeen(const HwJob& job, const ExchangeDirectory& dir,
                       size_t* next) {
    absl::StatusOr<json> j = ReadJson(dir.File("seen.json"));
    if (!j.ok()) return j.status();
    *next = j->at("launched").get<size_t>();
    for (const json& one : j->at("seen")) {
      Outcome outcome;
      for (const GlobalPlan& g : job.plan.globals) {
        if (!g.written) continue;
        absl::StatusOr<std::string> bytes = ReadBytes(dir.File(
            ir::Cat(one.at("prefix").get<std::string>(), g.name, ".bin")));
        if (!bytes.ok()) return bytes.status();
        outcome.outputs[g.name].assign(bytes->begin(), bytes->end());
      }
      outcome.count = one.at("count").get<int64_t>();
      outcome.undelayed = one.at("undelayed").get<int64_t>();
      outcome.first_seed = one.at("seed").get<uint32_t>();
      Add(std::move(outcome));
    }
    return absl::OkStatus();
  }

  void AddFailure(const absl::Status& status, uint32_t seed) {
    Outcome outcome;
    outcome.error = HwErrorOf(status);
    outcome.message = std::string(status.message());
    outcome.report = WaitReportOf(status);
    outcome.count = 1;
    outcome.undelayed = seed == 0 ? 1 : 0;
    outcome.first_seed = seed;
    Add(std::move(outcome));
  }

  std::vector<Outcome> outcomes() && { return std::move(outcomes_); }

 private:
  // Two hangs are the same when the same line waits.
  static bool Same(const Outcome& a, const Outcome& b) {
    int32_t line_a = a.report ? a.report->line : 0;
    int32_t line_b = b.report ? b.report->line : 0;
    return a.error == b.error && line_a == line_b && a.outputs == b.outputs;
  }

  void Add(Outcome outcome) {
    for (Outcome& known : outcomes_) {
      if (!Same(known, outcome)) continue;
      known.count += outcome.count;
      known.undelayed += outcome.undelayed;
      return;
    }
    outcomes_.push_back(std::move(outcome));
  }

  std::vector<Outcome> outcomes_;
};

}  // namespace

absl::StatusOr<HwResult> RunOnDevice(const HwJob& job) {
  ExchangeDirectory dir(job.keep_directory);
  absl::StatusOr<std::string> log = Prepare(job, dir);
  if (!log.ok()) return log.status();
  absl::Status status = WriteJson(dir.File("job.json"), JobJson(job));
  if (!status.ok()) return status;
  absl::StatusOr<json> answer = RunChild(job.child_command, job.timeout_s, dir);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<HwResult> result = Collect(job, *answer, dir);
  if (result.ok()) result->log = *log;
  return result;
}

absl::StatusOr<SpanResult> MeasureSpans(const HwJob& plain,
                                        const std::string& stamped, int64_t sms,
                                        int warmup_ms) {
  HwJob job = plain;
  job.cuda += kSpanKernels;
  job.measure_clock = false;
  ExchangeDirectory dir(job.keep_directory);
  absl::StatusOr<std::string> log = Prepare(job, dir);
  if (!log.ok()) return log.status();
  absl::Status status = PrepareStamped(stamped, job.plan.target, dir);
  json j = JobJson(job);
  j["spans"] = {{"sms", sms}, {"warmup_ms", warmup_ms}};
  if (status.ok()) status = WriteJson(dir.File("job.json"), j);
  if (!status.ok()) return status;
  absl::StatusOr<json> answer = RunChild(job.child_command, job.timeout_s, dir);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<SpanResult> result = SpanResultFrom(*answer);
  if (result.ok()) result->log = *log;
  return result;
}

absl::StatusOr<std::vector<Outcome>> Observe(const HwJob& job,
                                             std::vector<uint32_t> seeds,
                                             int most_failures) {
  ExchangeDirectory dir(job.keep_directory);
  absl::StatusOr<std::string> log = Prepare(job, dir);
  if (!log.ok()) return log.status();
  Tally tally;
  size_t next = 0;
  for (int failures = 0; next < seeds.size() && failures < most_failures;) {
    json j = JobJson(job);
    j["seeds"] = seeds;
    j["first"] = next;
    absl::Status status = WriteJson(dir.File("job.json"), j);
    if (status.ok())
      status = WriteJson(dir.File("seen.json"),
                         {{"launched", next}, {"seen", json::array()}});
    if (!status.ok()) return status;
    absl::Status end = RunChild(job.child_command, job.timeout_s, dir).status();
    HwError error = HwErrorOf(end);
    if (!end.ok() && error != HwError::kHang && error != HwError::kLaunch)
      return end;
    status = tally.AddSeen(job, dir, &next);
    if (!status.ok()) return status;
    if (end.ok()) continue;
    tally.AddFailure(end, seeds[std::min(next, seeds.size() - 1)]);
    ++next;
    ++failures;
  }
  return std::move(tally).outcomes();
}

absl::Status CompilerStatus() {
  absl::Status status = CompileCuda("", ir::Target::kSm90a).status();
  if (status.code() != absl::StatusCode::kNotFound) return absl::OkStatus();
  return HwFailure(HwError::kNoNvrtc, std::string(status.message()));
}

absl::StatusOr<int64_t> DeviceSmCount(
    const std::vector<std::string>& child_command) {
  constexpr double kProbeSeconds = 20;
  ExchangeDirectory dir("");
  if (!dir.ok())
    return HwFailure(HwError::kInternal, "cannot make a directory");
  absl::Status status = WriteJson(dir.File("job.json"), {{"probe", true}});
  if (!status.ok()) return status;
  absl::StatusOr<json> answer =
      RunChild(child_command.empty() ? HwJob().child_command : child_command,
               kProbeSeconds, dir);
  if (!answer.ok()) return answer.status();
  return answer->value("sm_count", int64_t{0});
}

}  // namespace tilesim::hwtests
