#include "nlohmann/json.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "cli/sweep/show.h"
#include "ir/cat.h"

namespace tilesim::cli {
namespace {

using Json = nlohmann::ordered_json;

Json ValuesJson(const Sweep& sweep, const Grid& grid, int64_t number) {
  Json out = Json::object();
  std::vector<int64_t> values = grid.ValuesAt(number);
  for (size_t i = 0; i < values.size(); ++i) {
    for (const std::string& name : sweep.axes[i].names()) out[name] = values[i];
  }
  return out;
}

Json PointJson(const Sweep& sweep, const Grid& grid, const Point& p) {
  Json out = {{"number", p.number},
              {"values", ValuesJson(sweep, grid, p.number)},
              {"state", Name(p.state)}};
  if (!p.check.empty()) out["check"] = p.check;
  if (!p.timed()) {
    out["code"] = p.code.empty() ? Json(nullptr) : Json(p.code);
    out["reason"] = p.reason;
    return out;
  }
  out["cycles"] = p.cycles;
  out["clock_mhz"] = p.clock_mhz;
  out["time_us"] = p.time_us;
  out["flops"] = p.flops > 0 ? Json(p.flops) : Json(nullptr);
  out["tflops"] = p.flops > 0 ? Json(p.tflops()) : Json(nullptr);
  out["bound_by"] = p.bound_by;
  out["ctas_per_sm"] = p.ctas_per_sm;
  out["shared_bytes"] = p.shared_bytes;
  return out;
}

Json MeasuredJson(const Sweep& sweep, const Grid& grid, const Measured& m) {
  Json out = {{"device", m.device.empty() ? Json(nullptr) : Json(m.device)},
              {"missing", m.missing.empty() ? Json(nullptr) : Json(m.missing)},
              {"points", Json::array()}};
  double best = 0;
  for (const MeasuredPoint& p : m.points) {
    bool timed = p.time_us > 0;
    if (timed && p.problem.empty() && (best == 0 || p.time_us < best))
      best = p.time_us;
    out["points"].push_back(
        {{"number", p.number},
         {"values", ValuesJson(sweep, grid, p.number)},
         {"time_us", timed ? Json(p.time_us) : Json(nullptr)},
         {"problem", p.problem.empty() ? Json(nullptr) : Json(p.problem)}});
  }
  bool known = best > 0 && m.points[0].time_us > 0;
  out["choice_of_best"] =
      known ? Json(m.points[0].time_us / best) : Json(nullptr);
  return out;
}

Json HeadJson(const Sweep& s) {
  Json out = {{"file", s.file},
              {"program", s.program},
              {"arch", s.arch},
              {"fingerprint", s.fingerprint},
              {"metric", Name(s.metric)},
              {"tie_percent", s.tie_percent},
              {"checked", s.checked},
              {"values_compared", s.valued},
              {"max_cycles", s.max_cycles > 0 ? Json(s.max_cycles) : Json()}};
  out["grid"] = Json::array();
  for (const Axis& a : s.axes)
    out["grid"].push_back({{"name", a.name},
                           {"kind", a.is_size ? "param" : "const"},
                           {"values", a.values}});
  out["own"] = Json::object();
  for (const auto& [name, value] : s.own) out["own"][name] = value;
  return out;
}

PointState StateOf(const std::string& name) {
  auto it = std::find(kPointStates.begin(), kPointStates.end(), name);
  if (it == kPointStates.end())
    throw std::out_of_range(ir::Cat("no state `", name, "`"));
  return static_cast<PointState>(it - kPointStates.begin());
}

Point PointOf(const Json& j, int64_t size) {
  Point p;
  p.number = j.at("number").get<int64_t>();
  if (p.number < 0 || p.number >= size)
    throw std::out_of_range(ir::Cat("no point ", p.number));
  p.state = StateOf(j.at("state").get<std::string>());
  p.check = j.value("check", "");
  if (!p.timed()) {
    if (!j.at("code").is_null()) p.code = j.at("code").get<std::string>();
    p.reason = j.at("reason").get<std::string>();
    return p;
  }
  p.cycles = j.at("cycles").get<int64_t>();
  p.clock_mhz = j.at("clock_mhz").get<double>();
  p.time_us = j.at("time_us").get<double>();
  if (!j.at("flops").is_null()) p.flops = j.at("flops").get<double>();
  p.bound_by = j.at("bound_by").get<std::string>();
  p.ctas_per_sm = j.at("ctas_per_sm").get<int64_t>();
  p.shared_bytes = j.at("shared_bytes").get<int64_t>();
  return p;
}

std::vector<Axis> AxesOf(const Json& j) {
  std::vector<Axis> axes;
  int64_t size = 1;
  for (const Json& a : j) {
    axes.push_back({a.at("name").get<std::string>(),
                    a.at("values").get<std::vector<int64_t>>(),
                    a.at("kind").get<std::string>() == "param"});
    auto values = static_cast<int64_t>(axes.back().values.size());
    if (values == 0 || __builtin_mul_overflow(size, values, &size))
      throw std::out_of_range("a grid without points");
  }
  return axes;
}

Sweep Read(const Json& j) {
  Sweep s;
  s.file = j.at("file").get<std::string>();
  s.program = j.at("program").get<std::string>();
  s.arch = j.at("arch").get<std::string>();
  s.fingerprint = j.at("fingerprint").get<std::string>();
  auto metric = std::find(kMetrics.begin(), kMetrics.end(),
                          j.at("metric").get<std::string>());
  if (metric == kMetrics.end()) throw std::out_of_range("no such metric");
  s.metric = static_cast<Metric>(metric - kMetrics.begin());
  s.tie_percent = j.at("tie_percent").get<double>();
  s.checked = j.at("checked").get<bool>();
  s.valued = j.at("values_compared").get<bool>();
  if (!j.at("max_cycles").is_null())
    s.max_cycles = j.at("max_cycles").get<int64_t>();
  s.axes = AxesOf(j.at("grid"));
  s.own = j.at("own").get<ir::Overrides>();
  s.interrupted = j.at("interrupted").get<bool>();
  if (j.contains("search"))
    s.budget = j.at("search").at("budget").get<int64_t>();
  if (j.contains("shard")) {
    auto shard = ParseShard(j.at("shard").get<std::string>());
    if (!shard.ok()) throw std::out_of_range("a shard that is none");
    s.shard = *shard;
  }
  int64_t size = Grid(s.axes).size();
  for (const Json& p : j.at("points")) s.points.push_back(PointOf(p, size));
  std::sort(s.points.begin(), s.points.end(),
            [](const Point& a, const Point& b) { return a.number < b.number; });
  return s;
}

}  // namespace

Json JsonOf(const Sweep& sweep) {
  Json out = HeadJson(sweep);
  if (sweep.shard)
    out["shard"] = ir::Cat(sweep.shard->index, "/", sweep.shard->count);
  if (sweep.budget > 0) {
    out["search"] = {{"method", "coordinate descent"},
                     {"budget", sweep.budget},
                     {"starts", sweep.search.starts},
                     {"looked_at", sweep.search.looked_at},
                     {"timed", sweep.search.with_cost}};
  }
  out["interrupted"] = sweep.interrupted;
  Grid grid(sweep.axes);
  out["size"] = grid.size();
  Ranking ranking = RankingOf(sweep);
  out["ranking"] = Json::array();
  for (const Point* p : ranking.order) out["ranking"].push_back(p->number);
  out["ties"] = ranking.ties;
  out["best"] = ranking.order.empty()
                    ? Json(nullptr)
                    : ValuesJson(sweep, grid, ranking.order[0]->number);
  if (std::vector<SizeChoice> choices = ChoicesBySize(sweep);
      !choices.empty()) {
    out["best_by_size"] = Json::array();
    for (const SizeChoice& c : choices)
      out["best_by_size"].push_back(
          {{"number", c.ranking.order[0]->number},
           {"values", ValuesJson(sweep, grid, c.ranking.order[0]->number)},
           {"ties", c.ranking.ties}});
  }
  if (sweep.measured)
    out["measured"] = MeasuredJson(sweep, grid, *sweep.measured);
  out["points"] = Json::array();
  for (const Point& p : sweep.points)
    out["points"].push_back(PointJson(sweep, grid, p));
  return out;
}

absl::StatusOr<Sweep> SweepOf(const Json& json) {
  try {
    return Read(json);
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  } catch (const std::out_of_range& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

}  // namespace tilesim::cli
