#include "cli/suppress.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/fingerprint.h"
#include "cli/witness_json.h"
#include "frontend/allow.h"
#include "ir/cat.h"
#include "ir/values/read_file.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 28;

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
          .help = "take the comment out";
    }
  }

 private:
  struct One {
    std::string path;
    frontend::Allow allow;
    bool used = false;
    bool included = false;
  };
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
  absl::StatusOr<std::string> text = values::ReadFile(path, kMostBytes);
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
  for (const auto& f : file.report->findings) {
    Entry& e =
        entries_[{file.source.path, Fingerprint(file.source, f.diagnostic)}];
    e.code = f.diagnostic.code.name();
    ++e.count;
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

int Suppress(CheckedFile& file, const Baseline& baseline) {
  if (!file.checked()) return 0;
  ir::Diagnostics texts, about_allows;
  Allows allows(file.source, about_allows);
  for (const ir::Diagnostic& d : file.texts.all()) {
    if (!allows.For(d)) texts.Warning(d.code, d.span, d.message) = d;
  }
  const auto& findings = file.report->findings;
  std::map<std::string, int> known = baseline.Of(file.source.path);
  file.hidden.resize(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    const ir::Diagnostic& d = findings[i].diagnostic;
    auto of_baseline = known.find(Fingerprint(file.source, d));
    if (std::optional<std::string> reason = allows.For(d)) {
      file.hidden[i] = Hidden{true, *reason};
    } else if (of_baseline != known.end() && of_baseline->second > 0) {
      --of_baseline->second;
      file.hidden[i] = Hidden{false, ""};
    }
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
