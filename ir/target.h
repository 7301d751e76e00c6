// The GPUs that a kernel is written for, and what is a fact of the target
// rather than of one GPU (those numbers are sim/arch's):
//
//   InfoOf(Target::kSm100a).arch    "b200"
//   TargetNamed("sm_90a")           Target::kSm90a
//
// A new target is an enumerator and a row.
#ifndef TILESIM_IR_TARGET_H_
#define TILESIM_IR_TARGET_H_

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace tilesim::ir {

enum class Target : uint8_t { kSm90a, kSm100a };

struct TargetInfo {
  Target target;
  std::string_view name;   // in programs, and for compilers
  int compute_capability;  // major; code with the `a` suffix runs on minor 0
  std::string_view arch;   // the GPU it is for unless told otherwise
  int64_t sms;             // of that GPU
  bool cta_pairs;          // .cta_group: two CTAs of a cluster as one
};

inline constexpr TargetInfo kTargets[] = {
    {Target::kSm90a, "sm_90a", 9, "h200", 132, false},
    {Target::kSm100a, "sm_100a", 10, "b200", 148, true},
};

constexpr const TargetInfo& InfoOf(Target target) {
  return kTargets[static_cast<int>(target)];
}
constexpr std::string_view Name(Target target) { return InfoOf(target).name; }
std::optional<Target> TargetNamed(std::string_view name);

// Sets of targets, as the op table has them.
constexpr uint8_t BitOf(Target target) {
  return static_cast<uint8_t>(1 << static_cast<int>(target));
}
inline constexpr uint8_t kOnSm90a = BitOf(Target::kSm90a);
inline constexpr uint8_t kOnSm100a = BitOf(Target::kSm100a);
inline constexpr uint8_t kOnAll = (1 << std::size(kTargets)) - 1;
// "sm_90a, sm_100a"
std::string NamesOf(uint8_t targets, std::string_view separator);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_TARGET_H_
