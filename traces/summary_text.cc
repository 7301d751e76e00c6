#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "traces/numbers_text.h"
#include "traces/path_text.h"
#include "traces/summary.h"
#include "traces/text_table.h"

namespace tilesim::traces {
namespace {

std::vector<std::string> ClockErrorRow(const ClockError& e) {
  if (e.points == 0)
    return {"Clock error", "unknown", "no such GPU was ever measured"};
  if (e.unseen)
    return {
        "Clock error",
        absl::StrFormat("%.0f %%", std::round(e.unseen->mean_time)),
        absl::StrFormat("of the duration on average, in %d programs on an %s "
                        "that the model was not made with (worst %+.0f %%); "
                        "%.0f %% at the %d points that it was made with",
                        e.unseen->programs, e.gpu, e.unseen->worst_time,
                        std::round(e.mean_time), e.points)};
  return {"Clock error", absl::StrFormat("%.0f %%", e.mean_time),
          absl::StrFormat("of the duration, mean of %d %s on an %s; worst "
                          "%+.0f %%",
                          e.points, e.of, e.gpu, e.worst_time)};
}

// "M = 4096, N = 4096"
std::string Values(const std::vector<std::pair<std::string, int64_t>>& values) {
  return absl::StrJoin(values, ", ", [](std::string* out, const auto& v) {
    absl::StrAppend(out, v.first, " = ", v.second);
  });
}

// What else than the file decides the numbers below.
std::string Head(const RunReport& report) {
  std::string title = report.file;
  if (!report.kernels.empty()) {
    absl::StrAppend(&title, ": ",
                    absl::StrJoin(report.kernels, ", ",
                                  [](std::string* out, const KernelReport& k) {
                                    out->append(k.name);
                                  }));
  } else if (!report.program.empty()) {
    absl::StrAppend(&title, ": ", report.program);
  }
  absl::StrAppend(&title, " on ", report.arch, "\n");
  for (const auto& values : {report.params, report.constants}) {
    if (!values.empty()) absl::StrAppend(&title, "  ", Values(values), "\n");
  }
  std::vector<std::string> how;
  if (report.seed) how.push_back(absl::StrCat("seed ", *report.seed));
  if (!report.l2.empty()) how.push_back(absl::StrCat("L2 ", report.l2));
  if (!report.version.empty()) how.push_back(report.version);
  if (!how.empty())
    absl::StrAppend(&title, "  ", absl::StrJoin(how, ", "), "\n");
  return title;
}

std::string SpeedOfLight(const RunReport& report) {
  TextTable table({kLeft, kRight, kLeft});
  if (!report.finished) {
    table.Row({"Duration", "none", "it did not end"});
    table.Row({"Stopped at", Grouped(report.cycles), "SM cycles"});
    return Section("GPU Speed Of Light Throughput", table);
  }
  table.Row({"Duration", absl::StrFormat("%.2f us", report.time_us()),
             report.measured_us ? "measured" : ""});
  table.Row({"SM cycles", Grouped(report.cycles),
             absl::StrFormat("at %.0f MHz", report.clock_mhz)});
  if (report.clock_error) table.Row(ClockErrorRow(*report.clock_error));
  std::string of_peak;
  if (report.peak_fraction) {
    of_peak = absl::StrCat(Percent(*report.peak_fraction), " of peak");
    if (report.traffic)
      absl::StrAppendFormat(&of_peak,
                            ", %.1f TFLOP/s at the clock without load",
                            report.traffic->peak_tflops);
  }
  if (report.tflops) {
    table.Row({"Throughput", absl::StrFormat("%.1f TFLOP/s", *report.tflops),
               of_peak});
  }
  if (!report.bound_by.empty())
    table.Row({"Bound by", report.bound_by, report.bound_why});
  return Section("GPU Speed Of Light Throughput", table);
}

std::string LaunchStatistics(const LaunchReport& launch,
                             const std::string& title) {
  TextTable table({kLeft, kRight, kLeft});
  table.Row({"Grid", launch.grid, absl::StrCat(Grouped(launch.ctas), " CTAs")});
  if (!launch.cluster.empty()) table.Row({"Cluster", launch.cluster});
  table.Row({"Threads per CTA", Grouped(launch.threads_per_cta)});
  table.Row(
      {"Waves", absl::StrFormat("%.2f", launch.waves),
       absl::StrCat(launch.sms, " SMs, ", launch.ctas_per_sm,
                    launch.ctas_per_sm == 1 ? " CTA" : " CTAs", " on each")});
  table.Row({"Shared memory", Grouped(launch.shared_bytes), "bytes per CTA"});
  if (launch.registers_per_thread > 0) {
    table.Row(
        {"Registers", Grouped(launch.registers_per_thread), "per thread"});
  }
  if (launch.tmem_columns > 0) {
    table.Row({"Tensor memory", Grouped(launch.tmem_columns), "columns"});
  }
  return Section(title, table);
}

// Of each kernel under its name, if there are several.
std::string Launches(const RunReport& report) {
  if (report.kernels.empty()) {
    return report.launch ? LaunchStatistics(*report.launch, "Launch Statistics")
                         : "";
  }
  TextTable times({kLeft, kRight, kRight, kRight});
  times.Row({"kernel", "from cycle", "cycles", "share"});
  std::string launches;
  for (const KernelReport& k : report.kernels) {
    if (report.finished)
      times.Row({k.name, Grouped(k.start), Grouped(k.end - k.start),
                 Percent(k.end - k.start, report.cycles)});
    absl::StrAppend(
        &launches,
        LaunchStatistics(k.launch,
                         absl::StrCat("Launch Statistics of ", k.name)));
  }
  return absl::StrCat(report.finished ? Section("Kernels", times) : "",
                      launches);
}

// "191.85 MB", "944 GB/s", "of 4,267"
std::string Traffic(const RunReport& report) {
  if (!report.traffic || !report.finished) return "";
  const TrafficReport& t = *report.traffic;
  TextTable table({kLeft, kRight, kRight, kLeft});
  const auto row = [&](const std::string& name, double bytes, double most,
                       const std::string& of_what) {
    const double gbps = t.seconds > 0 ? bytes / t.seconds / 1e9 : 0;
    table.Row({name, absl::StrFormat("%.2f MB", bytes / 1e6),
               absl::StrCat(Grouped(std::llround(gbps)), " GB/s"),
               most > 0
                   ? absl::StrCat("of ", Grouped(std::llround(most)), of_what)
                   : ""});
  };
  row("HBM", t.hbm_bytes, t.hbm_gbps, ", of these reads and writes");
  row("L2", t.l2_bytes, t.l2_gbps, ", the ports of all SMs");
  row("Shared memory", t.shared_bytes, 0, "");
  if (t.l2_hit_rate) table.Row({"L2 hit rate", Percent(*t.l2_hit_rate)});
  return Section("Memory Traffic", table);
}

// Arithmetic intensity beside where the roof bends.
std::string Roofline(const RunReport& report) {
  if (!report.traffic || report.traffic->flops <= 0 || !report.finished)
    return "";
  const TrafficReport& t = *report.traffic;
  TextTable table({kLeft, kRight, kLeft});
  const auto row = [&](const std::string& name, const std::string& memory,
                       double bytes, double most) {
    if (bytes <= 0 || most <= 0) {
      table.Row({name, "-", "no bytes moved"});
      return;
    }
    const double intensity = t.flops / bytes,
                 ridge = t.peak_tflops * 1e3 / most;
    table.Row({name, absl::StrFormat("%.1f FLOP/B", intensity),
               absl::StrFormat("%s %.1f FLOP/B: %s limits it%s",
                               intensity < ridge ? "below" : "above", ridge,
                               intensity < ridge ? memory : "compute",
                               intensity < ridge ? "" : ", not " + memory)});
  };
  row("of HBM", "HBM", t.hbm_bytes, t.hbm_gbps);
  row("of L2", "L2", t.l2_bytes, t.l2_gbps);
  return Section("Arithmetic Intensity", table);
}

std::string Units(const RunReport& report, UnitClass unit_class,
                  const std::string& title) {
  TextTable table({kLeft, kRight});
  for (const UnitReport& unit : report.units) {
    if (unit.unit_class != unit_class) continue;
    table.Row({unit.name, absl::StrCat(Percent(unit.busy), " busy")});
  }
  return Section(title, table);
}

// One line a role, then one for each further thing it waited for, longest
// wait first.
void AddRole(const RoleReport& role, TextTable* table) {
  std::vector<WaitTotal> waits = role.waits;
  std::stable_sort(waits.begin(), waits.end(),
                   [](const WaitTotal& a, const WaitTotal& b) {
                     return a.cycles > b.cycles;
                   });
  const std::string name = role.kernel.empty()
                               ? role.name
                               : absl::StrCat(role.kernel, ": ", role.name);
  std::vector<std::string> row = {name, Grouped(role.warps),
                                  Percent(role.busy, role.lifetime)};
  for (const WaitTotal& wait : waits) {
    const double mean =
        static_cast<double>(wait.cycles) / std::max<int64_t>(wait.count, 1);
    row.push_back(Percent(wait.cycles, role.lifetime));
    row.push_back(wait.for_ever == 0
                      ? wait.on
                      : absl::StrCat(wait.on, ", for ever at line ", wait.at));
    row.push_back(Grouped(wait.count));
    row.push_back(absl::StrFormat("%.1f", mean));
    table->Row(std::move(row));
    row = {"", "", ""};
  }
  if (waits.empty()) table->Row(std::move(row));
}

std::string WarpStates(const RunReport& report) {
  if (report.roles.empty()) return "";
  TextTable table({kLeft, kRight, kRight, kRight, kLeft, kRight, kRight});
  table.Row({"role", "warps", "busy", "waits", "on", "times", "mean cycles"});
  for (const RoleReport& role : report.roles) AddRole(role, &table);
  return Section("Warp State Statistics (share of each role's lifetime)",
                 table);
}

// Whether it is right comes first.
std::string CheckedText(const ResultReport& result) {
  if (!result.checked) return "no";
  if (result.wrong > 0)
    return absl::StrCat("wrong: ", Grouped(result.wrong), " of ",
                        Grouped(result.compared), " elements differ");
  if (result.compared == 0) return "yes";
  return absl::StrCat("right, in ", Grouped(result.compared), " elements");
}

// Sums of MMAs are right or wrong whatever the program makes of them.
std::string BitsText(const ResultReport& result) {
  if (result.bit_exact_of.empty()) return *result.bit_exact ? "yes" : "no";
  return absl::StrCat(
      *result.bit_exact ? "bit for bit those of " : "differ in bits from ",
      result.bit_exact_of);
}

std::string ErrorText(double error, int64_t nan_elements) {
  if (nan_elements == 0) return absl::StrFormat("%.6g", error);
  return absl::StrFormat("NaN in %s elements, %.6g in the others",
                         Grouped(nan_elements), error);
}

std::string Result(const RunReport& report) {
  const ResultReport& result = report.result;
  TextTable table({kLeft, kLeft});
  table.Row({"Checked", CheckedText(result)});
  for (const std::string& one : result.not_compared)
    table.Row({&one == result.not_compared.data() ? "Not compared" : "", one});
  if (result.checked && result.wrong == 0 && !result.compared_at.empty())
    table.Row({"Compared at", result.compared_at});
  if (!result.coverage.empty()) table.Row({"Coverage", result.coverage});
  if (result.bit_exact) {
    table.Row({result.bit_exact_title, BitsText(result)});
  } else if (!result.bit_exact_note.empty()) {
    table.Row({result.bit_exact_title, result.bit_exact_note});
  }
  const auto number = [&table](const std::string& name,
                               const std::optional<double>& value,
                               const std::string& words) {
    if (value) table.Row({name, absl::StrFormat("%.6g%s", *value, words)});
  };
  const auto error = [&](const std::string& name,
                         const std::optional<double>& value,
                         const std::string& words) {
    if (value && result.nan_elements > 0)
      return table.Row({name, ErrorText(*value, result.nan_elements) + words});
    number(name, value, words);
  };
  error("Max absolute error", result.max_abs_error,
        ", against the exact result of the same inputs");
  error("Max relative error", result.max_rel_error, "");
  number("Error allowed", result.bound,
         ", by the formats and the order of sums");
  for (const ExpectedReport& e : result.expected) {
    table.Row(
        {e.tensor + " as expected",
         absl::StrFormat("%s, in %s of %s elements; largest error %s (%s)",
                         e.failed == 0 ? "yes" : "no",
                         Grouped(e.compared - e.failed), Grouped(e.elements),
                         ErrorText(e.max_abs_error, e.nan_elements), e.file)});
  }
  return Section("Result", table);
}

// In full where the caller has that, else a line each.
std::string Findings(const RunReport& report) {
  TextTable table({kLeft});
  std::string whole;
  for (const FindingLine& finding : report.findings) {
    if (!finding.text.empty()) {
      absl::StrAppend(&whole, "\n", finding.text);
      continue;
    }
    table.Row({absl::StrCat(finding.severity, "[", finding.code,
                            "]: ", finding.message, " (", finding.file, ":",
                            finding.line, ":", finding.column, ")")});
  }
  if (whole.empty()) return Section("Findings", table);
  return absl::StrCat("\nFindings\n", table.Render("  "), whole);
}

}  // namespace

std::string ResultSummary(const RunReport& report) {
  return absl::StrCat(Head(report), Result(report), Findings(report));
}

std::string TextSummary(const RunReport& report) {
  return absl::StrCat(
      Head(report), SpeedOfLight(report), BaselineText(report),
      Launches(report),
      Units(report, UnitClass::kCompute, "Compute Workload Analysis"),
      Units(report, UnitClass::kMemory, "Memory Workload Analysis"),
      Traffic(report), Roofline(report), WarpStates(report),
      CriticalPathText(report), LinesText(report), HintsText(report),
      Result(report), Findings(report));
}

}  // namespace tilesim::traces
