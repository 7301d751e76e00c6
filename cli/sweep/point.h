// One point of a sweep: the program with these values, and what became of it.
#ifndef TILESIM_CLI_SWEEP_POINT_H_
#define TILESIM_CLI_SWEEP_POINT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilesim::cli {

enum class PointState : uint8_t {
  kTimed,     // ran to its end: can be ranked
  kIllegal,   // there is no such program; says which rule
  kFindings,  // it hangs, does not store its result, or the check found more
  kStopped,   // by a limit on cycles or memory
};
inline constexpr std::array<std::string_view, 4> kPointStates = {
    "timed", "illegal", "findings", "stopped"};

inline std::string_view Name(PointState state) {
  return kPointStates[static_cast<size_t>(state)];
}

struct Point {
  int64_t number = 0;  // in the grid
  PointState state = PointState::kTimed;
  std::string code;    // of the rule or finding; not of kTimed, kStopped
  std::string reason;  // why it cannot be ranked
  std::string check;   // the verdict: clean, findings, incomplete; or not asked
  // Of kTimed:
  int64_t cycles = 0;
  double clock_mhz = 0;
  double time_us = 0;
  double flops = 0;  // 0: `computes` names no product
  std::string bound_by;
  int64_t ctas_per_sm = 0;
  int64_t shared_bytes = 0;  // of a CTA

  bool timed() const { return state == PointState::kTimed; }
  double tflops() const { return time_us > 0 ? flops / time_us / 1e6 : 0; }
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SWEEP_POINT_H_
