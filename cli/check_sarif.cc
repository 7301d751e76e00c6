// SARIF 2.1.0, as code-scanning views read it: one run over all files, a rule
// a code (its help is the explain page), a code flow a witness with a thread
// flow a role.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "checkers/explain/pages.h"
#include "cli/check_sink.h"
#include "cli/complain.h"
#include "cli/fingerprint.h"
#include "cli/uri.h"
#include "cli/witness_json.h"
#include "cli/witness_text.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

using checkers::report::Finding;
using checkers::report::TraceStep;

constexpr char kSchema[] =
    "https://json.schemastore.org/sarif-2.1.0-rtm.5.json";

constexpr char kIncompleteRule[] = "check/incomplete";
constexpr char kIncompleteHelp[] =
    "Nothing wrong was found, and it is not proved that nothing is: the "
    "message says what was not shown. Sizes that are given (`-D`) are often "
    "decided where all sizes are not; `tilesim check FILE` names the limits "
    "that can be raised.";

// Braces are placeholders in SARIF messages.
Json Message(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '{' || c == '}') out += c;
  }
  return {{"text", std::move(out)}};
}

Json PhysicalLocation(const ir::Source& source, const ir::Span& span) {
  const std::string& path = source.PathOf(span);
  Json artifact = {{"uri", UriOf(path)}};
  if (!path.starts_with('/')) artifact["uriBaseId"] = "%SRCROOT%";
  Json out = {{"artifactLocation", std::move(artifact)}};
  if (span.line <= 0) return out;
  int32_t column = std::max(span.column, 1);
  out["region"] = {{"startLine", span.text_line()},
                   {"startColumn", column},
                   {"endColumn", column + std::max(span.length, 1)}};
  return out;
}

Json Location(const ir::Source& source, const ir::Span& span,
              const std::string& text) {
  Json out = {{"physicalLocation", PhysicalLocation(source, span)}};
  if (!text.empty()) out["message"] = Message(text);
  return out;
}

Json FlowStep(const ir::Source& source, const TraceStep& s, size_t order,
              bool telling) {
  return {{"location", Location(source, s.span, s.text)},
          {"executionOrder", order},
          {"nestingLevel", s.operation >= 0 ? 1 : 0},
          {"importance", telling        ? "essential"
                         : s.on_barrier ? "important"
                                        : "unimportant"}};
}

Json CodeFlow(const ir::Source& source, const Finding& f) {
  std::vector<bool> telling = Telling(f.trace, f.diagnostic);
  std::map<std::string, Json> by_role;
  std::vector<std::string> roles;
  for (size_t i = 0; i < f.trace.size(); ++i) {
    const TraceStep& s = f.trace[i];
    auto [flow, fresh] = by_role.try_emplace(s.role, Json::array());
    if (fresh) roles.push_back(s.role);
    flow->second.push_back(FlowStep(source, s, i + 1, telling[i]));
  }
  Json flows = Json::array();
  for (const std::string& role : roles) {
    flows.push_back({{"id", role},
                     {"message", Message(role)},
                     {"locations", std::move(by_role[role])}});
  }
  return {{"message", Message("a schedule that shows it, one step after "
                              "another over all roles")},
          {"threadFlows", std::move(flows)}};
}

std::string FullText(const ir::Diagnostic& d) {
  std::string text = d.message;
  for (const std::string& note : d.notes) ir::Append(&text, "\n", note);
  if (!d.help.empty()) ir::Append(&text, "\nhelp: ", d.help);
  return text;
}

Json SuppressionJson(const Hidden& hidden) {
  Json out = {{"kind", hidden.in_source ? "inSource" : "external"}};
  if (!hidden.reason.empty()) out["justification"] = hidden.reason;
  return out;
}

class Sarif : public CheckSink {
 public:
  explicit Sarif(std::string help_base) : help_base_(std::move(help_base)) {
    while (help_base_.ends_with('/')) help_base_.pop_back();
  }

  Json Shown(const CheckedFile& file) const override {
    const ir::Source& source = file.source;
    Json results = Json::array(), notes = Json::array();
    if (!file.failure.empty())
      notes.push_back(Notification("error", source, file.failure));
    for (const ir::Diagnostic& d : file.texts.all())
      results.push_back(Result(source, d));
    if (file.checked()) Checked(file, results, notes);
    return {{"file", source.path},
            {"results", std::move(results)},
            {"notes", std::move(notes)}};
  }

  void Add(const Json& shown) override {
    for (Json result : shown.at("results")) {
      auto id = result["ruleId"].get<std::string>();
      rules_.try_emplace(id, RuleOf(id));
      if (id == kIncompleteRule) {
        results_.push_back(std::move(result));
        continue;
      }
      Json& print = result["partialFingerprints"][kFingerprint];
      auto text = print.get<std::string>();
      int& same = fingerprints_[shown.at("file").get<std::string>() + text];
      if (++same > 1) print = ir::Cat(text, "-", same);
      results_.push_back(std::move(result));
    }
    for (const Json& note : shown.at("notes")) notes_.push_back(note);
  }

  void Finish(ExitCode exit) override {
    Json rules = Json::array();
    std::map<std::string, size_t> index;
    for (auto& [id, rule] : rules_) {
      index.emplace(id, index.size());
      rules.push_back(std::move(rule));
    }
    for (Json& result : results_)
      result["ruleIndex"] = index[result["ruleId"].get<std::string>()];
    bool succeeded = exit == kClean || exit == kFindings;
    Json invocation = {{"executionSuccessful", succeeded},
                       {"exitCode", static_cast<int>(exit)},
                       {"toolExecutionNotifications", std::move(notes_)}};
    Json run = {{"tool",
                 {{"driver",
                   {{"name", "tilesim"},
                    {"semanticVersion", TILESIM_VERSION},
                    {"rules", std::move(rules)}}}}},
                {"invocations", Json::array({std::move(invocation)})},
                {"columnKind", "unicodeCodePoints"},
                {"results", std::move(results_)}};
    Json out = {{"$schema", kSchema},
                {"version", "2.1.0"},
                {"runs", Json::array({std::move(run)})}};
    PrintAnswer(out);
  }

 private:
  static constexpr char kFingerprint[] = "tilesimFinding/v1";

  static void Checked(const CheckedFile& file, Json& results, Json& notes) {
    const ir::Source& source = file.source;
    const auto& findings = file.report->findings;
    for (size_t i = 0; i < findings.size(); ++i) {
      const Finding& f = findings[i];
      Json result = Result(source, f.diagnostic);
      if (const Hidden* hidden = file.HiddenBy(i))
        result["suppressions"] = Json::array({SuppressionJson(*hidden)});
      for (const ir::Diagnostic& d : f.follows)
        AddRelated(Location(source, d.span,
                            ir::Cat("from this follows ", d.code.name(), ": ",
                                    d.message)),
                   result);
      Json properties = ProvenanceJson(f.seen);
      properties["occurs"] = f.every_schedule ? "every" : "some";
      if (!f.trace.empty()) {
        result["codeFlows"] = Json::array();
        result["codeFlows"].push_back(CodeFlow(source, f));
      }
      result["occurrenceCount"] = f.diagnostic.times;
      result["properties"] = std::move(properties);
      results.push_back(std::move(result));
    }
    for (const std::string& why : file.report->open)
      Open(source, why, results, notes);
    if (file.exit == kIncomplete && file.report->open.empty())
      Open(source, "not all schedules were covered", results, notes);
  }

  // What is not proved: no fault, and a reader of results must see it.
  static void Open(const ir::Source& source, const std::string& why,
                   Json& results, Json& notes) {
    notes.push_back(Notification("warning", source, "no proof: " + why));
    results.push_back(
        {{"ruleId", kIncompleteRule},
         {"level", "note"},
         {"message", Message("not proved: " + why)},
         {"locations", Json::array({Location(source, ir::Span(), "")})}});
  }

  static Json Result(const ir::Source& source, const ir::Diagnostic& d) {
    bool error = d.severity == ir::Severity::kError;
    Json result = {
        {"ruleId", d.code.name()},
        {"level", error ? "error" : "warning"},
        {"message", Message(FullText(d))},
        {"locations", Json::array({Location(source, d.span, d.span_text)})},
        {"partialFingerprints", {{kFingerprint, Fingerprint(source, d)}}}};
    for (const ir::Label& l : ir::LabelsOf(d, source))
      AddRelated(Location(source, l.span, l.text), result);
    return result;
  }

  static void AddRelated(Json location, Json& result) {
    Json& related = result["relatedLocations"];
    location["id"] = related.size() + 1;
    related.push_back(std::move(location));
  }

  Json RuleOf(const std::string& id) const {
    std::optional<ir::Code> code = ir::FindCode(id);
    if (code) return Rule(*code);
    Json rule = {
        {"id", id},
        {"shortDescription", Message("a verdict that is no proof, and why")},
        {"help", {{"text", kIncompleteHelp}, {"markdown", kIncompleteHelp}}}};
    // No code of ours: it is told on the folder's own page.
    if (!help_base_.empty())
      rule["helpUri"] = ir::Cat(help_base_, "/README.md");
    return rule;
  }

  Json Rule(ir::Code code) const {
    Json rule = {{"id", code.name()}};
    if (!help_base_.empty())
      rule["helpUri"] =
          ir::Cat(help_base_, "/", code.family(), ".",
                  code.name().substr(code.family().size() + 1), ".md");
    rule["properties"] = {{"tags", Json::array({"gpu", code.family()})}};
    const checkers::explain::Page& page = checkers::explain::PageOf(code);
    rule["shortDescription"] = Message(code.summary());
    rule["fullDescription"] = Message(page.why);
    rule["help"] = {{"text", page.text}, {"markdown", page.text}};
    return rule;
  }

  static Json Notification(const char* level, const ir::Source& source,
                           const std::string& text) {
    return {{"level", level},
            {"message", Message(text)},
            {"locations", Json::array({Location(source, ir::Span(), "")})}};
  }

  std::string help_base_;
  Json results_ = Json::array();
  Json notes_ = Json::array();
  std::map<std::string, Json> rules_;
  std::map<std::string, int> fingerprints_;  // how often, by file
};

}  // namespace

std::unique_ptr<CheckSink> SarifSink(const std::string& help_base) {
  return std::make_unique<Sarif>(help_base);
}

}  // namespace tilesim::cli
