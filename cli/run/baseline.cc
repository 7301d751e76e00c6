#include "cli/run/baseline.h"

#include <algorithm>
#include <optional>

#include "ir/cat.h"
#include "ir/values/read_file.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

using nlohmann::json;

constexpr int64_t kMaxReportBytes = int64_t{1} << 28;

absl::Status Bad(const std::string& path, const std::string& what) {
  return absl::InvalidArgumentError(ir::Cat("--baseline ", path, ": ", what));
}

std::optional<double> NumberAt(const json& file, const std::string& pointer) {
  const json::json_pointer at(pointer);
  if (!file.contains(at) || !file.at(at).is_number()) return std::nullopt;
  return file.at(at).get<double>();
}

double BusyOf(const json& units, const std::string& name) {
  for (const json& u : units) {
    if (u.is_object() && u.value("name", "") == name)
      return u.value("busy", 0.0);
  }
  return 0;
}

// Sizes and how it was run, as far as both say.
std::vector<std::string> Differences(const json& old,
                                     const traces::RunReport& now) {
  std::vector<std::string> out;
  const auto compare = [&](const std::string& what, const json& was,
                           const json& is) {
    if (!was.is_null() && was != is)
      out.push_back(ir::Cat(what, ": ", is.dump(), ", was ", was.dump()));
  };
  for (const auto& [name, value] : now.params)
    compare(name, old.value("params", json::object()).value(name, json()),
            value);
  for (const auto& [name, value] : now.constants)
    compare(name, old.value("constants", json::object()).value(name, json()),
            value);
  compare("arch", old.value("arch", json()), now.arch);
  compare("L2", old.value("l2", json()), now.l2);
  compare("version", old.value("version", json()), now.version);
  return out;
}

std::vector<traces::Delta> Deltas(const json& old,
                                  const traces::RunReport& now) {
  std::vector<traces::Delta> out;
  const auto add = [&](const std::string& what, const std::string& at,
                       std::optional<double> is, const std::string& unit,
                       bool share = false, double scale = 1) {
    const std::optional<double> was = NumberAt(old, at);
    if (was && is) out.push_back({what, *was * scale, *is, unit, share});
  };
  add("Duration", "/time_us", now.time_us(), "us");
  add("SM cycles", "/cycles", static_cast<double>(now.cycles), "");
  add("Throughput", "/tflops", now.tflops, "TFLOP/s");
  if (now.traffic) {
    constexpr double kMb = 1e-6;
    add("HBM traffic", "/traffic/hbm_bytes", now.traffic->hbm_bytes * kMb, "MB",
        false, kMb);
    add("L2 traffic", "/traffic/l2_bytes", now.traffic->l2_bytes * kMb, "MB",
        false, kMb);
    add("L2 hit rate", "/traffic/l2_hit_rate", now.traffic->l2_hit_rate, "",
        true);
  }
  const json units = old.value("units", json::array());
  for (const traces::UnitReport& u : now.units)
    out.push_back({u.name, BusyOf(units, u.name), u.busy, "", true});
  return out;
}

}  // namespace

absl::StatusOr<EarlierRun> EarlierRun::Read(const std::string& path,
                                            const std::string& program) {
  auto text = values::ReadFile(path, kMaxReportBytes);
  if (!text.ok()) return Bad(path, std::string(text.status().message()));
  const json old = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!old.is_object() || !old.contains("files") ||
      !old.at("files").is_array() || old.at("files").empty())
    return Bad(path, "is not what `tilesim run --format json` prints");
  const json& files = old.at("files");
  const json* file = &files[0];
  for (const json& f : files) {
    if (f.is_object() && f.value("program", "") == program) file = &f;
  }
  try {
    if (file->value("program", "") != program)
      return Bad(path, ir::Cat("is about `", file->value("program", ""),
                               "`, not `", program, "`"));
    if (!NumberAt(*file, "/time_us"))
      return Bad(path, "has no time: that run did not end");
  } catch (const json::exception& e) {  // the library throws; we do not
    return Bad(path, e.what());
  }
  EarlierRun run;
  run.path_ = path;
  run.file_ = *file;
  return run;
}

absl::StatusOr<traces::Baseline> EarlierRun::Beside(
    const traces::RunReport& report) const {
  try {
    return traces::Baseline{path_, Differences(file_, report),
                            Deltas(file_, report)};
  } catch (const json::exception& e) {
    return Bad(path_, e.what());
  }
}

}  // namespace tilesim::cli
