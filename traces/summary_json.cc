#include <optional>

#include "nlohmann/json.hpp"
#include "traces/summary.h"

namespace tilesim::traces {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json OrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

double Fraction(int64_t part, int64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

Json RoleJson(const RoleReport& role) {
  Json waits = Json::array();
  for (const WaitTotal& wait : role.waits) {
    waits.push_back({{"on", wait.on},
                     {"fraction", Fraction(wait.cycles, role.lifetime)},
                     {"cycles", wait.cycles},
                     {"count", wait.count}});
  }
  return {{"name", role.name},
          {"agents", role.agents},
          {"lifetime_cycles", role.lifetime},
          {"busy", Fraction(role.busy, role.lifetime)},
          {"busy_cycles", role.busy},
          {"waits", std::move(waits)}};
}

Json UnitJson(const UnitReport& unit) {
  const bool memory = unit.unit_class == UnitClass::kMemory;
  return {{"name", unit.name},
          {"class", memory ? "memory" : "compute"},
          {"busy", unit.busy},
          {"ops", unit.ops},
          {"bytes", unit.bytes}};
}

Json LaunchJson(const std::optional<LaunchReport>& launch) {
  if (!launch.has_value()) return nullptr;
  return {{"grid", launch->grid},
          {"cluster", OrNull(launch->cluster)},
          {"threads_per_cta", launch->threads_per_cta},
          {"ctas", launch->ctas},
          {"sms", launch->sms},
          {"ctas_per_sm", launch->ctas_per_sm},
          {"waves", launch->waves},
          {"shared_bytes", launch->shared_bytes},
          {"registers_per_thread", launch->registers_per_thread},
          {"tmem_columns", launch->tmem_columns}};
}

Json StepJson(const PathStep& step) {
  return {{"start", step.start},
          {"end", step.end},
          {"who", step.who},
          {"what", step.what},
          {"line", step.line > 0 ? Json(step.line) : Json(nullptr)}};
}

Json ResultJson(const ResultReport& result) {
  return {{"checked", result.checked},
          {"coverage", OrNull(result.coverage)},
          {"bit_exact", OrNull(result.bit_exact)},
          {"bit_exact_note", result.bit_exact_note},
          {"max_abs_error", OrNull(result.max_abs_error)},
          {"max_rel_error", OrNull(result.max_rel_error)},
          {"bound", OrNull(result.bound)}};
}

Json FindingJson(const FindingLine& finding) {
  return {{"code", finding.code},
          {"severity", finding.severity},
          {"occurs", OrNull(finding.occurs)},
          {"message", finding.message},
          {"location",
           {{"file", finding.file},
            {"line", finding.line},
            {"column", finding.column}}}};
}

Json ClockErrorJson(const std::optional<ClockError>& e) {
  if (!e || e->points == 0) return nullptr;
  return {{"points", e->points},
          {"mean_time_percent", e->mean_time},
          {"worst_time_percent", e->worst_time},
          {"mean_cycles_percent", e->mean_cycles},
          {"worst_cycles_percent", e->worst_cycles}};
}

template <typename T, typename Render>
Json List(const std::vector<T>& items, Render render) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(render(item));
  return list;
}

}  // namespace

Json JsonSummary(const RunReport& report) {
  return {{"file", report.file},
          {"program", OrNull(report.program)},
          {"arch", report.arch},
          {"cycles", report.cycles},
          {"clock_mhz", report.clock_mhz},
          {"time_us", report.time_us()},
          {"clock_error", ClockErrorJson(report.clock_error)},
          {"tflops", OrNull(report.tflops)},
          {"peak_fraction", OrNull(report.peak_fraction)},
          {"bound_by", OrNull(report.bound_by)},
          {"launch", LaunchJson(report.launch)},
          {"roles", List(report.roles, RoleJson)},
          {"units", List(report.units, UnitJson)},
          {"critical_path", List(report.critical_path, StepJson)},
          {"result", ResultJson(report.result)},
          {"findings", List(report.findings, FindingJson)}};
}

}  // namespace tilesim::traces
