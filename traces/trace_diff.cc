#include "traces/trace_diff.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "traces/read_trace.h"
#include "traces/text_table.h"

namespace tilesim::traces {
namespace {

using nlohmann::json;
constexpr size_t kShownLines = 8;

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

// "WAIT full[2]" -> "WAIT full"; nothing of what is no wait.
std::string WaitOf(const std::string& name) {
  if (name.rfind("WAIT", 0) != 0) return "";
  return name.substr(0, name.find('['));
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
    std::string wait = WaitOf(bar.name);
    const Cycle waited = wait.empty() ? 0 : bar.cycles;
    if (!same) {
      steps.push_back({bar.line, bar.name, start, bar.cycles,
                       wait.empty() ? bar.name : "", wait, waited});
      longest = bar.cycles;
      continue;
    }
    steps.back().cycles += bar.cycles;
    steps.back().waited += waited;
    (wait.empty() ? steps.back().op : steps.back().wait) =
        wait.empty() ? bar.name : wait;
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

absl::StatusOr<TraceFile> ReadTraceFile(const std::string& path) {
  absl::StatusOr<json> read = ReadTraceJson(path);
  if (!read.ok()) return read.status();
  const json& file = *read;
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
  TraceFile out;
  if (file.contains("otherData") && file["otherData"].is_object())
    out.program = file["otherData"].value("program", "");
  for (auto& [key, track] : first) out.roles[key] = StepsOf(*track);
  return out;
}

bool SameProgram(const TraceFile& a, const TraceFile& b) {
  const auto name = [](const TraceFile& f) {
    return f.program.substr(f.program.find_last_of('/') + 1);
  };
  return name(a) == name(b);
}

std::vector<RoleDiff> Diff(const RoleTraces& a, const RoleTraces& b) {
  std::vector<RoleDiff> out;
  for (const auto& [key, steps] : a) {
    auto it = b.find(key);
    if (it != b.end()) out.push_back(DiffRole(key, steps, it->second));
  }
  return out;
}

std::vector<PartDiff> Parts(const RoleTraces& a, const RoleTraces& b) {
  std::map<std::pair<int32_t, bool>, PartDiff> parts;
  const auto add = [&](const RoleTraces& from, const RoleTraces& other,
                       Cycle PartDiff::*side) {
    for (const auto& [key, steps] : from) {
      if (!other.contains(key)) continue;
      for (const LineStep& s : steps) {
        for (bool wait : {false, true}) {
          const Cycle cycles = wait ? s.waited : s.cycles - s.waited;
          if (cycles == 0) continue;
          PartDiff& p = parts[{s.line, wait}];
          p.line = s.line;
          if (p.name.empty()) p.name = wait ? s.wait : s.op;
          p.*side += cycles;
        }
      }
    }
  };
  add(a, b, &PartDiff::a);
  add(b, a, &PartDiff::b);
  std::vector<PartDiff> out;
  for (auto& [at, part] : parts) {
    if (part.a != part.b) out.push_back(std::move(part));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) {
    return std::abs(x.a - x.b) > std::abs(y.a - y.b);
  });
  return out;
}

bool TraceDiff::equal() const {
  return std::none_of(roles.begin(), roles.end(),
                      [](const RoleDiff& d) { return d.parts.has_value(); });
}

TraceDiff DiffOf(const TraceFile& a, const TraceFile& b) {
  return {"", "", Parts(a.roles, b.roles), Diff(a.roles, b.roles)};
}

namespace {

using enum TextTable::Align;

std::string SummaryText(const std::vector<PartDiff>& parts) {
  if (parts.empty()) return "\nno line takes another time\n";
  TextTable table({kLeft, kRight, kRight, kRight, kRight});
  table.Row({"where time differs", "line", "A cycles", "B cycles", "B - A"});
  for (size_t i = 0; i < std::min(kShownParts, parts.size()); ++i) {
    const PartDiff& p = parts[i];
    table.Row({p.name, absl::StrCat(p.line), absl::StrCat(p.a),
               absl::StrCat(p.b), absl::StrFormat("%+d", p.b - p.a)});
  }
  return absl::StrCat("\n", table.Render(""));
}

std::string RoleText(const RoleDiff& d) {
  std::string text = absl::StrCat("\n", d.role.first, " ", d.role.second, ": ",
                                  d.cycles_a, " and ", d.cycles_b, " cycles\n");
  if (d.parts) {
    const auto& [x, y] = *d.parts;
    absl::StrAppend(&text, "  they part at line ", x.line, " (", x.name,
                    "): A ", x.cycles, " cycles from ", x.start, ", B ",
                    y.cycles, " from ", y.start, "\n");
  } else {
    absl::StrAppend(&text, "  no step parts them\n");
  }
  TextTable table({kRight, kLeft, kRight, kRight, kRight, kRight});
  table.Row({"line", "op", "A times", "A cycles", "B times", "B cycles"});
  for (size_t i = 0; i < std::min(kShownLines, d.lines.size()); ++i) {
    const LineDiff& l = d.lines[i];
    table.Row({absl::StrCat(l.line), l.name, absl::StrCat(l.times_a),
               absl::StrCat(l.cycles_a), absl::StrCat(l.times_b),
               absl::StrCat(l.cycles_b)});
  }
  return absl::StrCat(text, table.Render("  "));
}

nlohmann::ordered_json StepJson(const LineStep& s) {
  return {{"start", s.start}, {"cycles", s.cycles}, {"name", s.name}};
}

nlohmann::ordered_json RoleJson(const RoleDiff& d) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const LineDiff& l : d.lines) {
    lines.push_back({{"line", l.line},
                     {"name", l.name},
                     {"times_a", l.times_a},
                     {"times_b", l.times_b},
                     {"cycles_a", l.cycles_a},
                     {"cycles_b", l.cycles_b}});
  }
  nlohmann::ordered_json parts = nullptr;
  if (d.parts)
    parts = {{"line", d.parts->first.line},
             {"a", StepJson(d.parts->first)},
             {"b", StepJson(d.parts->second)}};
  return {{"cta", d.role.first},    {"role", d.role.second},
          {"cycles_a", d.cycles_a}, {"cycles_b", d.cycles_b},
          {"parts_at", parts},      {"lines", lines}};
}

}  // namespace

std::string DiffText(const TraceDiff& diff) {
  std::string text = absl::StrCat("A: ", diff.a, "\nB: ", diff.b, "\n",
                                  SummaryText(diff.parts));
  for (const RoleDiff& d : diff.roles) text += RoleText(d);
  return text;
}

nlohmann::ordered_json DiffJson(const TraceDiff& diff) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const PartDiff& p : diff.parts) {
    parts.push_back({{"name", p.name},
                     {"line", p.line},
                     {"cycles_a", p.a},
                     {"cycles_b", p.b}});
  }
  nlohmann::ordered_json roles = nlohmann::ordered_json::array();
  for (const RoleDiff& d : diff.roles) roles.push_back(RoleJson(d));
  return {{"schema", 1},
          {"a", diff.a},
          {"b", diff.b},
          {"equal", diff.equal()},
          {"where_time_differs", parts},
          {"roles", roles}};
}

}  // namespace tilesim::traces
