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
//   report.roles.push_back({.name = "mma", .warps = 132,
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
  int64_t count = 0;     // how many waits
  int64_t for_ever = 0;  // of them, that never ended
  std::string at{};      // line of one of these, "13" or "tiles.inc:13"
};

// One role, summed over every CTA that ran it. busy + all waits = lifetime.
struct RoleReport {
  std::string name{};
  std::string kernel{};  // empty: the only one
  int64_t warps = 0;     // of all CTAs
  int64_t lifetime = 0;  // cycles, birth to death
  int64_t busy = 0;      // cycles of work
  std::vector<WaitTotal> waits{};
};

enum class UnitClass : uint8_t { kCompute, kMemory };

// One kind of hardware unit, averaged over its instances.
struct UnitReport {
  std::string name{};  // "tensor core", "TMA", "L2", "HBM"
  UnitClass unit_class = UnitClass::kCompute;
  double busy = 0;  // fraction of the run, 0..1
};

// What the end of the run was waiting for: cycles of the critical path that one
// op spent on one cause. All together are the run.
struct PathShare {
  int64_t cycles = 0;
  std::string cause{};   // "tensor core", "L2", "barriers"
  std::string op{};      // "wgmma.mma_async"; empty: several, or a launch
  std::string source{};  // its line of the program
  int32_t line = 0;      // 0: no line
  std::string file{};
};

// A file of the program, line by line.
struct SourceText {
  std::string path{};
  std::vector<std::string> lines{};
};

// One line of the program, over the whole run and all CTAs.
struct LineReport {
  struct Wait {
    std::string on{};     // "mbarrier full"
    int32_t by_line = 0;  // of the op that ended it; 0: none
    std::string by{};     // that op
    std::string role{};   // who executed it; empty: outside of roles
    int64_t cycles = 0;
    int64_t count = 0;
  };
  std::string file{};
  int32_t line = 0;
  std::string kernel{};    // empty: the only one
  int64_t executed = 0;    // by warps or groups of warps, once each
  int64_t busy = 0;        // cycles of them
  int64_t waited = 0;      // cycles before it could be executed
  int64_t flights = 0;     // asynchronous operations that it started
  int64_t in_flight = 0;   // cycles from their issue to their end, added up
  int64_t on_path = 0;     // cycles of the critical path
  double bank_cycles = 0;  // of the banks of shared memory
  double least_bank_cycles = 0;  // if no two lanes asked a bank for two words
  std::vector<Wait> waits{};     // the longest first
};

// What was moved, and how far that is from what the GPU can do.
struct TrafficReport {
  double flops = 0;  // that the program is worth; 0: not known
  double hbm_bytes = 0, l2_bytes = 0, shared_bytes = 0;
  std::optional<double> l2_hit_rate{};  // of what is read, 0..1
  double seconds = 0;                   // of the cycles
  double peak_tflops = 0;               // of these operands
  double hbm_gbps = 0;  // at most, of so many reads to so many writes
  double l2_gbps = 0;   // at most, by the ports of all SMs
  // FLOP a byte of HBM; infinite traffic-free runs have none.
  std::optional<double> intensity() const {
    if (flops <= 0 || hbm_bytes <= 0) return std::nullopt;
    return flops / hbm_bytes;
  }
  // Where the roof bends: below it HBM is the limit.
  double ridge() const {
    return hbm_gbps > 0 ? peak_tflops * 1e3 / hbm_gbps : 0;
  }
};

// The same program with another constant, run to see.
struct Hint {
  std::string change{};  // "STAGES = 4"
  double time_us = 0;
  double of_time = 0;  // less 1: what it gains, negative
};

// One number of an earlier run, beside this one's.
struct Delta {
  std::string what{};
  double before = 0, now = 0;
  std::string unit{};
  bool share = false;  // of 1, printed in percent
};

struct Baseline {
  std::string file{};
  std::vector<std::string> differs{};  // "M: 4096, was 2048"
  std::vector<Delta> deltas{};
};

// How the grid was laid on the machine.
struct LaunchReport {
  std::string grid{};  // "(32, 16)"
  std::vector<int64_t> grid_size{};
  std::string cluster{};  // "(2, 1)"
  std::vector<int64_t> cluster_size{};
  int64_t threads_per_cta = 0;
  int64_t ctas = 0;
  int64_t sms = 0;
  int64_t ctas_per_sm = 0;  // resident at once
  double waves = 0;         // ctas / (sms * ctas_per_sm)
  int64_t shared_bytes = 0;
  int64_t registers_per_thread = 0;
  int64_t tmem_columns = 0;
};

// A tensor against a file that says what it should hold.
struct ExpectedReport {
  std::string tensor{};
  std::string file{};
  int64_t elements = 0;
  int64_t compared = 0;  // what CTAs with values wrote
  int64_t failed = 0;
  double max_abs_error = 0;
  int64_t nan_elements = 0;  // as in ResultReport
  double tolerance = 0;      // relative; 0: the same bits
};

// How the computed values compare with what the program says it computes.
struct ResultReport {
  bool checked = false;  // something was compared with `computes`
  int64_t compared = 0;  // elements
  int64_t wrong = 0;     // of them, outside their bound
  std::vector<std::string> not_compared{};  // results, each with the reason
  std::string compared_at{};  // which sizes, and that there are others
  std::string coverage{};     // "8 of 512 CTAs: first, last, edges"
  std::optional<int64_t> valued_ctas{};  // whose values were computed
  std::optional<bool> bit_exact{};  // reference rule (run) or hardware (hw)
  // What `bit_exact` is about, in text: sums of MMAs (run), all bits of the
  // results (hw).
  std::string bit_exact_title = "Bit exact";
  std::string bit_exact_of{};    // what the bits were compared with
  std::string bit_exact_note{};  // why it is not known; may be empty
  std::optional<double> max_abs_error{};
  std::optional<double> max_rel_error{};
  int64_t nan_elements =
      0;  // NaN or not, unlike what is right: no error has a size
  std::optional<double> bound{};
  std::vector<ExpectedReport> expected{};
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
  std::string text{};  // all of it, as text reports show it; not in the JSON
};

// How far the clock is from a GPU that was measured, in percent; without a GPU
// (no points) nothing is known.
struct ClockError {
  int64_t points = 0;
  double mean_time = 0;   // of absolute errors
  double worst_time = 0;  // with its sign
  std::optional<double> mean_cycles{};
  std::optional<double> worst_cycles{};
  std::string of{};   // "measured points"
  std::string gpu{};  // on which they were measured
  // Of programs that the model was not made with: what others may expect.
  struct Unseen {
    int64_t programs = 0;
    double mean_time = 0, worst_time = 0;
  };
  std::optional<Unseen> unseen{};
};

// One kernel of a file that has several.
struct KernelReport {
  std::string name{};
  LaunchReport launch{};
  int64_t start = 0, end = 0;  // cycles: of its first CTA, of its last one
};

struct RunReport {
  std::string file{};
  std::string program{};  // the kernel's name
  std::string arch{};
  std::string version{};  // of tilesim
  std::optional<uint64_t> seed{};
  std::string l2{};  // before the run: "warm", "cold"
  std::vector<std::pair<std::string, int64_t>> params{}, constants{};
  bool finished = true;  // false: it hangs or faults, so nothing took a time
  int64_t cycles = 0;
  double clock_mhz = 0;
  double launch_us = 0;  // what events around the launch see beyond the cycles
  // Set by hardware runs, which measure it; otherwise the sum of both.
  std::optional<double> measured_us{};
  std::optional<ClockError> clock_error{};  // of a duration that is modelled
  std::optional<double> tflops{};
  std::optional<double> peak_fraction{};  // of the arch's rate for this dtype
  std::string bound_by{};   // "tensor core", "HBM", "latency (TMA)"
  std::string bound_why{};  // "78.2 % busy"
  std::optional<LaunchReport> launch{};
  std::vector<RoleReport> roles{};
  std::vector<UnitReport> units{};
  std::vector<KernelReport> kernels{};  // of several
  std::optional<TrafficReport> traffic{};
  std::vector<PathShare> critical_path{};          // the largest first
  std::optional<std::vector<LineReport>> lines{};  // if asked for
  std::vector<SourceText> sources{};  // with `lines`: the file, includes
  std::vector<Hint> hints{};
  bool hinted = false;               // they were looked for
  std::vector<std::string> tried{};  // "STAGES = 3, 5, 6", whatever came of it
  std::optional<Baseline> baseline{};
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
