// The child of a run: allocates, launches, times, copies back.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "hwtests/run/cublas.h"
#include "hwtests/run/device.h"
#include "hwtests/run/exchange.h"
#include "hwtests/run/run.h"
#include "hwtests/run/span_turns.h"
#include "hwtests/run/spans.h"
#include "hwtests/run/trace.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using nlohmann::json;

// tile::Report of the device header.
struct DeviceReport {
  int32_t claimed, filled;
  int32_t decl, index, parity, role, line;
  int32_t cta[3];
  int32_t thread, kernel, cluster_rank, pending;
};

#define RETURN_IF(status_expr)            \
  do {                                    \
    absl::Status status_ = (status_expr); \
    if (!status_.ok()) return status_;    \
  } while (false)

class Session {
 public:
  Session(const Gpu& gpu, LaunchPlan plan, json job, std::string directory)
      : gpu_(gpu),
        cuda_(gpu.driver()),
        plan_(std::move(plan)),
        job_(std::move(job)),
        directory_(std::move(directory)) {}

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
  std::string File(const std::string& name) const {
    return Cat(directory_, "/", name);
  }

  // module_ is the one loaded last.
  absl::Status LoadModule(const std::string& file,
                          std::vector<cuda::Function>* functions) {
    absl::StatusOr<std::string> cubin = ReadBytes(File(file));
    if (!cubin.ok()) return cubin.status();
    RETURN_IF(gpu_.Check(cuda_.ModuleLoadData(&module_, cubin->data()),
                         "loading the code"));
    for (const KernelPlan& k : plan_.kernels) {
      cuda::Function f = nullptr;
      RETURN_IF(gpu_.Check(cuda_.ModuleGetFunction(&f, module_, k.name.c_str()),
                           Cat("finding kernel ", k.name)));
      RETURN_IF(
          gpu_.Check(cuda_.FuncSetAttribute(f, cuda::kMaxDynamicSharedSize,
                                            static_cast<int>(k.shared_bytes)),
                     Cat("giving ", k.name, " ", k.shared_bytes,
                         " bytes of shared "
                         "memory")));
      if (k.cluster[0] * k.cluster[1] * k.cluster[2] > 8) {
        RETURN_IF(gpu_.Check(
            cuda_.FuncSetAttribute(f, cuda::kNonPortableClusterSize, 1),
            Cat("letting ", k.name, " have a cluster above 8")));
      }
      functions->push_back(f);
    }
    return absl::OkStatus();
  }

  absl::Status AllocateGlobals() {
    const auto names = job_.at("inputs").get<std::vector<std::string>>();
    for (const GlobalPlan& g : plan_.globals) {
      absl::StatusOr<cuda::DevicePtr> p = gpu_.Allocate(g.bytes);
      if (!p.ok()) return p.status();
      memory_.push_back(*p);
      std::string bytes;
      if (std::find(names.begin(), names.end(), g.name) != names.end()) {
        absl::StatusOr<std::string> in =
            ReadBytes(File(Cat("in_", g.name, ".bin")));
        if (!in.ok()) return in.status();
        bytes = *std::move(in);
        if (bytes.size() != static_cast<size_t>(g.bytes))
          return HwFailure(HwError::kInternal,
                           Cat("input ", g.name, " has ", bytes.size(),
                               " bytes, not ", g.bytes));
      }
      inputs_.push_back(std::move(bytes));
    }
    return absl::OkStatus();
  }

  // Before every launch: what the kernels wrote starts again as it was.
  absl::Status ResetGlobals() {
    for (size_t i = 0; i < memory_.size(); ++i) {
      const GlobalPlan& g = plan_.globals[i];
      if (!g.written && !first_reset_) continue;
      size_t bytes = static_cast<size_t>(g.bytes);
      if (!inputs_[i].empty()) {
        RETURN_IF(
            gpu_.Check(cuda_.MemcpyHtoD(memory_[i], inputs_[i].data(), bytes),
                       Cat("copying ", g.name, " to the device")));
      } else if (first_reset_ || g.zero || job_.contains("seeds")) {
        bool poisoned = g.written && !g.zero;
        RETURN_IF(gpu_.Check(
            cuda_.MemsetD8(memory_[i],
                           poisoned ? job_.at("poison").get<uint8_t>() : 0,
                           bytes),
            Cat("filling ", g.name)));
      }
    }
    first_reset_ = false;
    return absl::OkStatus();
  }

  absl::Status EncodeMaps() {
    for (const TensorMapPlan& m : plan_.maps) {
      absl::StatusOr<cuda::TensorMap> map = EncodeTensorMap(
          gpu_, m, plan_.globals[m.global].dtype, memory_[m.global]);
      if (!map.ok()) return map.status();
      maps_.push_back(*map);
    }
    return absl::OkStatus();
  }

  absl::Status SetSymbol(const char* symbol, const void* value, size_t bytes) {
    cuda::DevicePtr p = 0;
    size_t size = 0;
    RETURN_IF(gpu_.Check(cuda_.ModuleGetGlobal(&p, &size, module_, symbol),
                         Cat("finding ", symbol)));
    return gpu_.Check(cuda_.MemcpyHtoD(p, value, std::min(bytes, size)),
                      Cat("setting ", symbol));
  }

  // The report lies in host memory, which stays readable after a trap.
  absl::Status PrepareReport() {
    cuda::DevicePtr symbol = 0;
    size_t size = 0;
    // Without a polling wait there is no such variable.
    if (!plan_.debug ||
        cuda_.ModuleGetGlobal(&symbol, &size, module_, "tile_report") != 0)
      return absl::OkStatus();
    void* host = nullptr;
    cuda::DevicePtr p = 0;
    RETURN_IF(gpu_.Check(cuda_.MemHostAlloc(&host, sizeof(DeviceReport),
                                            cuda::kHostAllocDeviceMap),
                         "allocating the report"));
    RETURN_IF(gpu_.Check(cuda_.MemHostGetDevicePointer(&p, host, 0),
                         "mapping the report"));
    report_ = static_cast<DeviceReport*>(host);
    std::memset(host, 0, sizeof(DeviceReport));
    return SetSymbol("tile_report", &p, sizeof(p));
  }

  absl::Status PrepareCycles() {
    if (!plan_.cycles) return absl::OkStatus();
    for (const KernelPlan& k : plan_.kernels) {
      int64_t bytes = 8 * k.grid[0] * k.grid[1] * k.grid[2];
      absl::StatusOr<cuda::DevicePtr> p = gpu_.Allocate(bytes);
      if (!p.ok()) return p.status();
      RETURN_IF(gpu_.Check(cuda_.MemsetD8(*p, 0, static_cast<size_t>(bytes)),
                           "clearing cycles"));
      cycles_.push_back(*p);
    }
    return SetSymbol("tile_cycles", cycles_.data(), 8 * cycles_.size());
  }

  absl::Status Launch() {
    for (size_t i = 0; i < plan_.kernels.size(); ++i)
      RETURN_IF(LaunchKernel(plan_.kernels[i], functions_[i]));
    return absl::OkStatus();
  }

  absl::Status LaunchStamped(const std::vector<cuda::DevicePtr>& rooms) {
    for (size_t i = 0; i < plan_.kernels.size(); ++i)
      RETURN_IF(LaunchKernel(plan_.kernels[i], stamped_[i], rooms[i]));
    return absl::OkStatus();
  }

  // `room`: where the stamps of code that has them go.
  absl::Status LaunchKernel(const KernelPlan& k, cuda::Function f,
                            cuda::DevicePtr room = 0) {
    std::vector<int64_t> numbers(k.args.size());
    std::vector<void*> args;
    for (size_t i = 0; i < k.args.size(); ++i) {
      const ArgPlan& a = k.args[i];
      numbers[i] = a.kind == ArgPlan::Kind::kGlobal
                       ? static_cast<int64_t>(memory_[a.index])
                       : a.value;  // little-endian: the low half is the int
      bool map = a.kind == ArgPlan::Kind::kTensorMap;
      args.push_back(map ? static_cast<void*>(&maps_[a.index])
                         : static_cast<void*>(&numbers[i]));
    }
    if (room != 0) args.push_back(&room);
    cuda::LaunchAttribute attributes[2] = {};
    cuda::LaunchConfig config = {};
    for (int d = 0; d < 3; ++d) {
      config.grid[d] = static_cast<unsigned>(k.grid[d]);
      config.block[d] = d == 0 ? static_cast<unsigned>(k.block) : 1;
    }
    config.shared_bytes = static_cast<unsigned>(k.shared_bytes);
    config.attributes = attributes;
    if (k.cluster[0] * k.cluster[1] * k.cluster[2] > 1) {
      auto& attribute = attributes[config.attribute_count++];
      attribute.id = cuda::kClusterDimension;
      for (int d = 0; d < 3; ++d)
        attribute.value.cluster[d] = static_cast<unsigned>(k.cluster[d]);
    }
    if (k.programmatic) {
      auto& attribute = attributes[config.attribute_count++];
      attribute.id = cuda::kProgrammaticStreamSerialization;
      attribute.value.programmatic = 1;
    }
    return gpu_.Check(cuda_.LaunchKernelEx(&config, f, args.data(), nullptr),
                      Cat("launching ", k.name));
  }

  absl::Status Finish(std::string_view what) {
    absl::Status status = gpu_.Check(cuda_.CtxSynchronize(), what);
    if (report_ == nullptr || report_->filled == 0) return status;
    WaitReport r;
    if (report_->decl >= 0) r.barrier = plan_.barriers[report_->decl];
    if (report_->role >= 0) r.role = plan_.roles[report_->role];
    r.index = report_->index;
    r.parity = report_->parity;
    r.line = report_->line;
    for (int d = 0; d < 3; ++d) r.cta[d] = report_->cta[d];
    r.cluster_rank = report_->cluster_rank;
    r.thread = report_->thread;
    r.pending = report_->pending;
    return HwHang("a bounded wait expired", r);
  }

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

  absl::StatusOr<std::string> ReadOutputs() {
    std::string all;
    for (size_t i = 0; i < memory_.size(); ++i) {
      const GlobalPlan& g = plan_.globals[i];
      if (!g.written) continue;
      const size_t at = all.size();
      all.resize(at + static_cast<size_t>(g.bytes));
      RETURN_IF(gpu_.Check(cuda_.MemcpyDtoH(all.data() + at, memory_[i],
                                            static_cast<size_t>(g.bytes)),
                           Cat("copying ", g.name, " back")));
    }
    return all;
  }

  absl::Status CopyOutputs(const std::string& prefix) {
    for (size_t i = 0; i < memory_.size(); ++i) {
      const GlobalPlan& g = plan_.globals[i];
      if (!g.written) continue;
      std::string bytes(static_cast<size_t>(g.bytes), '\0');
      RETURN_IF(
          gpu_.Check(cuda_.MemcpyDtoH(bytes.data(), memory_[i], bytes.size()),
                     Cat("copying ", g.name, " back")));
      RETURN_IF(WriteBytes(File(Cat(prefix, g.name, ".bin")), bytes));
    }
    return absl::OkStatus();
  }

  absl::Status CopyCycles(json* result) {
    json all = json::array();
    for (size_t i = 0; i < cycles_.size(); ++i) {
      const KernelPlan& k = plan_.kernels[i];
      std::vector<int64_t> cycles(
          static_cast<size_t>(k.grid[0] * k.grid[1] * k.grid[2]));
      RETURN_IF(gpu_.Check(
          cuda_.MemcpyDtoH(cycles.data(), cycles_[i], 8 * cycles.size()),
          "copying cycles back"));
      all.push_back(cycles);
    }
    if (!cycles_.empty()) (*result)["cta_cycles"] = all;
    return absl::OkStatus();
  }

  absl::Status PrepareTrace() {
    if (!plan_.trace) return absl::OkStatus();
    const auto ctas = job_.at("trace_ctas").get<uint32_t>();
    const auto stamps = job_.at("trace_stamps").get<uint32_t>();
    trace_bytes_ = TraceBytes(plan_.kernels.size(), ctas, stamps);
    absl::StatusOr<cuda::DevicePtr> p =
        gpu_.Allocate(static_cast<int64_t>(trace_bytes_));
    if (!p.ok()) return p.status();
    trace_ = *p;
    RETURN_IF(gpu_.Check(cuda_.MemsetD8(trace_, 0, trace_bytes_),
                         "clearing the trace"));
    struct Room {  // tile::TraceRoom
      cuda::DevicePtr stamps;
      uint32_t ctas, capacity;
    } room = {trace_, ctas, stamps};
    return SetSymbol("tile_trace", &room, sizeof(room));
  }

  absl::Status CopyTrace() {
    if (!plan_.trace) return absl::OkStatus();
    std::string bytes(trace_bytes_, '\0');
    RETURN_IF(gpu_.Check(cuda_.MemcpyDtoH(bytes.data(), trace_, trace_bytes_),
                         "copying the trace back"));
    return WriteBytes(File("trace.bin"), bytes);
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
  cuda::DevicePtr flush_ = 0;
  size_t flush_bytes_ = 0;
  DeviceReport* report_ = nullptr;
  bool first_reset_ = true;
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
  return Session(*gpu, *plan, *job, directory).Run(result);
}

}  // namespace

int HwChild(const std::string& directory) {
  json result = json::object();
  absl::Status status = Answer(directory, &result);
  if (!status.ok()) result.update(ToJson(status));
  return WriteJson(Cat(directory, "/result.json"), result).ok() ? 0 : 1;
}

}  // namespace tilesim::hwtests
