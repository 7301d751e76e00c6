#include "cli/outcomes.h"

#include <zlib.h>

#include "fmt/format.h"
#include "hwtests/run/inputs.h"
#include "ir/values/convert.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

using Json = nlohmann::ordered_json;
using hwtests::HwError;
using hwtests::Outcome;

constexpr int64_t kShownElements = 16;

std::string_view KindOf(const Outcome& o) {
  if (o.error == HwError::kNone) return "values";
  return o.error == HwError::kHang ? "hang" : "fault";
}

Json TensorJson(const values::Tensor& t) {
  Json j = {
      {"fingerprint", Fingerprint({reinterpret_cast<const char*>(t.data.data()),
                                   t.data.size()})}};
  if (t.elements() > kShownElements) return j;
  std::vector<double> numbers(static_cast<size_t>(t.elements()));
  values::DecodeArray(t.type, t.data.data(), numbers.size(), numbers.data());
  j["values"] = numbers;
  return j;
}

Json OutcomeJson(const hwtests::LaunchPlan& plan, const Outcome& o) {
  Json j = {{"kind", KindOf(o)},
            {"count", o.count},
            {"undelayed", o.undelayed},
            {"first_seed", o.first_seed}};
  if (o.error != HwError::kNone) j["message"] = o.message;
  if (o.report) {
    j["line"] = o.report->line;
    j["barrier"] = o.report->barrier;
    j["role"] = o.report->role;
  }
  if (o.error == HwError::kNone) j["outputs"] = OutputsJson(plan, o.outputs);
  return j;
}

}  // namespace

Json OutputsJson(const hwtests::LaunchPlan& plan,
                 const std::map<std::string, std::vector<uint8_t>>& outputs) {
  Json j = Json::object();
  for (const hwtests::GlobalPlan& g : plan.globals) {
    auto it = outputs.find(g.name);
    if (it != outputs.end())
      j[g.name] = TensorJson(hwtests::ToTensor(g, it->second));
  }
  return j;
}

std::string Fingerprint(std::string_view bytes) {
  uLong crc =
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return fmt::format("{:08x}", crc);
}

Json OutcomesJson(const hwtests::LaunchPlan& plan,
                  const std::vector<Outcome>& outcomes) {
  Json all = Json::array();
  for (const Outcome& o : outcomes) all.push_back(OutcomeJson(plan, o));
  return all;
}

void PrintOutcomes(const hwtests::LaunchPlan& plan,
                   const std::vector<Outcome>& outcomes) {
  for (const Outcome& o : outcomes) {
    std::string what = o.message;
    Json j = OutcomeJson(plan, o);
    if (j.contains("outputs")) {
      for (const auto& [name, t] : j["outputs"].items())
        what += fmt::format(
            "{}{} {}", what.empty() ? "" : ", ", name,
            (t.contains("values") ? t["values"] : t["fingerprint"]).dump());
    }
    fmt::print("{:>6} x {}: {}\n", o.count, KindOf(o), what);
  }
}

}  // namespace tilesim::cli
