#include "hwtests/run/span_turns.h"

#include <chrono>
#include <string>

#include "hwtests/run/return_if.h"
#include "hwtests/run/spans.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::hwtests {
namespace {

using nlohmann::json;

constexpr uint64_t kSpinNs = 30000;  // longer than the host takes for a launch
constexpr unsigned kFlushCtas = 1024, kFlushThreads = 256;
constexpr uint64_t kTimesL2 = 4;  // bytes read to flush it

}  // namespace

absl::Status SpanTurns::Open(cuda::Module module, bool cold) {
  const cuda::Driver& cuda = gpu_.driver();
  RETURN_IF(gpu_.Check(cuda.ModuleGetFunction(&spin_, module, "tile_spin"),
                       "finding tile_spin"));
  RETURN_IF(gpu_.Check(cuda.ModuleGetFunction(&flush_, module, "tile_flush"),
                       "finding tile_flush"));
  RETURN_IF(gpu_.Check(cuda.EventCreate(&start_, 0), "making an event"));
  RETURN_IF(gpu_.Check(cuda.EventCreate(&stop_, 0), "making an event"));
  for (const KernelPlan& k : plan_.kernels) {
    absl::StatusOr<cuda::DevicePtr> room =
        gpu_.Allocate(static_cast<int64_t>(RoomBytes(k)));
    if (!room.ok()) return room.status();
    rooms_.push_back(*room);
  }
  if (!cold) return absl::OkStatus();
  other_bytes_ =
      kTimesL2 * static_cast<uint64_t>(gpu_.Attribute(cuda::kL2CacheSize));
  absl::StatusOr<cuda::DevicePtr> other =
      gpu_.Allocate(static_cast<int64_t>(other_bytes_));
  if (!other.ok()) return other.status();
  other_ = *other;
  return gpu_.Check(cuda.MemsetD8(other_, 0, other_bytes_),
                    "filling what flushes L2");
}

absl::Status SpanTurns::Run(int warmup_ms, int repeats, json* result) {
  using Clock = std::chrono::steady_clock;
  const auto warm = Clock::now() + std::chrono::milliseconds(warmup_ms);
  for (json ignored; Clock::now() < warm;) RETURN_IF(TakeTurns(&ignored));
  for (int i = 0; i < repeats; ++i) RETURN_IF(TakeTurns(result));
  return absl::OkStatus();
}

absl::Status SpanTurns::TakeTurns(json* result) {
  for (size_t i = 0; i < rooms_.size(); ++i)
    RETURN_IF(gpu_.Check(
        gpu_.driver().MemsetD8(rooms_[i], 0, RoomBytes(plan_.kernels[i])),
        "clearing stamps"));
  const Launch stamped = [this] { return launches_.stamped(rooms_); };
  absl::StatusOr<double> us = Timed(stamped, true);
  if (!us.ok()) return us.status();
  (*result)["stamped_us"].push_back(*us);
  RETURN_IF(Stamps(&(*result)["spans"]));
  us = Timed(launches_.plain, true);
  if (!us.ok()) return us.status();
  (*result)["plain_us"].push_back(*us);
  us = Timed(launches_.plain, false);
  if (!us.ok()) return us.status();
  (*result)["host_us"].push_back(*us);
  return absl::OkStatus();
}

absl::Status SpanTurns::Stamps(json* spans) {
  std::vector<std::string> rooms;
  for (size_t i = 0; i < rooms_.size(); ++i) {
    rooms.emplace_back(RoomBytes(plan_.kernels[i]), '\0');
    RETURN_IF(gpu_.Check(
        gpu_.driver().MemcpyDtoH(rooms[i].data(), rooms_[i], rooms[i].size()),
        "copying stamps back"));
  }
  absl::StatusOr<Span> span = SpanOf(plan_, rooms);
  if (!span.ok()) return span.status();
  spans->push_back(ToJson(*span));
  return absl::OkStatus();
}

// `behind` a kernel that spins until the host has asked for all of it; or once
// the GPU is idle.
absl::StatusOr<double> SpanTurns::Timed(const Launch& launch, bool behind) {
  const cuda::Driver& cuda = gpu_.driver();
  RETURN_IF(launches_.reset());
  if (other_ != 0) {
    uint64_t places = other_bytes_ / 16;
    void* args[] = {&other_, &places, &other_};
    RETURN_IF(Helper(flush_, kFlushCtas, kFlushThreads, args));
  }
  uint64_t ns = kSpinNs;
  void* args[] = {&ns};
  RETURN_IF(behind ? Helper(spin_, 1, 1, args)
                   : gpu_.Check(cuda.CtxSynchronize(), "before a launch"));
  RETURN_IF(gpu_.Check(cuda.EventRecord(start_, nullptr), "recording"));
  RETURN_IF(launch());
  RETURN_IF(gpu_.Check(cuda.EventRecord(stop_, nullptr), "recording"));
  RETURN_IF(gpu_.Check(cuda.CtxSynchronize(), "a timed launch"));
  float ms = 0;
  RETURN_IF(gpu_.Check(cuda.EventElapsedTime(&ms, start_, stop_),
                       "reading the time"));
  return ms * 1000.0;
}

absl::Status SpanTurns::Helper(cuda::Function f, unsigned ctas,
                               unsigned threads, void** args) {
  cuda::LaunchConfig config = {};
  for (int d = 0; d < 3; ++d) config.grid[d] = config.block[d] = 1;
  config.grid[0] = ctas;
  config.block[0] = threads;
  return gpu_.Check(gpu_.driver().LaunchKernelEx(&config, f, args, nullptr),
                    "launching what goes before a launch");
}

}  // namespace tilesim::hwtests
