#include "cli/suppress.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/fingerprint.h"
#include "cli/witness_json.h"
#include "frontend/allow.h"
#include "ir/cat.h"
#include "ir/values/read_file.h"

namespace tilesim::cli {
using checkers::report::Finding;

namespace {

constexpr int64_t kMostBaselineBytes = int64_t{1} << 28;

// The comments of a file and of those it includes.
class Allows {
 public:
  Allows(const ir::Source& source, ir::Diagnostics& diagnostics)
      : source_(source) {
    for (frontend::Allow& a : frontend::FindAllows(source.text, diagnostics))
      all_.push_back({source.path, std::move(a)});
    for (const ir::Place& place : *source.places) {
      if (place.text == nullptr || !place.function.empty()) continue;
      ir::Diagnostics of_other;
      for (frontend::Allow& a : frontend::FindAllows(*place.text, of_other))
        all_.push_back({place.path, std::move(a), true, true});
    }
  }

  // The reason, or nothing.
  std::optional<std::string> For(const ir::Diagnostic& d) {
    std::optional<std::string> out;
    if (source_.path == source_.PathOf(d.span))
      seen_.emplace_back(d.code, d.span.text_line());
    for (One& one : all_) {
      bool here = one.allow.code == d.code &&
                  one.allow.line == d.span.text_line() &&
                  one.path == source_.PathOf(d.span);
      if (!here) continue;
      one.used = true;
      out = one.allow.reason;
    }
    return out;
  }

  // Those of the file itself: others may use what is included.
  void TellUnused(ir::Diagnostics& diagnostics) const {
    for (const One& one : all_) {
      if (one.used || one.included) continue;
      diagnostics
          .Warning("lint/allow", one.allow.span,
                   ir::Cat("there is no finding `", one.allow.code.name(),
                           "` on line ", one.allow.line))
          .help = HelpFor(one);
    }
  }

 private:
  struct One {
    std::string path;
    frontend::Allow allow;
    bool used = false;
    bool included = false;
  };

  // A finding stands on one line, and may name others.
  std::string HelpFor(const One& one) const {
    for (const auto& [code, line] : seen_) {
      if (code == one.allow.code)
        return ir::Cat("`", code.name(), "` is on line ", line,
                       ": move the comment there, or take it out");
    }
    return "take the comment out";
  }

  std::vector<std::pair<ir::Code, int32_t>> seen_;
  const ir::Source& source_;
  std::vector<One> all_;
};

bool IsError(const ir::Diagnostic& d) {
  return d.severity == ir::Severity::kError;
}

// What is left decides. A verdict that was no proof without the findings is
// none with them hidden.
ExitCode ExitOf(const CheckedFile& file) {
  const auto& findings = file.report->findings;
  for (size_t i = 0; i < findings.size(); ++i) {
    if (IsError(findings[i].diagnostic) && !file.HiddenBy(i)) return kFindings;
  }
  return file.report->open.empty() ? kClean : kIncomplete;
}

}  // namespace

absl::StatusOr<Baseline> Baseline::Read(const std::string& path) {
  absl::StatusOr<std::string> text = values::ReadFile(path, kMostBaselineBytes);
  if (!text.ok()) return text.status();
  Json json = Json::parse(*text, nullptr, false);
  auto bad = absl::InvalidArgumentError(ir::Cat(
      path, ": this is no baseline; `check --write-baseline` makes one"));
  if (!json.is_object() || !json.contains("baseline") ||
      !json["baseline"].is_array())
    return bad;
  Baseline out;
  for (const Json& row : json["baseline"]) {
    bool whole = row.is_object() && row.contains("file") &&
                 row["file"].is_string() && row.contains("fingerprint") &&
                 row["fingerprint"].is_string() && row.contains("code") &&
                 row["code"].is_string() && row.contains("count") &&
                 row["count"].is_number_integer();
    if (!whole) return bad;
    out.entries_[{row["file"], row["fingerprint"]}] = {row["code"],
                                                       row["count"]};
  }
  return out;
}

void Baseline::Add(const CheckedFile& file) {
  if (!file.checked()) return;
  auto add = [&](const ir::Diagnostic& d) {
    Entry& e = entries_[{file.source.path, Fingerprint(file.source, d)}];
    e.code = d.code.name();
    ++e.count;
  };
  for (const Finding& f : file.report->findings) {
    add(f.diagnostic);
    for (const Finding& e : f.elsewhere) add(e.diagnostic);
    for (const ir::Diagnostic& d : f.follows) add(d);
    for (const Finding& e : f.follows_elsewhere) add(e.diagnostic);
  }
}

std::map<std::string, int> Baseline::Of(const std::string& path) const {
  std::map<std::string, int> out;
  for (const auto& [key, entry] : entries_) {
    if (key.first == path) out[key.second] = entry.count;
  }
  return out;
}

std::string Baseline::Text() const {
  Json rows = Json::array();
  for (const auto& [key, entry] : entries_)
    rows.push_back({{"file", key.first},
                    {"code", entry.code},
                    {"fingerprint", key.second},
                    {"count", entry.count}});
  return Dump({{"schema", 1}, {"baseline", std::move(rows)}}) + "\n";
}

namespace {

// What follows from a finding that is hidden is told by itself: nobody has
// allowed that.
void TellWhatFollows(Finding& root, std::vector<Finding>& findings) {
  std::vector<Finding> told;
  std::vector<ir::Diagnostic> all = std::move(root.follows);
  for (Finding& e : root.follows_elsewhere)
    all.push_back(std::move(e.diagnostic));
  for (ir::Diagnostic& d : all) {
    Finding f;
    f.diagnostic = std::move(d);
    f.diagnostic.notes.push_back(
        ir::Cat("this follows from ", root.diagnostic.code.name(), " on line ",
                root.diagnostic.span.text_line(), ", which is not shown"));
    f.every_schedule = root.every_schedule;
    f.seen = root.seen;
    f.no_witness = "it follows from a finding that is not shown";
    told.push_back(std::move(f));
  }
  root.follows.clear();
  root.follows_elsewhere.clear();
  findings.insert(findings.end(), std::make_move_iterator(told.begin()),
                  std::make_move_iterator(told.end()));
}

// Takes one from those that the baseline has.
bool Take(std::map<std::string, int>& known, const std::string& print) {
  auto found = known.find(print);
  if (found == known.end() || found->second == 0) return false;
  --found->second;
  return true;
}

// What is known of the places that findings were seen at.
class KnownPlaces {
 public:
  KnownPlaces(const CheckedFile& file, Allows& allows,
              std::map<std::string, int>& baseline)
      : source_(file.source), allows_(allows), baseline_(baseline) {}

  // By what a finding is hidden: a comment or the baseline knows of each of
  // its places. If not, it is told at the first one that neither knows; an
  // error before a warning.
  std::optional<Hidden> Look(Finding& f) {
    std::optional<Hidden> first = Of(f.diagnostic);
    Finding* told = first ? nullptr : &f;
    for (Finding& e : f.elsewhere) {
      if (Of(e.diagnostic)) continue;
      const bool worse = told != nullptr && IsError(e.diagnostic) &&
                         !IsError(told->diagnostic);
      if (told == nullptr || worse) told = &e;
    }
    if (told == nullptr) return first;
    if (told != &f) TellAt(std::move(*told), f);
    return std::nullopt;
  }

  void TakeFollows(const Finding& f) {
    for (const ir::Diagnostic& d : f.follows) InBaseline(d);
    for (const Finding& e : f.follows_elsewhere) InBaseline(e.diagnostic);
  }

 private:
  std::optional<Hidden> Of(const ir::Diagnostic& d) {
    if (std::optional<std::string> reason = allows_.For(d))
      return Hidden{true, *reason};
    if (InBaseline(d)) return Hidden{false, ""};
    return std::nullopt;
  }

  bool InBaseline(const ir::Diagnostic& d) {
    return Take(baseline_, Fingerprint(source_, d));
  }

  static void TellAt(Finding place, Finding& f) {
    place.diagnostic.notes.push_back(ir::Cat("the same on line ",
                                             f.diagnostic.span.text_line(),
                                             " is known, and not shown"));
    place.every_schedule = f.every_schedule;
    place.witness.clear();
    place.trace.clear();
    place.consequence = {};
    place.follows = std::move(f.follows);
    place.follows_elsewhere = std::move(f.follows_elsewhere);
    place.no_witness = "its witness is that of the place that is not shown";
    f = std::move(place);
  }

  const ir::Source& source_;
  Allows& allows_;
  std::map<std::string, int>& baseline_;
};

}  // namespace

int Suppress(CheckedFile& file, const Baseline& baseline) {
  if (!file.checked()) return 0;
  ir::Diagnostics texts, about_allows;
  Allows allows(file.source, about_allows);
  for (const ir::Diagnostic& d : file.texts.all()) {
    if (!allows.For(d)) texts.Warning(d.code, d.span, d.message) = d;
  }
  std::vector<Finding>& findings = file.report->findings;
  std::map<std::string, int> known = baseline.Of(file.source.path);
  KnownPlaces places(file, allows, known);
  for (size_t i = 0; i < findings.size(); ++i) {  // grows
    std::optional<Hidden>& hidden = file.hidden.emplace_back();
    hidden = places.Look(findings[i]);
    if (hidden) {
      Finding root = std::move(findings[i]);
      TellWhatFollows(root, findings);
      findings[i] = std::move(root);
      continue;
    }
    // Still there, with what it follows from.
    places.TakeFollows(findings[i]);
  }
  allows.TellUnused(about_allows);
  texts.Append(about_allows);
  file.texts = std::move(texts);
  if (file.exit == kFindings) file.exit = ExitOf(file);
  int gone = 0;
  for (const auto& [print, count] : known) gone += std::max(count, 0);
  return gone;
}

}  // namespace tilesim::cli
