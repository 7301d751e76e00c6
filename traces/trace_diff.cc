#include "traces/trace_diff.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "traces/text_table.h"

namespace tilesim::traces {
namespace {

using nlohmann::json;
constexpr size_t kShownLines = 8;

// gzread reads what is not compressed, too.
absl::StatusOr<std::string> ReadMaybeGzip(const std::string& path) {
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"),
                                                  gzclose);
  if (file == nullptr)
    return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  std::string text;
  char buffer[1 << 16];
  int n = 0;
  while ((n = gzread(file.get(), buffer, sizeof(buffer))) > 0)
    text.append(buffer, static_cast<size_t>(n));
  if (n < 0)
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be read"));
  return text;
}

// A track as the file has it.
struct RawTrack {
  std::string process, name;
  int64_t sort = 0;
  struct Bar {
    Cycle start, cycles;
    int32_t line;
    std::string name;
  };
  std::vector<Bar> bars;
};

using Tracks = std::map<std::pair<int64_t, int64_t>, RawTrack>;

void TakeEvent(const json& e, std::map<int64_t, std::string>& processes,
               Tracks& tracks) {
  const std::string ph = e.value("ph", "");
  const int64_t pid = e.value("pid", int64_t{0});
  if (ph == "M" && e.value("name", "") == "process_name")
    processes[pid] = e.at("args").value("name", "");
  if (!e.contains("tid")) return;
  RawTrack& track = tracks[{pid, e.at("tid").get<int64_t>()}];
  if (ph == "M" && e.value("name", "") == "thread_name")
    track.name = e.at("args").value("name", "");
  if (ph == "M" && e.value("name", "") == "thread_sort_index")
    track.sort = e.at("args").value("sort_index", int64_t{0});
  if (ph != "X") return;
  const json& args = e.at("args");
  track.bars.push_back({args.at("cycle").get<Cycle>(),
                        args.at("cycles").get<Cycle>(), args.value("line", 0),
                        e.value("name", "")});
}

// "SM 12 / CTA (3, 0, 0) rank 1" -> "CTA (3, 0, 0)": where it ran and its rank
// are no part of what it is.
std::string CtaOf(const std::string& process) {
  size_t at = process.find("CTA (");
  if (at == std::string::npos) return "";
  return process.substr(at, process.find(')', at) + 1 - at);
}

std::string RoleOf(const std::string& track) {
  return track.substr(0, track.find(" ("));
}

std::vector<LineStep> StepsOf(RawTrack& track) {
  std::stable_sort(
      track.bars.begin(), track.bars.end(),
      [](const auto& a, const auto& b) { return a.start < b.start; });
  std::vector<LineStep> steps;
  Cycle longest = 0, origin = track.bars.empty() ? 0 : track.bars[0].start;
  for (const RawTrack::Bar& bar : track.bars) {
    if (bar.line == 0) continue;  // neither a wait nor an op
    const Cycle start = bar.start - origin;
    bool same = !steps.empty() && steps.back().line == bar.line &&
                steps.back().start + steps.back().cycles == start &&
                steps.back().name != bar.name;
    if (!same) {
      steps.push_back({bar.line, bar.name, start, bar.cycles});
      longest = bar.cycles;
      continue;
    }
    steps.back().cycles += bar.cycles;
    if (bar.cycles > longest) {
      longest = bar.cycles;
      steps.back().name = bar.name;
    }
  }
  return steps;
}

bool Part(const LineStep& a, const LineStep& b) {
  const Cycle apart = std::abs(a.cycles - b.cycles);
  return apart > kParts && 4 * apart > std::max(a.cycles, b.cycles);
}

std::map<int32_t, std::vector<const LineStep*>> ByLine(
    const std::vector<LineStep>& steps) {
  std::map<int32_t, std::vector<const LineStep*>> lines;
  for (const LineStep& s : steps) lines[s.line].push_back(&s);
  return lines;
}

RoleDiff DiffRole(const RoleKey& key, const std::vector<LineStep>& a,
                  const std::vector<LineStep>& b) {
  RoleDiff d;
  d.role = key;
  if (!a.empty()) d.cycles_a = a.back().start + a.back().cycles;
  if (!b.empty()) d.cycles_b = b.back().start + b.back().cycles;
  auto lines_a = ByLine(a), lines_b = ByLine(b);
  for (const auto& [line, in_a] : lines_a) {
    const std::vector<const LineStep*>& in_b = lines_b[line];
    LineDiff l;
    l.line = line;
    l.name = in_a[0]->name;
    l.times_a = static_cast<int64_t>(in_a.size());
    l.times_b = static_cast<int64_t>(in_b.size());
    for (const LineStep* s : in_a) l.cycles_a += s->cycles;
    for (const LineStep* s : in_b) l.cycles_b += s->cycles;
    for (size_t i = 0; i < std::min(in_a.size(), in_b.size()); ++i) {
      if (!Part(*in_a[i], *in_b[i])) continue;
      if (!d.parts || in_a[i]->start < d.parts->first.start)
        d.parts.emplace(*in_a[i], *in_b[i]);
      break;
    }
    d.lines.push_back(std::move(l));
  }
  std::stable_sort(d.lines.begin(), d.lines.end(),
                   [](const LineDiff& x, const LineDiff& y) {
                     return std::abs(x.cycles_a - x.cycles_b) >
                            std::abs(y.cycles_a - y.cycles_b);
                   });
  return d;
}

}  // namespace

absl::StatusOr<RoleTraces> ReadRoleTraces(const std::string& path) {
  absl::StatusOr<std::string> text = ReadMaybeGzip(path);
  if (!text.ok()) return text.status();
  json file = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded() || !file.contains("traceEvents"))
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no trace file"));
  std::map<int64_t, std::string> processes;
  Tracks tracks;
  try {
    for (const json& e : file.at("traceEvents"))
      TakeEvent(e, processes, tracks);
  } catch (const json::exception& e) {  // the library throws; we do not
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", e.what()));
  }
  // The first thread of a role stands for it.
  std::map<RoleKey, RawTrack*> first;
  for (auto& [id, track] : tracks) {
    RoleKey key(CtaOf(processes[id.first]), RoleOf(track.name));
    bool lines = std::any_of(track.bars.begin(), track.bars.end(),
                             [](const auto& bar) { return bar.line > 0; });
    if (key.first.empty() || !lines) continue;
    auto [at, fresh] = first.try_emplace(key, &track);
    if (!fresh && track.sort < at->second->sort) at->second = &track;
  }
  RoleTraces out;
  for (auto& [key, track] : first) out[key] = StepsOf(*track);
  return out;
}

std::vector<RoleDiff> Diff(const RoleTraces& a, const RoleTraces& b) {
  std::vector<RoleDiff> out;
  for (const auto& [key, steps] : a) {
    auto it = b.find(key);
    if (it != b.end()) out.push_back(DiffRole(key, steps, it->second));
  }
  return out;
}

std::string DiffText(const std::vector<RoleDiff>& roles, const std::string& a,
                     const std::string& b) {
  std::string text = absl::StrCat("A: ", a, "\nB: ", b, "\n");
  for (const RoleDiff& d : roles) {
    absl::StrAppend(&text, "\n", d.role.first, " ", d.role.second, ": ",
                    d.cycles_a, " and ", d.cycles_b, " cycles\n");
    if (d.parts) {
      const auto& [x, y] = *d.parts;
      absl::StrAppend(&text, "  they part at line ", x.line, " (", x.name,
                      "): A ", x.cycles, " cycles from ", x.start, ", B ",
                      y.cycles, " from ", y.start, "\n");
    } else {
      absl::StrAppend(&text, "  no step parts them\n");
    }
    using enum TextTable::Align;
    TextTable table({kRight, kLeft, kRight, kRight, kRight, kRight});
    table.Row({"line", "op", "A times", "A cycles", "B times", "B cycles"});
    for (size_t i = 0; i < std::min(kShownLines, d.lines.size()); ++i) {
      const LineDiff& l = d.lines[i];
      table.Row({absl::StrCat(l.line), l.name, absl::StrCat(l.times_a),
                 absl::StrCat(l.cycles_a), absl::StrCat(l.times_b),
                 absl::StrCat(l.cycles_b)});
    }
    absl::StrAppend(&text, table.Render("  "));
  }
  return text;
}

}  // namespace tilesim::traces
