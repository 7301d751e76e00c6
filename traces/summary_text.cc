#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "traces/summary.h"
#include "traces/text_table.h"

namespace tilesim::traces {
namespace {

constexpr auto kLeft = TextTable::kLeft;
constexpr auto kRight = TextTable::kRight;

// 1234567 -> "1,234,567"
std::string Grouped(int64_t value) {
  std::string text = absl::StrCat(value);
  const size_t first_digit = value < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

// "1,024 ops"; nothing if there are none.
std::string Counted(int64_t value, std::string_view what) {
  return value > 0 ? Grouped(value).append(what) : "";
}

std::string Percent(double fraction) {
  return absl::StrFormat("%.1f %%", fraction * 100);
}

std::string Percent(int64_t part, int64_t whole) {
  if (whole == 0) return "-";
  return Percent(static_cast<double>(part) / static_cast<double>(whole));
}

// A section under its title; nothing if the table is empty.
std::string Section(const std::string& title, const TextTable& table) {
  const std::string body = table.Render("  ");
  return body.empty() ? "" : absl::StrCat("\n", title, "\n", body);
}

std::vector<std::string> ClockErrorRow(const ClockError& e) {
  if (e.points == 0)
    return {"Clock error", "unknown", "no such GPU was ever measured"};
  return {"Clock error", absl::StrFormat("%.0f %%", e.mean_time),
          absl::StrFormat("of the duration, mean of %d measured points; worst "
                          "%+.0f %%",
                          e.points, e.worst_time)};
}

std::string SpeedOfLight(const RunReport& report) {
  TextTable table({kLeft, kRight, kLeft});
  table.Row({"Duration", absl::StrFormat("%.2f us", report.time_us()),
             report.measured_us ? "measured" : ""});
  table.Row({"SM cycles", Grouped(report.cycles),
             absl::StrFormat("at %.0f MHz", report.clock_mhz)});
  if (report.clock_error) table.Row(ClockErrorRow(*report.clock_error));
  const std::string of_peak =
      report.peak_fraction
          ? absl::StrCat(Percent(*report.peak_fraction), " of peak")
          : "";
  if (report.tflops) {
    table.Row({"Throughput", absl::StrFormat("%.1f TFLOP/s", *report.tflops),
               of_peak});
  }
  if (!report.bound_by.empty()) table.Row({"Bound by", report.bound_by});
  return Section("GPU Speed Of Light Throughput", table);
}

std::string LaunchStatistics(const RunReport& report) {
  if (!report.launch) return "";
  const LaunchReport& launch = *report.launch;
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
  return Section("Launch Statistics", table);
}

std::string Units(const RunReport& report, UnitClass unit_class,
                  const std::string& title) {
  TextTable table({kLeft, kRight, kRight, kRight});
  for (const UnitReport& unit : report.units) {
    if (unit.unit_class != unit_class) continue;
    table.Row({unit.name, absl::StrCat(Percent(unit.busy), " busy"),
               Counted(unit.ops, " ops"), Counted(unit.bytes, " bytes")});
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
  std::vector<std::string> row = {role.name, Grouped(role.agents),
                                  Percent(role.busy, role.lifetime)};
  for (const WaitTotal& wait : waits) {
    const double mean =
        static_cast<double>(wait.cycles) / std::max<int64_t>(wait.count, 1);
    row.push_back(Percent(wait.cycles, role.lifetime));
    row.push_back(wait.on);
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
  table.Row({"role", "agents", "busy", "waits", "on", "times", "mean cycles"});
  for (const RoleReport& role : report.roles) AddRole(role, &table);
  return Section("Warp State Statistics (share of each role's lifetime)",
                 table);
}

std::string CriticalPath(const RunReport& report) {
  TextTable table({kRight, kRight, kRight, kLeft, kLeft, kLeft});
  for (const PathStep& step : report.critical_path) {
    if (&step == report.critical_path.data()) {
      table.Row({"from", "cycles", "share", "who", "what"});
    }
    table.Row({Grouped(step.start), Grouped(step.end - step.start),
               Percent(step.end - step.start, report.cycles), step.who,
               step.what,
               step.line > 0 ? absl::StrCat("line ", step.line) : ""});
  }
  return Section("Critical Path", table);
}

std::string Result(const RunReport& report) {
  const ResultReport& result = report.result;
  TextTable table({kLeft, kLeft});
  table.Row({"Checked", result.checked ? "yes" : "no"});
  if (!result.coverage.empty()) table.Row({"Coverage", result.coverage});
  if (result.bit_exact) {
    table.Row({"Bit exact", *result.bit_exact ? "yes" : "no"});
  } else if (!result.bit_exact_note.empty()) {
    table.Row({"Bit exact", result.bit_exact_note});
  }
  const auto number = [&table](const std::string& name,
                               const std::optional<double>& value) {
    if (value) table.Row({name, absl::StrFormat("%.6g", *value)});
  };
  number("Max absolute error", result.max_abs_error);
  number("Max relative error", result.max_rel_error);
  number("Bound", result.bound);
  return Section("Result", table);
}

std::string Findings(const RunReport& report) {
  TextTable table({kLeft});
  for (const FindingLine& finding : report.findings) {
    table.Row({absl::StrCat(finding.severity, "[", finding.code,
                            "]: ", finding.message, " (", finding.file, ":",
                            finding.line, ":", finding.column, ")")});
  }
  return Section("Findings", table);
}

}  // namespace

std::string TextSummary(const RunReport& report) {
  std::string title = report.file;
  if (!report.program.empty()) absl::StrAppend(&title, ": ", report.program);
  return absl::StrCat(
      title, " on ", report.arch, "\n", SpeedOfLight(report),
      LaunchStatistics(report),
      Units(report, UnitClass::kCompute, "Compute Workload Analysis"),
      Units(report, UnitClass::kMemory, "Memory Workload Analysis"),
      WarpStates(report), CriticalPath(report), Result(report),
      Findings(report));
}

}  // namespace tilesim::traces
