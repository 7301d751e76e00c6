// The child of a run: allocates, launches, times, copies back.
#include <functional>
#include <map>

#include "hwtests/run/cublas.h"
#include "hwtests/run/device.h"
#include "hwtests/run/exchange.h"
#include "hwtests/run/return_if.h"
#include "hwtests/run/run.h"
#include "hwtests/run/session.h"
#include "hwtests/run/span_turns.h"
#include "hwtests/run/spans.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using nlohmann::json;

class Measuring : public Session {
 public:
  using Session::Session;

  absl::Status Run(json* result) {
    RETURN_IF(gpu_.CheckArch(plan_.target));
    RETURN_IF(LoadModule("kernel.cubin", &functions_));
    RETURN_IF(AllocateGlobals());
    RETURN_IF(EncodeMaps());
    RETURN_IF(PrepareReport());
    RETURN_IF(PrepareCycles());
    RETURN_IF(PrepareTrace());
    if (job_.contains("seeds")) return Observe();
    if (job_.contains("spans")) return MeasureSpans(result);
    RETURN_IF(ResetGlobals());
    RETURN_IF(Launch());
    RETURN_IF(Finish("the first launch"));
    RETURN_IF(CopyOutputs("out_"));
    RETURN_IF(CopyCycles(result));
    RETURN_IF(CopyTrace());
    RETURN_IF(Time(result));
    return MeasureClock(result);
  }

 private:
  // One launch a seed. What was seen is written down before each launch, since
  // one that hangs is the last thing this process does.
  absl::Status Observe() {
    const auto seeds = job_.at("seeds").get<std::vector<uint32_t>>();
    const int64_t first = job_.at("first").get<int64_t>();
    json seen = json::array();
    std::map<std::string, size_t> known;
    for (int64_t i = first; i < static_cast<int64_t>(seeds.size()); ++i) {
      RETURN_IF(
          WriteJson(File("seen.json"), {{"launched", i}, {"seen", seen}}));
      if (plan_.delays)
        RETURN_IF(SetSymbol("tile_delay_seed", &seeds[i], sizeof(seeds[i])));
      RETURN_IF(ResetGlobals());
      RETURN_IF(Launch());
      RETURN_IF(Finish("a launch"));
      absl::StatusOr<std::string> bytes = ReadOutputs();
      if (!bytes.ok()) return bytes.status();
      auto [at, fresh] = known.try_emplace(*bytes, seen.size());
      if (fresh) {
        const std::string prefix = Cat("seen_", first, "_", seen.size(), "_");
        RETURN_IF(CopyOutputs(prefix));
        seen.push_back({{"prefix", prefix},
                        {"count", 0},
                        {"undelayed", 0},
                        {"seed", seeds[i]}});
      }
      json& one = seen[at->second];
      one["count"] = one["count"].get<int64_t>() + 1;
      if (seeds[i] == 0) one["undelayed"] = one["undelayed"].get<int64_t>() + 1;
    }
    return WriteJson(File("seen.json"),
                     {{"launched", seeds.size()}, {"seen", seen}});
  }

  using LaunchFn = std::function<absl::Status()>;
  using Times = std::vector<double>;  // microseconds

  // Of each the times of `repeats` launches, after the warm-ups. They take
  // turns, and in turns one is the first: a GPU that grows hot slows all alike.
  absl::StatusOr<std::vector<Times>> Timed(
      const std::vector<LaunchFn>& launches) {
    cuda::Event start = nullptr, stop = nullptr;
    RETURN_IF(gpu_.Check(cuda_.EventCreate(&start, 0), "making an event"));
    RETURN_IF(gpu_.Check(cuda_.EventCreate(&stop, 0), "making an event"));
    RETURN_IF(PrepareFlush());
    const int warmups = job_.at("warmups").get<int>();
    const int repeats = job_.at("repeats").get<int>();
    const size_t n = launches.size();
    std::vector<Times> times(n);
    for (int i = 0; repeats > 0 && i < warmups + repeats; ++i) {
      for (size_t turn = 0; turn < n; ++turn) {
        const size_t which = (turn + static_cast<size_t>(i)) % n;
        absl::StatusOr<double> us = TimedOnce(launches[which], start, stop);
        if (!us.ok()) return us.status();
        if (i >= warmups) times[which].push_back(*us);
      }
    }
    return times;
  }

  absl::StatusOr<double> TimedOnce(const LaunchFn& launch, cuda::Event start,
                                   cuda::Event stop) {
    RETURN_IF(ResetGlobals());
    if (flush_ != 0)
      RETURN_IF(
          gpu_.Check(cuda_.MemsetD8(flush_, 0, flush_bytes_), "flushing L2"));
    cuda_.EventRecord(start, nullptr);
    RETURN_IF(launch());
    cuda_.EventRecord(stop, nullptr);
    RETURN_IF(Finish("a timed launch"));
    float ms = 0;
    RETURN_IF(gpu_.Check(cuda_.EventElapsedTime(&ms, start, stop),
                         "reading the time"));
    return ms * 1000.0;
  }

  absl::Status PrepareFlush() {
    if (flush_ != 0 || !job_.at("flush_l2").get<bool>())
      return absl::OkStatus();
    flush_bytes_ = 2 * static_cast<size_t>(gpu_.Attribute(cuda::kL2CacheSize));
    absl::StatusOr<cuda::DevicePtr> p =
        gpu_.Allocate(static_cast<int64_t>(flush_bytes_));
    if (!p.ok()) return p.status();
    flush_ = *p;
    return absl::OkStatus();
  }

  absl::Status Time(json* result) {
    std::vector<LaunchFn> launches = {[this] { return Launch(); }};
    if (!job_.at("cublas").is_null()) {
      absl::StatusOr<LaunchFn> library = Library();
      if (library.ok()) {
        launches.push_back(*library);
      } else {
        (*result)["cublas_problem"] = std::string(library.status().message());
      }
    }
    absl::StatusOr<std::vector<Times>> times = Timed(launches);
    if (!times.ok()) return times.status();
    (*result)["times_us"] = times->front();
    if (launches.size() > 1) (*result)["cublas_us"] = times->back();
    return absl::OkStatus();
  }

  // The library's product of the same inputs, into memory of its own; it has
  // been launched once. Without the library the run is a run all the same.
  absl::StatusOr<LaunchFn> Library() {
    const json& j = job_.at("cublas");
    GemmPlan g;
    for (auto [name, at] :
         {std::pair("a", &g.a), std::pair("b", &g.b), std::pair("d", &g.d)})
      *at = j.at(name).get<int32_t>();
    for (auto [name, at] :
         {std::pair("m", &g.m), std::pair("n", &g.n), std::pair("k", &g.k)})
      *at = j.at(name).get<int64_t>();
    g.b_is_nk = j.at("b_is_nk").get<bool>();
    absl::StatusOr<cuda::DevicePtr> d = gpu_.Allocate(plan_.globals[g.d].bytes);
    if (!d.ok()) return d.status();
    absl::StatusOr<LaunchFn> launch =
        CublasGemm(g, plan_, memory_[g.a], memory_[g.b], *d);
    if (!launch.ok()) return launch.status();
    RETURN_IF((*launch)());
    RETURN_IF(Finish("the library's product"));
    return launch;
  }

  // --- spans ----------------------------------------------------------------

  absl::Status MeasureSpans(json* result) {
    const json& asked = job_.at("spans");
    if (gpu_.Attribute(cuda::kMultiprocessorCount) != asked.at("sms"))
      return HwFailure(HwError::kWrongArch,
                       "this GPU does not have as many SMs as the model's");
    const cuda::Module plain = module_;
    RETURN_IF(LoadModule("stamped.cubin", &stamped_));
    RETURN_IF(CompareOutputs(result));
    SpanTurns turns(
        gpu_, plan_,
        {.reset = [this] { return ResetGlobals(); },
         .plain = [this] { return Launch(); },
         .stamped =
             [this](const auto& rooms) { return LaunchStamped(rooms); }});
    RETURN_IF(turns.Open(plain, job_.at("flush_l2").get<bool>()));
    return turns.Run(asked.at("warmup_ms").get<int>(),
                     job_.at("repeats").get<int>(), result);
  }

  // Of the code without stamps and of that with them.
  absl::Status CompareOutputs(json* result) {
    RETURN_IF(ResetGlobals());
    RETURN_IF(Launch());
    RETURN_IF(Finish("the first launch"));
    absl::StatusOr<std::string> plain = ReadOutputs();
    if (!plain.ok()) return plain.status();
    (*result)["unwritten"] = Unwritten(*plain);
    std::vector<cuda::DevicePtr> rooms;
    for (const KernelPlan& k : plan_.kernels) {
      absl::StatusOr<cuda::DevicePtr> p =
          gpu_.Allocate(static_cast<int64_t>(RoomBytes(k)));
      if (!p.ok()) return p.status();
      rooms.push_back(*p);
    }
    RETURN_IF(ResetGlobals());
    RETURN_IF(LaunchStamped(rooms));
    RETURN_IF(Finish("the first launch with stamps"));
    absl::StatusOr<std::string> stamped = ReadOutputs();
    if (!stamped.ok()) return stamped.status();
    (*result)["same_outputs"] = *plain == *stamped;
    return absl::OkStatus();
  }

  // Of the outputs that start poisoned, the share of elements that still are.
  json Unwritten(const std::string& outputs) const {
    json shares = json::object();
    size_t at = 0;
    for (size_t i = 0; i < memory_.size(); ++i) {
      const GlobalPlan& g = plan_.globals[i];
      if (!g.written) continue;
      const auto bytes = static_cast<size_t>(g.bytes);
      if (inputs_[i].empty() && !g.zero)
        shares[g.name] = ShareOf(job_.at("poison").get<uint8_t>(), g.dtype,
                                 std::string_view(outputs).substr(at, bytes));
      at += bytes;
    }
    return shares;
  }

  absl::Status MeasureClock(json* result) {
    if (!job_.at("measure_clock").get<bool>()) return absl::OkStatus();
    cuda::Function f = nullptr;
    RETURN_IF(gpu_.Check(cuda_.ModuleGetFunction(&f, module_, "tile_clock"),
                         "finding the clock kernel"));
    absl::StatusOr<cuda::DevicePtr> p = gpu_.Allocate(16);
    if (!p.ok()) return p.status();
    cuda::LaunchConfig config = {};
    for (int d = 0; d < 3; ++d) config.grid[d] = config.block[d] = 1;
    void* args[] = {&*p};
    RETURN_IF(gpu_.Check(cuda_.LaunchKernelEx(&config, f, args, nullptr),
                         "launching the clock kernel"));
    RETURN_IF(Finish("the clock kernel"));
    uint64_t out[2] = {};
    RETURN_IF(gpu_.Check(cuda_.MemcpyDtoH(out, *p, sizeof(out)),
                         "reading the clock"));
    if (out[1] != 0)
      (*result)["clock_mhz"] =
          1000.0 * static_cast<double>(out[0]) / static_cast<double>(out[1]);
    return absl::OkStatus();
  }
  cuda::DevicePtr flush_ = 0;
  size_t flush_bytes_ = 0;
};

absl::Status Answer(const std::string& directory, json* result) {
  absl::StatusOr<json> job = ReadJson(Cat(directory, "/job.json"));
  if (!job.ok()) return job.status();
  absl::StatusOr<Gpu> gpu = Gpu::Open();
  if (!gpu.ok()) return gpu.status();
  RETURN_IF(WriteBytes(Cat(directory, "/", kReadyFile), ""));
  (*result)["device"] = gpu->name();
  (*result)["driver"] = gpu->driver_version();
  (*result)["sm_count"] = gpu->Attribute(cuda::kMultiprocessorCount);
  (*result)["boost_mhz"] = gpu->Attribute(cuda::kClockRate) / 1000.0;
  if (job->contains("probe")) return absl::OkStatus();
  absl::StatusOr<LaunchPlan> plan = LaunchPlanFromJson(job->at("plan"));
  if (!plan.ok()) return plan.status();
  return Measuring(*gpu, *plan, *job, directory).Run(result);
}

}  // namespace

int HwChild(const std::string& directory) {
  json result = json::object();
  absl::Status status = Answer(directory, &result);
  if (!status.ok()) result.update(ToJson(status));
  return WriteJson(Cat(directory, "/result.json"), result).ok() ? 0 : 1;
}

}  // namespace tilesim::hwtests
