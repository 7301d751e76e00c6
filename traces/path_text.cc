#include "traces/path_text.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "traces/numbers_text.h"

namespace tilesim::traces {
namespace {

constexpr size_t kSourceWidth = 60;  // of a source line beside a number
constexpr double kSmall = 0.01;      // shares below are told together
constexpr size_t kShownWaits = 3;    // of a line

std::string Shortened(const std::string& text) {
  if (text.size() <= kSourceWidth) return text;
  size_t end = kSourceWidth - 3;
  // Not in the middle of a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end) + "...";
}

// "41", of another file than the program's "tiles.inc:41".
std::string LineNumber(const PathShare& s, const std::string& program) {
  if (s.line == 0) return "";
  if (s.file.empty() || s.file == program) return absl::StrCat(s.line);
  return absl::StrCat(s.file.substr(s.file.find_last_of('/') + 1), ":", s.line);
}

// What a line waited for, below it.
void AddWaits(const LineReport& line, TextTable* table) {
  for (size_t i = 0; i < std::min(kShownWaits, line.waits.size()); ++i) {
    const LineReport::Wait& wait = line.waits[i];
    std::string text = absl::StrCat("    ^ waited on ", wait.on);
    if (wait.by_line > 0)
      absl::StrAppend(&text, ", ended by line ", wait.by_line, ": ", wait.by);
    if (!wait.role.empty()) absl::StrAppend(&text, " of ", wait.role);
    table->Row({"", "", Grouped(wait.cycles), "", "", "", std::move(text)});
  }
}

// "8.0 cycles of shared memory": of accesses whose lanes ask one bank for
// several words.
void AddBankConflicts(const LineReport& line, TextTable* table) {
  constexpr double kWorthALine = 1.25;
  if (line.bank_cycles <= kWorthALine * line.least_bank_cycles) return;
  table->Row({"", "", "", "", "", "",
              absl::StrFormat("    ^ bank conflicts: shared memory takes %.1f "
                              "cycles where 1 would do",
                              line.bank_cycles / line.least_bank_cycles)});
}

std::string FileText(const RunReport& report, const SourceText& source) {
  std::map<int32_t, std::vector<const LineReport*>> by_line;
  for (const LineReport& l : *report.lines) {
    if (l.file == source.path) by_line[l.line].push_back(&l);
  }
  TextTable table({kRight, kRight, kRight, kRight, kRight, kRight, kLeft});
  table.Row({"executed", "busy", "waited", "each in flight", "path", "line",
             "source"});
  for (size_t i = 0; i < source.lines.size(); ++i) {
    const auto line = static_cast<int32_t>(i + 1);
    const std::string number = absl::StrCat(line);
    auto at = by_line.find(line);
    if (at == by_line.end()) {
      table.Row({"", "", "", "", "", number, source.lines[i]});
      continue;
    }
    for (const LineReport* l : at->second) {
      table.Row({Grouped(l->executed), Grouped(l->busy), Grouped(l->waited),
                 l->flights > 0 ? Grouped(l->in_flight / l->flights) : "",
                 l->on_path > 0 ? Percent(l->on_path, report.cycles) : "",
                 number, source.lines[i]});
      AddWaits(*l, &table);
      AddBankConflicts(*l, &table);
    }
  }
  return Section(absl::StrCat("Source of ", source.path,
                              " (cycles added up over all CTAs; path: share of "
                              "the critical path)"),
                 table);
}

}  // namespace

std::string CriticalPathText(const RunReport& report) {
  int64_t all = 0, rest = 0, others = 0;
  for (const PathShare& s : report.critical_path) all += s.cycles;
  TextTable table({kRight, kRight, kLeft, kRight, kLeft});
  if (all > 0) table.Row({"share", "cycles", "spent on", "line", ""});
  for (const PathShare& s : report.critical_path) {
    if (static_cast<double>(s.cycles) < kSmall * static_cast<double>(all)) {
      rest += s.cycles;
      ++others;
      continue;
    }
    table.Row({Percent(s.cycles, all), Grouped(s.cycles), s.cause,
               LineNumber(s, report.file), Shortened(s.source)});
  }
  if (rest > 0)
    table.Row({Percent(rest, all), Grouped(rest),
               absl::StrCat(others, " smaller ones")});
  return Section("Critical Path (what the end of the run waited for)", table);
}

std::string LinesText(const RunReport& report) {
  if (!report.lines) return "";
  std::string text;
  for (const SourceText& source : report.sources)
    absl::StrAppend(&text, FileText(report, source));
  return text;
}

std::string HintsText(const RunReport& report) {
  if (!report.hinted) return "";
  TextTable table({kLeft, kRight, kLeft});
  for (const Hint& h : report.hints) {
    table.Row({h.change, absl::StrFormat("%+.1f %%", h.of_time * 100),
               absl::StrFormat("%.2f us; found by running it", h.time_us)});
  }
  const std::string tried = absl::StrJoin(report.tried, "; ");
  if (tried.empty()) {
    table.Row(
        {"nothing was tried: no constant says how many stages or barriers "
         "there are"});
  } else {
    table.Row({absl::StrCat(
        report.hints.empty() ? "none is faster of what was tried: " : "tried: ",
        tried)});
  }
  return Section("Hints", table);
}

std::string BaselineText(const RunReport& report) {
  if (!report.baseline) return "";
  TextTable table({kLeft, kRight, kRight, kRight});
  table.Row({"", "before", "now", "change"});
  for (const Delta& d : report.baseline->deltas) {
    const auto number = [&](double v) {
      if (d.share) return Percent(v);
      return v >= 1e4 ? absl::StrFormat("%.0f %s", v, d.unit)
                      : absl::StrFormat("%.2f %s", v, d.unit);
    };
    std::string change;
    if (d.share) {
      change = absl::StrFormat("%+.1f points", (d.now - d.before) * 100);
    } else if (d.before > 0) {
      change = absl::StrFormat("%+.1f %%", (d.now / d.before - 1) * 100);
    }
    table.Row({d.what, number(d.before), number(d.now), change});
  }
  std::string text =
      Section(absl::StrCat("Against ", report.baseline->file), table);
  for (const std::string& d : report.baseline->differs)
    absl::StrAppend(&text, "  not the same: ", d, "\n");
  return text;
}

}  // namespace tilesim::traces
