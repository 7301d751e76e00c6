// How to launch lowered code, as plain data: what the host must allocate,
// which tensor maps to encode, and each kernel's arguments in order.
//
//   plan.kernels[0].args: {tensor map 0, tensor map 1, global 2, scalar 4096}
//
// Units: shapes and strides in elements, offsets and sizes in bytes. Extents of
// tensor maps are innermost first, as cuTensorMapEncodeTiled takes them.
#ifndef TILESIM_HWTESTS_EMIT_LAUNCH_PLAN_H_
#define TILESIM_HWTESTS_EMIT_LAUNCH_PLAN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/target.h"
#include "ir/types.h"
#include "nlohmann/json_fwd.hpp"

namespace tilesim::hwtests {

// A tensor in global memory. Outputs are those that some op writes.
struct GlobalPlan {
  std::string name;
  ir::DType dtype = ir::DType::kF32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t bytes = 0;       // from the first element to past the last
  bool zero = false;       // starts as zeros, not seeded
  bool undefined = false;  // starts as nobody knows what
  bool written = false;
  bool read = false;
  std::optional<int64_t> low, high;  // domain of an integer input

  friend bool operator==(const GlobalPlan&, const GlobalPlan&) = default;
};

struct TensorMapPlan {
  std::string name;    // of the kernel argument
  int32_t global = 0;  // index into LaunchPlan::globals
  int32_t rank = 1;
  std::array<int64_t, 5> dims{};     // elements
  std::array<int64_t, 4> strides{};  // bytes, of dims 1 on
  std::array<int32_t, 5> box{};      // elements
  ir::Swizzle swizzle = ir::Swizzle::kNone;

  friend bool operator==(const TensorMapPlan&, const TensorMapPlan&) = default;
};

struct ArgPlan {
  enum class Kind : uint8_t { kTensorMap, kGlobal, kInt32, kInt64 };
  Kind kind = Kind::kInt32;
  int32_t index = 0;  // of a tensor map or global
  int64_t value = 0;  // of a number
  std::string name;

  friend bool operator==(const ArgPlan&, const ArgPlan&) = default;
};

struct KernelPlan {
  std::string name;
  std::vector<ArgPlan> args;
  std::array<int64_t, 3> grid{1, 1, 1};     // CTAs
  std::array<int64_t, 3> cluster{1, 1, 1};  // CTAs
  int64_t block = 0;                        // threads
  int64_t registers = 0;      // that a thread has at launch; 0: unsaid
  int64_t shared_bytes = 0;   // dynamic, all of it
  bool programmatic = false;  // may start before the kernel before has ended

  friend bool operator==(const KernelPlan&, const KernelPlan&) = default;
};

// What a stamp of the clock is of.
struct TraceSite {
  std::string name;  // the mnemonic, or "WAIT full"
  int32_t role = -1;
  int32_t line = 0;
  bool wait = false;
  std::vector<int64_t> array;  // extents of the array of barriers waited for

  friend bool operator==(const TraceSite&, const TraceSite&) = default;
};

struct LaunchPlan {
  ir::Target target = ir::Target::kSm90a;
  std::vector<GlobalPlan> globals;
  std::vector<TensorMapPlan> maps;
  std::vector<KernelPlan> kernels;
  // What the numbers of a debug report mean.
  std::vector<std::string> barriers;
  std::vector<std::string> roles;
  std::vector<TraceSite> sites;
  bool trace = false;   // ops are stamped
  bool debug = false;   // waits are bounded and report
  bool cycles = false;  // CTAs record how long they took
  bool delays = false;  // warps sleep as tile_delay_seed says
  bool spans = false;   // kernels have one more argument: where stamps go

  friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
};

nlohmann::json ToJson(const LaunchPlan& plan);
absl::StatusOr<LaunchPlan> LaunchPlanFromJson(const nlohmann::json& json);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_LAUNCH_PLAN_H_
