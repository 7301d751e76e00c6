#include "traces/trace_diff.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "traces/read_trace.h"
#include "traces/text_table.h"

namespace tilesim::traces {
namespace {

using nlohmann::json;
constexpr size_t kShownLines = 5;

// As cli/run/recorder.cc names tracks of what runs beside the threads.
constexpr std::string_view kUnits[] = {
    "TMA",           "cp.async",       "tensor core", "commit",
    "tensor memory", "launch control", "st.async",    "unit"};

// A track as the file has it.
struct RawTrack {
  std::string process, name;
  int64_t sort = 0;
  struct Bar {
    Cycle start, cycles;
    std::string file;
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
                        args.at("cycles").get<Cycle>(), args.value("file", ""),
                        args.value("line", 0), e.value("name", "")});
}

// "SM 12 / CTA (3, 0, 0) rank 1" -> "CTA (3, 0, 0)": where it ran and its rank
// are no part of what it is. Of a file with several kernels "up: CTA (0, 0)".
std::string CtaOf(const std::string& process) {
  const size_t at = process.find("CTA (");
  if (at == std::string::npos) return "";
  const size_t sm = process.find("SM ");
  return process.substr(0, std::min(sm, at)) +
         process.substr(at, process.find(')', at) + 1 - at);
}

// "mma (warp 0)" -> "mma", "TMA b[0] #2" -> "TMA b"
std::string RoleOf(const std::string& track) {
  return track.substr(
      0, std::min({track.find(" ("), track.find('['), track.find(" #")}));
}

bool IsUnit(std::string_view role) {
  return std::any_of(std::begin(kUnits), std::end(kUnits), [&](auto unit) {
    return role == unit || (role.starts_with(unit) && role[unit.size()] == ' ');
  });
}

// What an operation does to a tile, on the tile's track.
bool IsOfTile(const RawTrack& track) {
  return std::any_of(track.bars.begin(), track.bars.end(),
                     [](const RawTrack::Bar& bar) {
                       return bar.name.starts_with("written by ") ||
                              bar.name.starts_with("read by ");
                     });
}

// "WAIT full[2]" -> "WAIT full"; nothing of what is no wait.
std::string WaitOf(const std::string& name) {
  if (name.rfind("WAIT", 0) != 0) return "";
  return name.substr(0, name.find('['));
}

std::vector<LineStep> StepsOf(RawTrack& track, bool unit) {
  std::stable_sort(
      track.bars.begin(), track.bars.end(),
      [](const auto& a, const auto& b) { return a.start < b.start; });
  std::vector<LineStep> steps;
  Cycle longest = 0, origin = track.bars.empty() ? 0 : track.bars[0].start;
  for (RawTrack::Bar& bar : track.bars) {
    if (bar.line == 0) continue;  // neither a wait nor an op
    // Which stage it is for says its line's counter.
    if (unit) bar.name = bar.name.substr(0, bar.name.find('['));
    const Cycle start = bar.start - origin;
    bool same = !unit && !steps.empty() && steps.back().line == bar.line &&
                steps.back().file == bar.file &&
                steps.back().start + steps.back().cycles == start &&
                steps.back().name != bar.name;
    std::string wait = WaitOf(bar.name);
    const Cycle waited = wait.empty() ? 0 : bar.cycles;
    if (!same) {
      steps.push_back({bar.file, bar.line, bar.name, start, bar.cycles,
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

using FileLine = std::pair<std::string, int32_t>;

// "59" of the program itself, "persistent.inc:59"
std::string LineText(const std::string& file, int32_t line) {
  return file.empty() ? absl::StrCat(line) : absl::StrCat(file, ":", line);
}

std::map<FileLine, std::vector<const LineStep*>> ByLine(
    const std::vector<LineStep>& steps) {
  std::map<FileLine, std::vector<const LineStep*>> lines;
  for (const LineStep& s : steps) lines[{s.file, s.line}].push_back(&s);
  return lines;
}

Cycle EndOf(const std::vector<LineStep>& steps) {
  Cycle end = 0;
  for (const LineStep& s : steps) end = std::max(end, s.start + s.cycles);
  return end;
}

RoleDiff DiffRole(const RoleKey& key, const std::vector<LineStep>& a,
                  const std::vector<LineStep>& b) {
  RoleDiff d;
  d.role = key;
  d.cycles_a = EndOf(a);
  d.cycles_b = EndOf(b);
  auto lines_a = ByLine(a), lines_b = ByLine(b);
  for (const auto& [line, in_b] : lines_b) lines_a.try_emplace(line);
  for (const auto& [line, in_a] : lines_a) {
    const std::vector<const LineStep*>& in_b = lines_b[line];
    LineDiff l;
    std::tie(l.file, l.line) = line;
    l.name = (in_a.empty() ? in_b : in_a)[0]->name;
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

// The tracks of a role's threads, or of a unit's lanes.
struct Gathered {
  RawTrack* first = nullptr;
  std::vector<RawTrack*> all;
};

std::map<RoleKey, Gathered> Gather(Tracks& tracks,
                                   std::map<int64_t, std::string>& processes) {
  std::map<RoleKey, Gathered> out;
  for (auto& [id, track] : tracks) {
    RoleKey key(CtaOf(processes[id.first]), RoleOf(track.name));
    bool lines = std::any_of(track.bars.begin(), track.bars.end(),
                             [](const auto& bar) { return bar.line > 0; });
    if (key.first.empty() || !lines || IsOfTile(track)) continue;
    Gathered& g = out[key];
    g.all.push_back(&track);
    if (g.first == nullptr || track.sort < g.first->sort) g.first = &track;
  }
  return out;
}

// Adds its tracks and how long they all take.
void TakeTracks(Tracks& tracks, std::map<int64_t, std::string>& processes,
                TraceFile& out) {
  std::optional<Cycle> from;
  Cycle to = 0;
  for (auto& [key, gathered] : Gather(tracks, processes)) {
    for (const RawTrack* track : gathered.all) {
      for (const RawTrack::Bar& bar : track->bars) {
        from = std::min(from.value_or(bar.start), bar.start);
        to = std::max(to, bar.start + bar.cycles);
      }
    }
    const bool unit = IsUnit(key.second);
    RawTrack joined;
    for (const RawTrack* track : gathered.all) {
      // The first thread of a role stands for it.
      if (!unit && track != gathered.first) continue;
      joined.bars.insert(joined.bars.end(), track->bars.begin(),
                         track->bars.end());
    }
    out.roles[key] = StepsOf(joined, unit);
  }
  out.cycles = to - from.value_or(to);
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
  TraceFile out;
  try {
    if (file.contains("otherData") && file["otherData"].is_object()) {
      const json& about = file["otherData"];
      out.program = about.value("program", "");
      out.source = about.value("source", "");
      out.clock_mhz = about.value("clock_mhz", 0.0);
      out.truncated = about.value("truncated", false);
      out.run_cycles = about.value("run_cycles", int64_t{0});
      if (about.contains("sizes"))
        out.sizes = about["sizes"].get<std::map<std::string, int64_t>>();
      if (out.truncated)
        out.omitted = about.value("omitted_slices", int64_t{0});
    }
  } catch (const json::exception& e) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", e.what()));
  }
  out.modelled =
      std::any_of(processes.begin(), processes.end(), [](const auto& process) {
        return process.second == "GPU" || process.second.starts_with("GPU (");
      });
  TakeTracks(tracks, processes, out);
  return out;
}

bool SameProgram(const TraceFile& a, const TraceFile& b) {
  if (!a.source.empty() && !b.source.empty()) return a.source == b.source;
  const auto name = [](const TraceFile& f) {
    return f.program.substr(f.program.find_last_of('/') + 1);
  };
  return name(a) == name(b);
}

std::string OtherSizes(const TraceFile& a, const TraceFile& b) {
  if (a.sizes.empty() || b.sizes.empty()) return "";
  std::string out;
  for (const auto& [name, size] : a.sizes) {
    auto other = b.sizes.find(name);
    if (other == b.sizes.end() || other->second == size) continue;
    absl::StrAppend(&out, out.empty() ? "" : ", ", name, " is ", size,
                    " in one, ", other->second, " in the other");
  }
  return out;
}

bool RoleDiff::differs() const {
  return parts.has_value() ||
         std::any_of(lines.begin(), lines.end(),
                     [](const LineDiff& l) { return l.times_a != l.times_b; });
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
  // Of a line: waits, what threads do, and what a unit does for them.
  std::map<std::tuple<FileLine, bool, bool>, PartDiff> parts;
  const auto add = [&](const RoleTraces& from, Cycle PartDiff::*side) {
    for (const auto& [key, steps] : from) {
      const bool unit = IsUnit(key.second);
      for (const LineStep& s : steps) {
        for (bool wait : {false, true}) {
          const Cycle cycles = wait ? s.waited : s.cycles - s.waited;
          if (cycles == 0) continue;
          PartDiff& p = parts[{{s.file, s.line}, wait, unit}];
          p.file = s.file;
          p.line = s.line;
          if (p.name.empty()) p.name = wait ? s.wait : s.op;
          p.*side += cycles;
        }
      }
    }
  };
  add(a, &PartDiff::a);
  add(b, &PartDiff::b);
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
  const auto whole = [](const TraceSide& side) {
    return !side.truncated && side.alone.empty();
  };
  return whole(a) && whole(b) &&
         std::none_of(roles.begin(), roles.end(),
                      [](const RoleDiff& d) { return d.differs(); });
}

namespace {

bool NamesFiles(const RoleTraces& roles) {
  return std::any_of(roles.begin(), roles.end(), [](const auto& role) {
    return std::any_of(role.second.begin(), role.second.end(),
                       [](const LineStep& s) { return !s.file.empty(); });
  });
}

bool HasUnits(const RoleTraces& roles) {
  return std::any_of(roles.begin(), roles.end(), [](const auto& role) {
    return IsUnit(role.first.second);
  });
}

void DropFiles(RoleTraces& roles) {
  for (auto& [key, steps] : roles) {
    for (LineStep& s : steps) s.file.clear();
  }
}

void DropUnits(RoleTraces& roles) {
  std::erase_if(roles,
                [](const auto& role) { return IsUnit(role.first.second); });
}

// Takes out CTAs that the other has none of, and counts them; of the others the
// tracks that it lacks are counted.
void CountAlone(RoleTraces& roles, const RoleTraces& other, TraceSide& side) {
  std::set<std::string> there, gone;
  for (const auto& [key, steps] : other) there.insert(key.first);
  for (const auto& [key, steps] : roles) {
    if (!there.contains(key.first)) {
      gone.insert(key.first);
    } else if (!other.contains(key)) {
      ++side.alone[key.second];
    }
  }
  if (!gone.empty()) side.alone["CTAs"] = static_cast<int64_t>(gone.size());
  std::erase_if(
      roles, [&](const auto& role) { return gone.contains(role.first.first); });
}

TraceSide SideOf(const TraceFile& file) {
  TraceSide side;
  side.cycles = file.cycles;
  side.run_cycles = file.run_cycles;
  side.clock_mhz = file.clock_mhz;
  side.omitted = file.omitted;
  side.truncated = file.truncated;
  return side;
}

}  // namespace

TraceDiff DiffOf(const TraceFile& a, const TraceFile& b) {
  TraceDiff diff{SideOf(a), SideOf(b)};
  RoleTraces roles_a = a.roles, roles_b = b.roles;
  const auto only = [](bool first) { return first ? "A" : "B"; };
  if (NamesFiles(roles_a) != NamesFiles(roles_b)) {
    diff.notes.push_back(absl::StrCat(
        "only ", only(NamesFiles(roles_a)),
        " names included files: lines are compared by their number alone"));
    DropFiles(roles_a);
    DropFiles(roles_b);
  }
  if (HasUnits(roles_a) != HasUnits(roles_b)) {
    diff.notes.push_back(absl::StrCat(
        "only ", only(HasUnits(roles_a)),
        " shows units (TMA, tensor core, ...): they are not compared"));
    DropUnits(roles_a);
    DropUnits(roles_b);
  }
  CountAlone(roles_a, b.roles, diff.a);
  CountAlone(roles_b, a.roles, diff.b);
  diff.parts = Parts(roles_a, roles_b);
  diff.roles = Diff(roles_a, roles_b);
  std::stable_sort(diff.roles.begin(), diff.roles.end(),
                   [](const RoleDiff& x, const RoleDiff& y) {
                     return std::abs(x.cycles_a - x.cycles_b) >
                            std::abs(y.cycles_a - y.cycles_b);
                   });
  return diff;
}

namespace {

using enum TextTable::Align;

// "one.json: 7812 cycles, 3.95 us at 1980 MHz; shown are 7,020", what it lacks
// and has alone.
std::string SideText(const char* letter, const TraceSide& side) {
  const Cycle run = side.run_cycles > 0 ? side.run_cycles : side.cycles;
  std::string text =
      absl::StrCat(letter, ": ", side.name, ": ", run, " cycles");
  if (side.clock_mhz > 0)
    absl::StrAppendFormat(&text, ", %.2f us at %.0f MHz",
                          static_cast<double>(run) / side.clock_mhz,
                          side.clock_mhz);
  if (run != side.cycles)
    absl::StrAppend(&text, "; the CTAs of the trace took ", side.cycles);
  text += '\n';
  if (side.truncated)
    absl::StrAppend(&text, "   cut short: ", side.omitted,
                    " slices are missing (run --trace-events)\n");
  for (const auto& [name, count] : side.alone)
    absl::StrAppend(&text, "   only here: ", name, ", ", count, "\n");
  return text;
}

std::string SummaryText(const std::vector<PartDiff>& parts) {
  if (parts.empty()) return "\nno line takes another time\n";
  TextTable table({kLeft, kRight, kRight, kRight, kRight});
  table.Row({"where time differs", "line", "A cycles", "B cycles", "B - A"});
  for (size_t i = 0; i < std::min(kShownParts, parts.size()); ++i) {
    const PartDiff& p = parts[i];
    table.Row({p.name, LineText(p.file, p.line), absl::StrCat(p.a),
               absl::StrCat(p.b), absl::StrFormat("%+d", p.b - p.a)});
  }
  return absl::StrCat("\n", table.Render(""));
}

std::string RoleText(const RoleDiff& d) {
  std::string text = absl::StrCat("\n", d.role.first, " ", d.role.second, ": ",
                                  d.cycles_a, " and ", d.cycles_b, " cycles\n");
  if (d.parts) {
    const auto& [x, y] = *d.parts;
    absl::StrAppend(&text, "  they part at line ", LineText(x.file, x.line),
                    " (", x.name, "): A ", x.cycles, " cycles from ", x.start,
                    ", B ", y.cycles, " from ", y.start, "\n");
  } else {
    absl::StrAppend(&text, "  no step parts them\n");
  }
  TextTable table({kRight, kLeft, kRight, kRight, kRight, kRight});
  table.Row({"line", "op", "A times", "A cycles", "B times", "B cycles"});
  for (size_t i = 0; i < std::min(kShownLines, d.lines.size()); ++i) {
    const LineDiff& l = d.lines[i];
    table.Row({LineText(l.file, l.line), l.name, absl::StrCat(l.times_a),
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
    lines.push_back({{"file", l.file},
                     {"line", l.line},
                     {"name", l.name},
                     {"times_a", l.times_a},
                     {"times_b", l.times_b},
                     {"cycles_a", l.cycles_a},
                     {"cycles_b", l.cycles_b}});
  }
  nlohmann::ordered_json parts = nullptr;
  if (d.parts)
    parts = {{"file", d.parts->first.file},
             {"line", d.parts->first.line},
             {"a", StepJson(d.parts->first)},
             {"b", StepJson(d.parts->second)}};
  return {{"cta", d.role.first},    {"role", d.role.second},
          {"cycles_a", d.cycles_a}, {"cycles_b", d.cycles_b},
          {"parts_at", parts},      {"lines", lines}};
}

nlohmann::ordered_json SideJson(const TraceSide& side) {
  return {{"file", side.name},
          {"cycles", side.cycles},
          {"run_cycles", side.run_cycles > 0
                             ? nlohmann::ordered_json(side.run_cycles)
                             : nlohmann::ordered_json()},
          {"clock_mhz", side.clock_mhz},
          {"truncated", side.truncated},
          {"omitted_slices", side.omitted},
          {"only_here", side.alone}};
}

}  // namespace

std::string DiffText(const TraceDiff& diff) {
  std::string text = absl::StrCat(SideText("A", diff.a), SideText("B", diff.b));
  for (const std::string& note : diff.notes) absl::StrAppend(&text, note, "\n");
  text += SummaryText(diff.parts);
  size_t shown = 0, more = 0;
  for (const RoleDiff& d : diff.roles) {
    if (!d.differs()) continue;
    if (shown == kShownRoles) {
      ++more;
      continue;
    }
    ++shown;
    text += RoleText(d);
  }
  if (more > 0)
    absl::StrAppend(&text, "\n", more,
                    " more tracks differ; --format json has all\n");
  return text;
}

nlohmann::ordered_json DiffJson(const TraceDiff& diff) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const PartDiff& p : diff.parts) {
    parts.push_back({{"name", p.name},
                     {"file", p.file},
                     {"line", p.line},
                     {"cycles_a", p.a},
                     {"cycles_b", p.b}});
  }
  nlohmann::ordered_json roles = nlohmann::ordered_json::array();
  for (const RoleDiff& d : diff.roles) roles.push_back(RoleJson(d));
  return {{"schema", 1},           {"a", SideJson(diff.a)},
          {"b", SideJson(diff.b)}, {"notes", diff.notes},
          {"equal", diff.equal()}, {"where_time_differs", parts},
          {"roles", roles}};
}

}  // namespace tilesim::traces
