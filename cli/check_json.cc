// docs/architecture.md 5: the object that `check --format json` prints.
#include "cli/check_ptx.h"
#include "cli/check_sink.h"
#include "cli/complain.h"
#include "cli/diagnostic_json.h"
#include "cli/witness_json.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

using checkers::CheckReport;
using checkers::report::Finding;

Json DiagnosticsJson(const CheckedFile& file) {
  Json out = Json::array();
  for (const ir::Diagnostic& d : file.texts.all())
    out.push_back(DiagnosticJson(file.source, d));
  return out;
}

// Where all of a result is known to be stored.
std::string StoredText(const checkers::pipeline::Whole& whole) {
  using Where = checkers::pipeline::Whole::Where;
  switch (whole.where) {
    case Where::kAllSizes:
      return "all";
    case Where::kOwnSizes:
      return "own sizes";
    case Where::kNowhere:
      break;
  }
  return ir::Cat("not checked: ", whole.why);
}

std::string BetweenText(checkers::pipeline::Between between) {
  using checkers::pipeline::Between;
  switch (between) {
    case Between::kAllSizes:
      return "all sizes";
    case Between::kEveryCta:
      return "every CTA";
    case Between::kGridsRun:
      break;
  }
  return "grids that were run";
}

// What was shown of each parameter, and its values that were run.
Json ParamsJson(const checkers::CheckScope& scope) {
  Json out = Json::object();
  for (const auto& [name, values] : scope.params) {
    bool given = scope.given.count(name) != 0;
    bool all = scope.all_of.count(name) != 0;
    out[name] = {{"shown", given ? "given"
                           : all ? "all"
                                 : "run"},
                 {"values", values}};
  }
  return out;
}

Json AssumesJson(const checkers::CheckScope& scope) {
  Json out = Json::array();
  for (std::string_view text : AssumedTexts(scope)) out.push_back(text);
  return out;
}

Json NotJudgedJson(const CheckedFile& file) {
  Json out = Json::array();
  if (IsPtx(file.source.path)) out.push_back(kNotJudgedOfPtx);
  for (const std::string& what : file.report->not_judged) out.push_back(what);
  return out;
}

Json ReportJson(const CheckedFile& file) {
  const CheckReport& r = *file.report;
  Json stored = Json::object();
  for (const auto& [tensor, whole] : r.scope.whole)
    stored[tensor] = StoredText(whole);
  Json findings = Json::array();
  for (size_t i = 0; i < r.findings.size(); ++i) {
    findings.push_back(FindingJson(file.source, r.findings[i]));
    if (const Hidden* hidden = file.HiddenBy(i))
      findings.back()["hidden"] = {
          {"by", hidden->in_source ? "allow" : "baseline"},
          {"reason", hidden->reason}};
  }
  return {{"file", file.source.path},
          {"verdict", checkers::Name(r.verdict)},
          {"scope",
           {{"interleavings", r.scope.all_interleavings ? "all" : "bounded"},
            {"trips", r.scope.all_sizes ? Json("all") : Json(r.scope.trips)},
            {"params", ParamsJson(r.scope)},
            {"sms", r.scope.sms},
            {"stored", std::move(stored)},
            {"not_launched", r.scope.not_launched},
            {"between_ctas", BetweenText(r.scope.between)},
            {"assumes", AssumesJson(r.scope)},
            {"clusters", r.scope.clusters},
            {"clusters_checked", r.scope.clusters_checked},
            {"states", r.scope.states}}},
          {"not_judged", NotJudgedJson(file)},
          {"open", r.open},
          {"warnings", DiagnosticsJson(file)},
          {"findings", std::move(findings)}};
}

// A file of which nothing can be checked: what is wrong with its text.
Json RejectedJson(const CheckedFile& file) {
  Json out = {{"file", file.source.path}, {"verdict", "rejected"}};
  if (!file.failure.empty()) out["failure"] = file.failure;
  out["errors"] = DiagnosticsJson(file);
  out["findings"] = Json::array();
  return out;
}

class JsonObject : public CheckSink {
 public:
  Json Shown(const CheckedFile& file) const override {
    return file.checked() ? ReportJson(file) : RejectedJson(file);
  }
  void Add(const Json& shown) override { files_.push_back(shown); }
  void Finish(ExitCode) override {
    Json out = {{"schema", 1}, {"files", std::move(files_)}};
    PrintAnswer(out);
  }

 private:
  Json files_ = Json::array();
};

}  // namespace

Json FindingJson(const ir::Source& source, const Finding& f) {
  Json out = DiagnosticJson(source, f.diagnostic);
  Json follows = Json::array();
  for (const ir::Diagnostic& d : f.follows)
    follows.push_back(DiagnosticJson(source, d));
  out["follows"] = std::move(follows);
  out["occurs"] = f.every_schedule ? "every" : "some";
  out["times"] = f.diagnostic.times;
  out["instance"] = ProvenanceJson(f.seen);
  out["witness"] = WitnessJson(f);
  if (f.witness.empty()) out["no_witness"] = f.no_witness;
  return out;
}

std::unique_ptr<CheckSink> JsonSink() { return std::make_unique<JsonObject>(); }

}  // namespace tilesim::cli
