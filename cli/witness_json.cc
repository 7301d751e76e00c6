#include "cli/witness_json.h"

#include <utility>

#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

using checkers::run::Move;

Json MoveJson(const Move& m) {
  Json step = {{"cta", m.cta}, {"warp", m.warp}};
  if (m.operation >= 0) {
    step["operation"] = m.operation;
    step["milestone"] = m.milestone == ir::Milestone::kRead ? "read" : "done";
  }
  return step;
}

}  // namespace

Json ProvenanceJson(const checkers::report::Provenance& seen) {
  Json params = Json::object();
  for (const auto& [name, value] : seen.sizes) params[name] = value;
  Json cluster;  // null: between clusters
  if (seen.cluster >= 0) cluster = seen.cluster;
  return {{"kernel", seen.kernel},
          {"params", std::move(params)},
          {"sms", seen.sm_count},
          {"cluster", std::move(cluster)}};
}

Json WitnessJson(const checkers::report::Finding& f) {
  Json steps = Json::array();
  for (const Move& m : f.witness) steps.push_back(MoveJson(m));
  for (const checkers::report::TraceStep& s : f.trace) {
    if (s.move < 0) continue;
    Json& step = steps[static_cast<size_t>(s.move)];
    step["line"] = s.span.text_line();
    step["what"] = s.who + ": " + s.text;
  }
  return steps;
}

}  // namespace tilesim::cli
