#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "cli/check_ptx.h"
#include "cli/check_sink.h"
#include "cli/color.h"
#include "cli/input.h"
#include "cli/source_lines.h"
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
      return {{"stderr", std::move(errors)},
              {"stdout", Rejected(file)},
              {"verdict", VerdictText(file)}};
    std::string out;
    const auto& findings = file.report->findings;
    for (size_t i = 0; i < findings.size(); ++i) {
      if (file.HiddenBy(i)) continue;
      ir::Append(&out, FindingText(file.source, findings[i], PaintOn(stdout)),
                 "\n");
    }
    out += Summary(file);
    return {{"stderr", std::move(errors)},
            {"stdout", std::move(out)},
            {"verdict", VerdictText(file)}};
  }
  void Add(const Json& shown) override {
    fmt::print(stderr, "{}", shown.at("stderr").get<std::string>());
    fmt::print("{}", shown.at("stdout").get<std::string>());
    ++files_[shown.at("verdict").get<std::string>()];
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
  static std::string NotLaunchedText(const checkers::CheckScope& scope) {
    std::string out;
    for (const auto& [kernel, sizes] : scope.not_launched)
      ir::Append(&out, "; nothing is said of sizes that cannot be launched (",
                 scope.not_launched.size() > 1 ? kernel + ", " : "", sizes,
                 ")");
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

  static std::string VerdictText(const CheckedFile& file) {
    if (!file.checked()) return "rejected";
    bool known = file.report->verdict == checkers::Verdict::kFindings &&
                 file.exit != kFindings;
    return known ? "known findings only (what they hide was not judged)"
                 : std::string(checkers::Name(file.report->verdict));
  }

  // Which findings are not shown.
  static std::string HiddenText(const CheckedFile& file) {
    int allowed = 0, known = 0;
    for (size_t i = 0; i < file.hidden.size(); ++i) {
      const Hidden* hidden = file.HiddenBy(i);
      if (hidden != nullptr) ++(hidden->in_source ? allowed : known);
    }
    std::string out;
    if (allowed > 0)
      ir::Append(&out, "  not shown: ", allowed, " that a comment allows\n");
    if (known > 0)
      ir::Append(&out, "  not shown: ", known, " of the baseline\n");
    return out;
  }

  // Of those that -D gives, or of the others: "M = 1, 128; N = 8".
  static std::string ParamsText(const checkers::CheckScope& scope, bool given) {
    std::string out;
    for (const auto& [name, values] : scope.params) {
      if ((scope.given.count(name) != 0) == given)
        ir::Append(&out, out.empty() ? "" : "; ", name, " = ",
                   ValuesText(values));
    }
    return out;
  }

  // What the verdict is about, and what was run for it: of all sizes, those
  // that stand for the others.
  static std::string SizesText(const checkers::CheckScope& scope) {
    const std::string given = ParamsText(scope, true);
    const std::string others = ParamsText(scope, false);
    const std::string ran = RunText(scope);
    if (!scope.all_sizes) {
      const char* between = given.empty() || others.empty() ? "" : "; ";
      const std::string all = ir::Cat(given, between, others);
      return ir::Cat("these sizes (up to ", scope.trips, " trips)",
                     all.empty() ? "" : ": ", all, "; ", ran);
    }
    if (others.empty())
      return ir::Cat(given.empty() ? "all sizes" : given, "; ", ran);
    return ir::Cat("all sizes", given.empty() ? "" : " with ", given, " (", ran,
                   ", at ", others, ")");
  }

  static std::string RunText(const checkers::CheckScope& scope) {
    std::string out = ir::Cat(scope.clusters_checked, " of ", scope.clusters,
                              " clusters run");
    for (int64_t sms : scope.sms)
      ir::Append(&out, sms == *scope.sms.begin() ? " on GPUs of " : ", ", sms);
    return scope.sms.empty() ? out : out + " SMs";
  }

  static std::string Summary(const CheckedFile& file) {
    const checkers::CheckReport& r = *file.report;
    std::string out = fmt::format(
        "{}: {}: {}, {}{}{}\n", file.source.path, VerdictText(file),

        r.scope.all_interleavings ? "all interleavings" : "some interleavings",
        SizesText(r.scope), NotLaunchedText(r.scope), AssumedText(r.scope));
    if (r.scope.states > 0)
      ir::Append(&out, "  ", r.scope.states, " states searched\n");
    if (IsPtx(file.source.path))
      ir::Append(&out, "  not judged: ", kNotJudgedOfPtx, "\n");
    for (const std::string& what : r.not_judged)
      ir::Append(&out, "  not judged: ", what, "\n");
    for (const std::string& why : r.open)
      ir::Append(&out, "  open: ", why, "\n");
    out += HiddenText(file);
    std::set<ir::Code> codes;
    for (size_t i = 0; i < r.findings.size(); ++i) {
      if (!file.HiddenBy(i)) codes.insert(r.findings[i].diagnostic.code);
    }
    for (ir::Code code : codes)
      ir::Append(&out, "  see: tilesim explain ", code.name(), "\n");
    return out;
  }

  std::map<std::string, int> files_;  // by verdict
};

// Of one code, two or more in one note.
void AddWhatFollows(const std::vector<ir::Diagnostic>& follows,
                    ir::Diagnostic& d) {
  std::vector<ir::Code> codes;
  std::map<std::string_view, std::vector<const ir::Diagnostic*>> by_code;
  for (const ir::Diagnostic& f : follows) {
    if (by_code[f.code.name()].empty()) codes.push_back(f.code);
    by_code[f.code.name()].push_back(&f);
  }
  for (ir::Code code : codes) {
    const std::vector<const ir::Diagnostic*>& all = by_code[code.name()];
    std::set<int32_t> lines;
    for (const ir::Diagnostic* f : all) lines.insert(f->span.text_line());
    d.notes.push_back(ir::Cat("from this follows ", code.name(), " on ",
                              LinesText({lines.begin(), lines.end()}), ": ",
                              all.front()->message,
                              all.size() > 1 ? ", and so on" : ""));
  }
}

}  // namespace

std::unique_ptr<CheckSink> TextSink() { return std::make_unique<Text>(); }

std::string FindingText(const ir::Source& source,
                        const checkers::report::Finding& f,
                        const ir::Paint& paint) {
  ir::Diagnostic d = f.diagnostic;
  AddWhatFollows(f.follows, d);
  d.notes.push_back(f.every_schedule ? "in every schedule"
                                     : "in some schedule");
  if (d.times > 1) d.notes.push_back(ir::Cat(d.times, " times in this run"));
  std::string out = ir::Render(d, source, paint);
  return f.trace.empty() ? out : out + WitnessText(f.trace, d);
}

std::vector<std::string_view> AssumedTexts(const checkers::CheckScope& scope) {
  using checkers::pipeline::Residents;
  std::vector<std::string_view> out;
  if (scope.residents == Residents::kInTurn)
    out.push_back("CTAs start in the order of the grid");
  if (scope.residents == Residents::kAll)
    out.push_back("the GPU holds all CTAs of the grid at once");
  if (scope.assumed.lanes_wait)
    out.push_back("lanes of a warp wait for each other at the end of a block");
  if (scope.assumed.at_once)
    out.push_back("lanes of a warp execute an instruction at once");
  if (scope.assumed.equal_reads)
    out.push_back("lanes of a warp read the same value in one instruction");
  if (scope.assumed.small_sizes) out.push_back("parameters are below 2^31");
  if (scope.assumed.few_tiles)
    out.push_back("there are less than 2^31 tiles to be drawn");
  if (scope.assumed.numbers_fit) out.push_back("numbers fit in 64 bits");
  return out;
}

std::string AssumedText(const checkers::CheckScope& scope) {
  std::string out;
  for (std::string_view text : AssumedTexts(scope))
    ir::Append(&out, out.empty() ? "; if " : " and ", text);
  return out;
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
