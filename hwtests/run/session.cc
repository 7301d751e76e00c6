#include "hwtests/run/session.h"

#include <algorithm>
#include <cstring>

#include "hwtests/run/exchange.h"
#include "hwtests/run/return_if.h"
#include "hwtests/run/spans.h"
#include "hwtests/run/trace.h"
#include "ir/cat.h"

namespace tilesim::hwtests {

using ir::Cat;
using nlohmann::json;

// tile::Report of the device header.
struct DeviceReport {
  int32_t claimed, filled;
  int32_t decl, index, parity, role, line;
  int32_t cta[3];
  int32_t thread, kernel, cluster_rank, pending;
};

std::string Session::File(const std::string& name) const {
  return Cat(directory_, "/", name);
}

// module_ is the one loaded last.
absl::Status Session::LoadModule(const std::string& file,
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

absl::Status Session::AllocateGlobals() {
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
absl::Status Session::ResetGlobals() {
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

absl::Status Session::EncodeMaps() {
  for (const TensorMapPlan& m : plan_.maps) {
    absl::StatusOr<cuda::TensorMap> map = EncodeTensorMap(
        gpu_, m, plan_.globals[m.global].dtype, memory_[m.global]);
    if (!map.ok()) return map.status();
    maps_.push_back(*map);
  }
  return absl::OkStatus();
}

absl::Status Session::SetSymbol(const char* symbol, const void* value,
                                size_t bytes) {
  cuda::DevicePtr p = 0;
  size_t size = 0;
  RETURN_IF(gpu_.Check(cuda_.ModuleGetGlobal(&p, &size, module_, symbol),
                       Cat("finding ", symbol)));
  return gpu_.Check(cuda_.MemcpyHtoD(p, value, std::min(bytes, size)),
                    Cat("setting ", symbol));
}

// The report lies in host memory, which stays readable after a trap.
absl::Status Session::PrepareReport() {
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

absl::Status Session::PrepareCycles() {
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

absl::Status Session::Launch() {
  for (size_t i = 0; i < plan_.kernels.size(); ++i)
    RETURN_IF(LaunchKernel(plan_.kernels[i], functions_[i]));
  return absl::OkStatus();
}

absl::Status Session::LaunchStamped(const std::vector<cuda::DevicePtr>& rooms) {
  for (size_t i = 0; i < plan_.kernels.size(); ++i)
    RETURN_IF(LaunchKernel(plan_.kernels[i], stamped_[i], rooms[i]));
  return absl::OkStatus();
}

// `room`: where the stamps of code that has them go.
absl::Status Session::LaunchKernel(const KernelPlan& k, cuda::Function f,
                                   cuda::DevicePtr room) {
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

absl::Status Session::Finish(std::string_view what) {
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

absl::StatusOr<std::string> Session::ReadOutputs() {
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

absl::Status Session::CopyOutputs(const std::string& prefix) {
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

absl::Status Session::CopyCycles(json* result) {
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

absl::Status Session::PrepareTrace() {
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

absl::Status Session::CopyTrace() {
  if (!plan_.trace) return absl::OkStatus();
  std::string bytes(trace_bytes_, '\0');
  RETURN_IF(gpu_.Check(cuda_.MemcpyDtoH(bytes.data(), trace_, trace_bytes_),
                       "copying the trace back"));
  return WriteBytes(File("trace.bin"), bytes);
}
}  // namespace tilesim::hwtests
