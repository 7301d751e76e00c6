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
                     {"count", wait.count},
                     {"for_ever", wait.for_ever},
                     {"at", OrNull(wait.at)}});
  }
  return {{"name", role.name},
          {"kernel", OrNull(role.kernel)},
          {"warps", role.warps},
          {"lifetime_cycles", role.lifetime},
          {"busy", Fraction(role.busy, role.lifetime)},
          {"busy_cycles", role.busy},
          {"waits", std::move(waits)}};
}

Json UnitJson(const UnitReport& unit) {
  const bool memory = unit.unit_class == UnitClass::kMemory;
  return {{"name", unit.name},
          {"class", memory ? "memory" : "compute"},
          {"busy", unit.busy}};
}

Json LaunchJson(const std::optional<LaunchReport>& launch) {
  if (!launch.has_value()) return nullptr;
  return {{"grid", launch->grid},
          {"grid_size", launch->grid_size},
          {"cluster", OrNull(launch->cluster)},
          {"cluster_size", launch->cluster_size},
          {"threads_per_cta", launch->threads_per_cta},
          {"ctas", launch->ctas},
          {"sms", launch->sms},
          {"ctas_per_sm", launch->ctas_per_sm},
          {"waves", launch->waves},
          {"shared_bytes", launch->shared_bytes},
          {"registers_per_thread", launch->registers_per_thread},
          {"tmem_columns", launch->tmem_columns}};
}

Json ShareJson(const PathShare& s, int64_t all) {
  return {{"share", Fraction(s.cycles, all)},
          {"cycles", s.cycles},
          {"cause", s.cause},
          {"op", OrNull(s.op)},
          {"file", OrNull(s.file)},
          {"line", s.line > 0 ? Json(s.line) : Json(nullptr)},
          {"source", OrNull(s.source)}};
}

Json PathJson(const std::vector<PathShare>& path) {
  int64_t all = 0;
  for (const PathShare& s : path) all += s.cycles;
  Json list = Json::array();
  for (const PathShare& s : path) list.push_back(ShareJson(s, all));
  return list;
}

Json KernelJson(const KernelReport& k) {
  return {{"name", k.name},
          {"launch", LaunchJson(k.launch)},
          {"start_cycle", k.start},
          {"end_cycle", k.end}};
}

Json TrafficJson(const std::optional<TrafficReport>& traffic) {
  if (!traffic) return nullptr;
  const TrafficReport& t = *traffic;
  const auto rate = [&](double bytes) {
    return t.seconds > 0 ? Json(bytes / t.seconds / 1e9) : Json(nullptr);
  };
  return {{"flops", t.flops > 0 ? Json(t.flops) : Json(nullptr)},
          {"hbm_bytes", t.hbm_bytes},
          {"hbm_gb_per_s", rate(t.hbm_bytes)},
          {"hbm_peak_gb_per_s", t.hbm_gbps},
          {"l2_bytes", t.l2_bytes},
          {"l2_gb_per_s", rate(t.l2_bytes)},
          {"l2_peak_gb_per_s", t.l2_gbps},
          {"l2_hit_rate", OrNull(t.l2_hit_rate)},
          {"shared_bytes", t.shared_bytes},
          {"shared_gb_per_s", rate(t.shared_bytes)},
          {"peak_tflops", t.peak_tflops},
          {"flop_per_hbm_byte", OrNull(t.intensity())},
          {"ridge_flop_per_byte", t.ridge()}};
}

Json LineJson(const LineReport& l) {
  Json waits = Json::array();
  for (const LineReport::Wait& w : l.waits) {
    waits.push_back({{"on", w.on},
                     {"by_line", w.by_line > 0 ? Json(w.by_line) : Json()},
                     {"by", OrNull(w.by)},
                     {"by_role", OrNull(w.role)},
                     {"cycles", w.cycles},
                     {"count", w.count}});
  }
  return {{"file", l.file},
          {"line", l.line},
          {"kernel", OrNull(l.kernel)},
          {"executed", l.executed},
          {"busy_cycles", l.busy},
          {"waited_cycles", l.waited},
          {"operations", l.flights},
          {"in_flight_cycles", l.in_flight},
          {"critical_path_cycles", l.on_path},
          {"bank_cycles", l.bank_cycles},
          {"least_bank_cycles", l.least_bank_cycles},
          {"waits", std::move(waits)}};
}

Json HintJson(const Hint& h) {
  return {{"change", h.change}, {"time_us", h.time_us}, {"of_time", h.of_time}};
}

Json BaselineJson(const Baseline& b) {
  Json deltas = Json::array();
  for (const Delta& d : b.deltas) {
    deltas.push_back({{"what", d.what},
                      {"before", d.before},
                      {"now", d.now},
                      {"unit", d.share ? "1" : d.unit}});
  }
  return {
      {"file", b.file}, {"differs", b.differs}, {"deltas", std::move(deltas)}};
}

Json NamedJson(const std::vector<std::pair<std::string, int64_t>>& values) {
  Json out = Json::object();
  for (const auto& [name, value] : values) out[name] = value;
  return out;
}

Json ExpectedJson(const std::vector<ExpectedReport>& all) {
  Json out = Json::array();
  for (const ExpectedReport& e : all) {
    out.push_back({{"tensor", e.tensor},
                   {"file", e.file},
                   {"elements", e.elements},
                   {"compared", e.compared},
                   {"failed", e.failed},
                   {"max_abs_error", e.max_abs_error},
                   {"nan_elements", e.nan_elements},
                   {"tolerance", e.tolerance}});
  }
  return out;
}

Json ResultJson(const ResultReport& result) {
  return {{"checked", result.checked},
          {"compared", result.compared},
          {"wrong", result.wrong},
          {"not_compared", result.not_compared},
          {"coverage", OrNull(result.coverage)},
          {"valued_ctas", OrNull(result.valued_ctas)},
          {"bit_exact", OrNull(result.bit_exact)},
          {"bit_exact_note", result.bit_exact_note},
          {"bit_exact_of", OrNull(result.bit_exact_of)},
          {"max_abs_error", OrNull(result.max_abs_error)},
          {"max_rel_error", OrNull(result.max_rel_error)},
          {"nan_elements", result.nan_elements},
          {"bound", OrNull(result.bound)},
          {"expected", ExpectedJson(result.expected)}};
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

Json UnseenJson(const std::optional<ClockError::Unseen>& u) {
  if (!u) return nullptr;
  return {{"programs", u->programs},
          {"mean_time_percent", u->mean_time},
          {"worst_time_percent", u->worst_time}};
}

Json ClockErrorJson(const std::optional<ClockError>& e) {
  if (!e || e->points == 0) return nullptr;
  return {{"points", e->points},
          {"of", e->of},
          {"gpu", e->gpu},
          {"mean_time_percent", e->mean_time},
          {"worst_time_percent", e->worst_time},
          {"mean_cycles_percent", OrNull(e->mean_cycles)},
          {"worst_cycles_percent", OrNull(e->worst_cycles)},
          {"unseen", UnseenJson(e->unseen)}};
}

template <typename T, typename Render>
Json List(const std::vector<T>& items, Render render) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(render(item));
  return list;
}

}  // namespace

Json JsonSummary(const RunReport& report) {
  Json out = {
      {"file", report.file},
      {"program", OrNull(report.program)},
      {"arch", report.arch},
      {"version", OrNull(report.version)},
      {"params", NamedJson(report.params)},
      {"constants", NamedJson(report.constants)},
      {"seed", OrNull(report.seed)},
      {"l2", OrNull(report.l2)},
      {"finished", report.finished},
      {"cycles", report.cycles},
      {"clock_mhz", report.clock_mhz},
      {"time_us", report.finished ? Json(report.time_us()) : Json(nullptr)},
      {"clock_error", ClockErrorJson(report.clock_error)},
      {"tflops", OrNull(report.tflops)},
      {"peak_fraction", OrNull(report.peak_fraction)},
      {"bound_by", OrNull(report.bound_by)},
      {"launch", LaunchJson(report.launch)},
      {"kernels", List(report.kernels, KernelJson)},
      {"roles", List(report.roles, RoleJson)},
      {"units", List(report.units, UnitJson)},
      {"traffic", TrafficJson(report.traffic)},
      {"critical_path", PathJson(report.critical_path)}};
  if (report.lines) out["lines"] = List(*report.lines, LineJson);
  if (report.hinted) {
    out["hints"] = List(report.hints, HintJson);
    out["hints_tried"] = report.tried;
  }
  if (report.baseline) out["baseline"] = BaselineJson(*report.baseline);
  out["result"] = ResultJson(report.result);
  out["findings"] = List(report.findings, FindingJson);
  return out;
}

}  // namespace tilesim::traces
