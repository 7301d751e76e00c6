#include "checkers/check.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/input.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

using checkers::CheckFinding;
using checkers::CheckReport;
using checkers::Verdict;
using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> defines;
  std::vector<std::string> strict;
  int64_t max_states = checkers::CheckOptions().max_states;
  std::string format = "text";
};

Json SpanJson(const std::string& file, const ir::Span& span) {
  return {{"file", file}, {"line", span.line}, {"column", span.column}};
}

// "warp 2 of CTA 0", "operation 3 of warp 1 of CTA 0 is done"
Json WitnessJson(const checkers::Path& path) {
  Json out = Json::array();
  for (const checkers::Move& m : path) {
    Json step = {{"cta", m.cta}, {"warp", m.warp}};
    if (m.operation >= 0) {
      step["operation"] = m.operation;
      step["milestone"] = m.milestone == ir::Milestone::kRead ? "read" : "done";
    }
    out.push_back(std::move(step));
  }
  return out;
}

Json FindingJson(const std::string& file, const CheckFinding& f) {
  const ir::Diagnostic& d = f.diagnostic;
  Json labels = Json::array();
  if (!d.span_text.empty()) {
    Json label = SpanJson(file, d.span);
    label["text"] = d.span_text;
    labels.push_back(std::move(label));
  }
  for (const ir::Label& l : d.labels) {
    Json label = SpanJson(file, l.span);
    label["text"] = l.text;
    labels.push_back(std::move(label));
  }
  bool error = d.severity == ir::Severity::kError;
  return {{"code", d.code},
          {"severity", error ? "error" : "warning"},
          {"occurs", f.every_schedule ? "every" : "some"},
          {"message", d.message},
          {"location", SpanJson(file, d.span)},
          {"labels", std::move(labels)},
          {"help", d.help},
          {"witness", WitnessJson(f.witness)},
          {"times", f.times}};
}

// "64", "64, 128, 192", "64 to 640 (10 values)"
std::string Values(const std::set<int64_t>& values) {
  constexpr size_t kListed = 4;
  if (values.size() > kListed) {
    return ir::Cat(*values.begin(), " to ", *values.rbegin(), " (",
                   values.size(), " values)");
  }
  std::string out;
  for (int64_t v : values) ir::Append(&out, out.empty() ? "" : ", ", v);
  return out;
}

Json ReportJson(const std::string& file, const CheckReport& r) {
  Json params = Json::object();
  for (const auto& [name, value] : r.scope.params) params[name] = Values(value);
  Json findings = Json::array();
  for (const CheckFinding& f : r.findings)
    findings.push_back(FindingJson(file, f));
  return {{"file", file},
          {"verdict", checkers::Name(r.verdict)},
          {"scope",
           {{"interleavings", r.scope.all_interleavings ? "all" : "bounded"},
            {"trips", r.scope.trips},
            {"params", std::move(params)},
            {"clusters", r.scope.clusters},
            {"clusters_checked", r.scope.clusters_checked},
            {"states", r.scope.states}}},
          {"open", r.open},
          {"findings", std::move(findings)}};
}

void PrintText(const ir::Source& source, const CheckReport& r) {
  for (const CheckFinding& f : r.findings) {
    ir::Diagnostic d = f.diagnostic;
    d.notes.push_back(f.every_schedule ? "in every schedule"
                                       : "in some schedule");
    if (f.times > 1) d.notes.push_back(ir::Cat(f.times, " times in this run"));
    fmt::print("{}\n", ir::Render(d, source));
  }
  std::string params;
  for (const auto& [name, value] : r.scope.params)
    ir::Append(&params, params.empty() ? "" : "; ", name, " = ", Values(value));
  fmt::print(
      "{}: {}: {} of {} clusters, {}{}{} trips\n", source.path,
      checkers::Name(r.verdict), r.scope.clusters_checked, r.scope.clusters,
      r.scope.all_interleavings ? "all interleavings, " : "one interleaving, ",
      params.empty() ? "" : params + "; ", r.scope.trips);
  if (r.scope.states > 0)
    fmt::print("  {} positions searched\n", r.scope.states);
  for (const std::string& why : r.open) fmt::print("  open: {}\n", why);
}

int ExitOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kClean:
      return kClean;
    case Verdict::kFindings:
      return kFindings;
    case Verdict::kIncomplete:
      return kIncomplete;
  }
  return kOurBug;
}

// Bad input says most, then findings, then incomplete.
int Worse(int a, int b) {
  constexpr int kOrder[] = {kBadInput, kFindings, kIncomplete};
  for (int code : kOrder) {
    if (a == code || b == code) return code;
  }
  return kClean;
}

class Checking {
 public:
  explicit Checking(const Options& options) : options_(options) {}

  int Run() {
    std::optional<ir::Overrides> defines = ParseOverrides(options_.defines);
    if (!defines) return kBadInput;
    check_.defines = std::move(*defines);
    check_.max_states = options_.max_states;
    check_.strict.insert(options_.strict.begin(), options_.strict.end());
    int exit = kClean;
    for (const std::string& file : options_.files)
      exit = Worse(exit, File(file));
    if (options_.format == "json") {
      Json out = {{"schema", 1}, {"files", std::move(files_)}};
      fmt::print("{}\n", out.dump(2));
    }
    return exit;
  }

 private:
  int File(const std::string& path) {
    std::unique_ptr<Loaded> loaded = ParseFile(path);
    if (loaded == nullptr) return kBadInput;
    CheckReport report = checkers::Check(loaded->program, check_);
    PrintDiagnostics(report.errors, loaded->source);
    if (report.errors.has_errors()) return kBadInput;
    if (options_.format == "json") {
      files_.push_back(ReportJson(path, report));
    } else {
      PrintText(loaded->source, report);
    }
    return ExitOf(report.verdict);
  }

  const Options& options_;
  checkers::CheckOptions check_;
  Json files_ = Json::array();
};

}  // namespace

void AddCheck(CLI::App& app, int& exit) {
  auto o = std::make_shared<Options>();
  CLI::App* check = app.add_subcommand(
      "check", "Looks for races, missing waits and fences, and deadlocks.");
  check->add_option("FILE", o->files, ".tile files")->required();
  check
      ->add_option("-D", o->defines,
                   "NAME=VALUE: a param or const; else the smallest that "
                   "take every ring around twice")
      ->allow_extra_args(false);
  std::vector<std::string> switches(std::begin(checkers::kStrictSwitches),
                                    std::end(checkers::kStrictSwitches));
  check->add_option("--strict", o->strict, "make this warning an error")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(switches));
  check
      ->add_option("--max-states", o->max_states,
                   "positions a search of schedules may look at")
      ->check(CLI::PositiveNumber);
  check->add_option("--format", o->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  check->footer(
      "examples:\n"
      "  tilesim check examples/hopper/hgemm_v07.tile\n"
      "  tilesim check gemm.tile -D K=640 --strict proxy-war\n"
      "  tilesim check *.tile --format json\n");
  check->callback([o, &exit] { exit = Checking(*o).Run(); });
}

}  // namespace tilesim::cli
