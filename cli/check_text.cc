#include <algorithm>
#include <set>

#include "cli/check_sink.h"
#include "cli/input.h"
#include "cli/witness_text.h"
#include "fmt/format.h"
#include "ir/cat.h"

namespace tilesim::cli {
namespace {

class Text : public CheckSink {
 public:
  Json Shown(const CheckedFile& file) const override {
    std::string errors;
    if (!file.failure.empty())
      errors = ir::Cat("tilesim: ", file.failure, "\n");
    errors += DiagnosticsText(file.texts, file.source);
    if (!file.checked())
      return {{"stderr", std::move(errors)}, {"stdout", Rejected(file)}};
    std::string out;
    for (const checkers::report::Finding& f : file.report->findings)
      ir::Append(&out, FindingText(file.source, f), "\n");
    out += Summary(file.source.path, *file.report);
    return {{"stderr", std::move(errors)}, {"stdout", std::move(out)}};
  }
  void Add(const Json& shown) override {
    fmt::print(stderr, "{}", shown.at("stderr").get<std::string>());
    fmt::print("{}", shown.at("stdout").get<std::string>());
  }
  void Finish(ExitCode) override {}

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
  static std::string Rejected(const CheckedFile& file) {
    const auto& all = file.texts.all();
    auto errors = std::count_if(all.begin(), all.end(), [](const auto& d) {
      return d.severity == ir::Severity::kError;
    });
    if (errors == 0) return "";
    return ir::Cat(file.source.path, ": rejected: ", errors, " error",
                   errors == 1 ? "" : "s", "\n");
  }

  static std::string Summary(const std::string& path,
                             const checkers::CheckReport& r) {
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
    std::string out = fmt::format(
        "{}: {}: {}, {}{}{}{}; {} of {} clusters run{}{}\n", path,
        checkers::Name(r.verdict),
        r.scope.all_interleavings ? "all interleavings" : "one interleaving",
        sizes, params.empty() ? "" : ": ", params, gpus,
        r.scope.clusters_checked, r.scope.clusters, WholeText(r.scope),
        assumed);
    if (r.scope.states > 0)
      ir::Append(&out, "  ", r.scope.states, " positions searched\n");
    for (const std::string& why : r.open)
      ir::Append(&out, "  open: ", why, "\n");
    std::set<ir::Code> codes;
    for (const checkers::report::Finding& f : r.findings)
      codes.insert(f.diagnostic.code);
    for (ir::Code code : codes)
      ir::Append(&out, "  see: tilesim explain ", code.name(), "\n");
    return out;
  }
};

}  // namespace

std::unique_ptr<CheckSink> TextSink() { return std::make_unique<Text>(); }

std::string FindingText(const ir::Source& source,
                        const checkers::report::Finding& f) {
  ir::Diagnostic d = f.diagnostic;
  for (const ir::Diagnostic& follows : f.follows)
    d.notes.push_back(ir::Cat("from this follows ", follows.code.name(),
                              " on line ", follows.span.text_line(), ": ",
                              follows.message));
  d.notes.push_back(f.every_schedule ? "in every schedule"
                                     : "in some schedule");
  if (d.times > 1) d.notes.push_back(ir::Cat(d.times, " times in this run"));
  std::string out = ir::Render(d, source);
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
