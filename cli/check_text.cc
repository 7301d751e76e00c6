#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "cli/check_sink.h"
#include "cli/color.h"
#include "cli/complain.h"
#include "cli/input.h"
#include "cli/witness_text.h"
#include "fmt/format.h"
#include "ir/cat.h"

namespace tilesim::cli {
namespace {

class Text : public CheckSink {
 public:
  void Add(const CheckedFile& file) override {
    if (!file.failure.empty()) Complain("{}", file.failure);
    PrintDiagnostics(file.texts, file.source);
    ++files_[VerdictText(file)];
    if (!file.checked()) return Rejected(file);
    const auto& findings = file.report->findings;
    for (size_t i = 0; i < findings.size(); ++i) {
      if (!file.HiddenBy(i))
        fmt::print("{}\n",
                   FindingText(file.source, findings[i], PaintOn(stdout)));
    }
    Summary(file);
  }
  void Finish(ExitCode) override {
    int all = 0;
    std::string text;
    for (const auto& [verdict, count] : files_) {
      all += count;
      ir::Append(&text, text.empty() ? "" : ", ", count, " ", verdict);
    }
    if (all > 1) fmt::print("{} files: {}\n", all, text);
  }

 private:
  // Results of which it is not shown that all of them is stored.
  static std::string WholeText(const checkers::CheckScope& scope) {
    using Where = checkers::pipeline::Whole::Where;
    std::string out;
    for (const auto& [tensor, whole] : scope.whole) {
      if (whole.where == Where::kOwnSizes)
        ir::Append(&out, "; all of ", tensor,
                   " is stored at the sizes that were looked at; for all "
                   "sizes it is not proved");
      if (whole.where == Where::kNowhere)
        ir::Append(&out, "; whether all of ", tensor,
                   " is stored was not looked at: ", whole.why);
    }
    return out;
  }

  // The verdict on a text that is no program, or has no such sizes.
  static void Rejected(const CheckedFile& file) {
    const auto& all = file.texts.all();
    auto errors = std::count_if(all.begin(), all.end(), [](const auto& d) {
      return d.severity == ir::Severity::kError;
    });
    if (errors > 0)
      fmt::print("{}: rejected: {} error{}\n", file.source.path, errors,
                 errors == 1 ? "" : "s");
  }

  static std::string VerdictText(const CheckedFile& file) {
    if (!file.checked()) return "rejected";
    bool known = file.report->verdict == checkers::Verdict::kFindings &&
                 file.exit != kFindings;
    return known ? "known findings only"
                 : std::string(checkers::Name(file.report->verdict));
  }

  // Which findings are not shown, as a line.
  static void TellHidden(const CheckedFile& file) {
    int allowed = 0, known = 0;
    for (size_t i = 0; i < file.hidden.size(); ++i) {
      const Hidden* hidden = file.HiddenBy(i);
      if (hidden != nullptr) ++(hidden->in_source ? allowed : known);
    }
    if (allowed > 0)
      fmt::print("  not shown: {} that a comment allows\n", allowed);
    if (known > 0) fmt::print("  not shown: {} of the baseline\n", known);
  }

  static void Summary(const CheckedFile& file) {
    const checkers::CheckReport& r = *file.report;
    std::string params;
    for (const auto& [name, value] : r.scope.params)
      ir::Append(&params, params.empty() ? "" : "; ", name, " = ",
                 ValuesText(value));
    std::string gpus;
    for (int64_t sms : r.scope.sms)
      ir::Append(&gpus, gpus.empty() ? "; GPUs of " : ", ", sms);
    if (!gpus.empty()) gpus += " SMs";
    // Of all sizes, those that were run stand for the others.
    std::string sizes = r.scope.all_sizes ? "all sizes" : "these sizes";
    if (!r.scope.all_sizes)
      ir::Append(&sizes, " (up to ", r.scope.trips, " trips)");
    std::string assumed(AssumedText(r.scope));
    if (!assumed.empty()) assumed = "; if " + assumed;
    fmt::print(
        "{}: {}: {}, {}{}{}{}; {} of {} clusters run{}{}\n", file.source.path,
        VerdictText(file),
        r.scope.all_interleavings ? "all interleavings" : "one interleaving",
        sizes, params.empty() ? "" : ": ", params, gpus,
        r.scope.clusters_checked, r.scope.clusters, WholeText(r.scope),
        assumed);
    if (r.scope.states > 0)
      fmt::print("  {} positions searched\n", r.scope.states);
    for (const std::string& why : r.open) fmt::print("  open: {}\n", why);
    TellHidden(file);
    std::set<ir::Code> codes;
    for (size_t i = 0; i < r.findings.size(); ++i) {
      if (!file.HiddenBy(i)) codes.insert(r.findings[i].diagnostic.code);
    }
    for (ir::Code code : codes)
      fmt::print("  see: tilesim explain {}\n", code.name());
  }

  std::map<std::string, int> files_;  // by verdict
};

}  // namespace

std::unique_ptr<CheckSink> TextSink() { return std::make_unique<Text>(); }

std::string FindingText(const ir::Source& source,
                        const checkers::report::Finding& f,
                        const ir::Paint& paint) {
  ir::Diagnostic d = f.diagnostic;
  d.notes.push_back(f.every_schedule ? "in every schedule"
                                     : "in some schedule");
  if (d.times > 1) d.notes.push_back(ir::Cat(d.times, " times in this run"));
  std::string out = ir::Render(d, source, paint);
  return f.trace.empty() ? out : out + WitnessText(f.trace, d);
}

std::string_view AssumedText(const checkers::CheckScope& scope) {
  using checkers::pipeline::Residents;
  switch (scope.residents) {
    case Residents::kInTurn:
      return "CTAs start in the order of the grid";
    case Residents::kAll:
      return "the GPU holds all CTAs of the grid at once";
    case Residents::kAny:
      break;
  }
  return "";
}

std::string ValuesText(const std::set<int64_t>& values) {
  constexpr size_t kListed = 4;
  if (values.size() > kListed) {
    return ir::Cat(*values.begin(), " to ", *values.rbegin(), " (",
                   values.size(), " values)");
  }
  std::string out;
  for (int64_t v : values) ir::Append(&out, out.empty() ? "" : ", ", v);
  return out;
}

}  // namespace tilesim::cli
