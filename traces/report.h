// What one run amounts to, as plain data: the numbers that `tilesim run` and
// `tilesim hw` print, whether they come from the model or from a GPU.
//
// The simulator fills it, summary.h renders it (text for a terminal, JSON as
// the command line promises); nobody computes in between.
//
//   RunReport report;
//   report.file = "gemm.tile";
//   report.arch = "h200";
//   report.cycles = 198'000;
//   report.clock_mhz = 1980;          // time_us follows: 100.0
//   report.roles.push_back({.name = "mma", .agents = 132,
//                           .lifetime = 26'136'000, .busy = 20'000'000,
//                           .waits = {{"full", 6'136'000, 8448}}});
//
// Units are in the names or beside the fields. An absent optional is left out
// of the text and is null in JSON: it means "not known", never zero.

#ifndef TILESIM_TRACES_REPORT_H_
#define TILESIM_TRACES_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilesim::traces {

// Time that a role spent waiting on one barrier (or one other named thing:
// "bar.sync 1", "wgmma.wait", "TMA issue").
struct WaitTotal {
  std::string on{};
  int64_t cycles = 0;
  int64_t count = 0;  // how many waits
};

// One role, summed over every CTA that ran it. busy + all waits = lifetime.
struct RoleReport {
  std::string name{};
  int64_t agents = 0;    // how many instances are in the sums
  int64_t lifetime = 0;  // cycles, birth to death
  int64_t busy = 0;      // cycles of work
  std::vector<WaitTotal> waits{};
};

enum class UnitClass : uint8_t { kCompute, kMemory };

// One kind of hardware unit, averaged over its instances.
struct UnitReport {
  std::string name{};  // "tensor core", "TMA", "L2", "HBM"
  UnitClass unit_class = UnitClass::kCompute;
  double busy = 0;    // fraction of the run, 0..1
  int64_t ops = 0;    // operations served; 0: not counted
  int64_t bytes = 0;  // bytes moved; 0: moves none
};

// One step of the critical path: what the end of the run was waiting for.
struct PathStep {
  int64_t start = 0;  // cycle
  int64_t end = 0;
  std::string who{};   // "SM 12 CTA (3,0) mma"
  std::string what{};  // "ISSUE_MMA", "TMA load a[2]"
  int32_t line = 0;    // 0: no line
};

// How the grid was laid on the machine.
struct LaunchReport {
  std::string grid{};     // "(32, 16)"
  std::string cluster{};  // "(2, 1)"
  int64_t threads_per_cta = 0;
  int64_t ctas = 0;
  int64_t sms = 0;
  int64_t ctas_per_sm = 0;  // resident at once
  double waves = 0;         // ctas / (sms * ctas_per_sm)
  int64_t shared_bytes = 0;
  int64_t registers_per_thread = 0;
  int64_t tmem_columns = 0;
};

// How the computed values compare with what the program says it computes.
struct ResultReport {
  bool checked = false;
  std::string coverage{};           // "8 of 512 CTAs: first, last, edges"
  std::optional<bool> bit_exact{};  // reference rule (run) or hardware (hw)
  std::string bit_exact_note{};     // why it is not known; may be empty
  std::optional<double> max_abs_error{};
  std::optional<double> max_rel_error{};
  std::optional<double> bound{};
};

// A finding in one line. A caller that has the whole diagnostic replaces
// these objects in the JSON by its own, which hold the same keys and more.
struct FindingLine {
  std::string code{};      // "race/war"
  std::string severity{};  // "error" or "warning"
  std::string occurs{};    // "every" or "some" schedule; may be empty
  std::string message{};
  std::string file{};
  int32_t line = 0;
  int32_t column = 0;
};

// How far the clock is from a GPU that was measured, in percent; without a GPU
// (no points) nothing is known.
struct ClockError {
  int64_t points = 0;
  double mean_time = 0;   // of absolute errors
  double worst_time = 0;  // with its sign
  double mean_cycles = 0;
  double worst_cycles = 0;
};

struct RunReport {
  std::string file{};
  std::string program{};  // the kernel's name
  std::string arch{};
  int64_t cycles = 0;
  double clock_mhz = 0;
  double launch_us = 0;  // what events around the launch see beyond the cycles
  // Set by hardware runs, which measure it; otherwise the sum of both.
  std::optional<double> measured_us{};
  std::optional<ClockError> clock_error{};  // of a duration that is modelled
  std::optional<double> tflops{};
  std::optional<double> peak_fraction{};  // of the arch's rate for this dtype
  std::string bound_by{};                 // "tensor core", "HBM", "latency"
  std::optional<LaunchReport> launch{};
  std::vector<RoleReport> roles{};
  std::vector<UnitReport> units{};
  std::vector<PathStep> critical_path{};
  ResultReport result;
  std::vector<FindingLine> findings{};

  double time_us() const {
    if (measured_us.has_value()) return *measured_us;
    return clock_mhz > 0 ? static_cast<double>(cycles) / clock_mhz + launch_us
                         : 0;
  }
};

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_REPORT_H_
