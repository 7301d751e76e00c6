// docs/architecture.md 5: the object that `check --format json` prints.
#include "cli/check_sink.h"
#include "cli/witness_json.h"
#include "fmt/format.h"
#include "ir/cat.h"

namespace tilesim::cli {
namespace {

using checkers::CheckReport;
using checkers::report::Finding;

// Lines of the file. `place` tells statements apart that a function has once
// for each call.
Json SpanJson(const ir::Source& source, const ir::Span& span) {
  Json out = {{"file", source.PathOf(span)},
              {"line", span.text_line()},
              {"column", span.column}};
  if (span.place() > 0) out["place"] = span.place();
  return out;
}

Json LabelsJson(const ir::Source& source, const ir::Diagnostic& d) {
  Json labels = Json::array();
  auto add = [&](const ir::Span& span, const std::string& text) {
    Json label = SpanJson(source, span);
    label["text"] = text;
    labels.push_back(std::move(label));
  };
  if (!d.span_text.empty()) add(d.span, d.span_text);
  for (const ir::Label& l : ir::LabelsOf(d, source)) add(l.span, l.text);
  return labels;
}

Json DiagnosticJson(const ir::Source& source, const ir::Diagnostic& d) {
  bool error = d.severity == ir::Severity::kError;
  return {{"code", d.code.name()},
          {"severity", error ? "error" : "warning"},
          {"message", d.message},
          {"location", SpanJson(source, d.span)},
          {"labels", LabelsJson(source, d)},
          {"notes", d.notes},
          {"help", d.help}};
}

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
  return ir::Cat("not looked at: ", whole.why);
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
  const std::string_view text = AssumedText(scope);
  if (!text.empty()) out.push_back(text);
  return out;
}

Json ReportJson(const CheckedFile& file) {
  const CheckReport& r = *file.report;
  Json stored = Json::object();
  for (const auto& [tensor, whole] : r.scope.whole)
    stored[tensor] = StoredText(whole);
  Json findings = Json::array();
  for (const Finding& f : r.findings)
    findings.push_back(FindingJson(file.source, f));
  return {{"file", file.source.path},
          {"verdict", checkers::Name(r.verdict)},
          {"scope",
           {{"interleavings", r.scope.all_interleavings ? "all" : "bounded"},
            {"trips", r.scope.all_sizes ? Json("all") : Json(r.scope.trips)},
            {"params", ParamsJson(r.scope)},
            {"sms", r.scope.sms},
            {"stored", std::move(stored)},
            {"between_ctas", BetweenText(r.scope.between)},
            {"assumes", AssumesJson(r.scope)},
            {"clusters", r.scope.clusters},
            {"clusters_checked", r.scope.clusters_checked},
            {"states", r.scope.states}}},
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
    fmt::print("{}\n", Dump(out));
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
