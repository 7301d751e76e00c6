// A timeline, the GPU it ran on, and the schedules of findings, for the page.
#include <algorithm>
#include <map>
#include <utility>

#include "cli/check_sink.h"
#include "cli/page/page_data.h"
#include "cli/replay_timeline.h"
#include "ir/cat.h"

namespace tilesim::cli {
namespace {

using checkers::report::TraceStep;
using traces::Cycle;

// More CTAs than this are left out of the picture, and the page says so.
constexpr size_t kMostCtas = 20'000;

// Texts and lists of arguments by number, each once.
template <typename T>
class Numbered {
 public:
  int64_t Of(const T& item) {
    auto [at, fresh] = numbers_.try_emplace(item, list_.size());
    if (fresh) list_.push_back(item);
    return static_cast<int64_t>(at->second);
  }
  const std::vector<T>& list() const { return list_; }

 private:
  std::map<T, size_t> numbers_;
  std::vector<T> list_;
};

// Processes and tracks in the order in which viewers show them, and for each
// track its place there.
struct Order {
  std::vector<size_t> processes, tracks;
  std::vector<int64_t> place;

  explicit Order(const traces::Timeline& t) {
    for (size_t i = 0; i < t.processes().size(); ++i) processes.push_back(i);
    std::stable_sort(processes.begin(), processes.end(), [&](auto a, auto b) {
      return t.processes()[a].sort_index < t.processes()[b].sort_index;
    });
    std::vector<size_t> rank(processes.size());
    for (size_t i = 0; i < processes.size(); ++i) rank[processes[i]] = i;
    for (size_t i = 0; i < t.tracks().size(); ++i) tracks.push_back(i);
    const auto key = [&](size_t i) {
      const traces::Track& track = t.tracks()[i];
      return std::pair(rank[static_cast<size_t>(track.process)],
                       track.sort_index);
    };
    std::stable_sort(tracks.begin(), tracks.end(),
                     [&](auto a, auto b) { return key(a) < key(b); });
    place.resize(tracks.size());
    for (size_t i = 0; i < tracks.size(); ++i)
      place[tracks[i]] = static_cast<int64_t>(i);
    for (size_t i = 0; i < rank.size(); ++i) process_rank_.push_back(rank[i]);
  }
  size_t RankOf(traces::ProcessId id) const {
    return process_rank_[static_cast<size_t>(id)];
  }
  int64_t PlaceOf(traces::TrackId id) const {
    return place[static_cast<size_t>(id)];
  }
  // Slices by the place of their track, then by time: as the page has them.
  std::vector<uint32_t> Slices(const traces::Timeline& t) const {
    std::vector<uint32_t> slices = t.SlicesInOrder();
    std::stable_sort(slices.begin(), slices.end(), [&](auto a, auto b) {
      return PlaceOf(t.slices()[a].track) < PlaceOf(t.slices()[b].track);
    });
    return slices;
  }

 private:
  std::vector<size_t> process_rank_;
};

using ArgList = std::vector<std::pair<std::string, std::string>>;

ArgList ArgsOf(const traces::Timeline& t, const traces::Slice& slice) {
  ArgList args;
  for (const traces::KeptArg& a : t.Args(slice)) {
    std::string value =
        a.is_string
            ? std::string(t.Text(static_cast<traces::StringId>(a.value)))
            : std::to_string(a.value);
    args.emplace_back(std::string(t.Text(a.key)), std::move(value));
  }
  return args;
}

PageJson SlicesJson(const traces::Timeline& t, const Order& order,
                    Numbered<std::string>& names, Numbered<ArgList>& args) {
  PageJson track = PageJson::array(), start = PageJson::array(),
           dur = PageJson::array(), name = PageJson::array(),
           cat = PageJson::array(), line = PageJson::array(),
           arg = PageJson::array();
  for (uint32_t i : order.Slices(t)) {
    const traces::Slice& s = t.slices()[i];
    track.push_back(order.PlaceOf(s.track));
    start.push_back(s.start);
    dur.push_back(s.end - s.start);
    name.push_back(names.Of(std::string(t.Text(s.name))));
    cat.push_back(static_cast<int>(s.category));
    line.push_back(s.line);
    arg.push_back(args.Of(ArgsOf(t, s)));
  }
  return {{"track", std::move(track)}, {"start", std::move(start)},
          {"dur", std::move(dur)},     {"name", std::move(name)},
          {"cat", std::move(cat)},     {"line", std::move(line)},
          {"args", std::move(arg)}};
}

Cycle EndOf(const traces::Timeline& t) {
  Cycle end = 0;
  for (const traces::Slice& s : t.slices()) end = std::max(end, s.end);
  return end;
}

// The slice that shows a step: of its warp the one that is open then, of an
// operation the one that it ends.
int64_t SliceOf(const traces::Timeline& t, const std::vector<uint32_t>& slices,
                const TraceStep& step, Cycle at) {
  for (size_t i = 0; i < slices.size(); ++i) {
    const traces::Slice& s = t.slices()[slices[i]];
    const traces::Track& track = t.track(s.track);
    if (t.process(track.process).cta != step.cta) continue;
    const bool role = track.kind == traces::TrackKind::kRole;
    if (role != (step.operation < 0)) continue;
    const bool here =
        role ? track.sort_index == step.warp && s.start <= at && at < s.end
             : s.line == step.span.text_line() && s.start < at &&
                   at < s.end + 1 &&
                   (s.end == at + 1 || step.milestone != ir::Milestone::kDone);
    if (here) return static_cast<int64_t>(i);
  }
  return -1;
}

PageJson StepsJson(const checkers::report::Finding& f,
                   const traces::Timeline& timeline) {
  PageJson steps = PageJson::array();
  const std::vector<uint32_t> slices = Order(timeline).Slices(timeline);
  for (size_t i = 0; i < f.trace.size(); ++i) {
    const TraceStep& s = f.trace[i];
    steps.push_back(
        {{"cta", s.cta},
         {"who", s.who},
         {"line", s.span.text_line()},
         {"text", s.text},
         {"stuck", s.stuck},
         {"slice", SliceOf(timeline, slices, s, static_cast<Cycle>(i))}});
  }
  return steps;
}

PageJson CheckFindingJson(const ir::Source& source,
                          const checkers::report::Finding& f) {
  const ir::Diagnostic& d = f.diagnostic;
  PageJson out = {
      {"code", d.code.name()},
      {"severity", d.severity == ir::Severity::kError ? "error" : "warning"},
      {"message", d.message},
      {"line", d.span.text_line()},
      {"occurs", f.every_schedule ? "every" : "some"},
      {"source", "check"},
      {"text", FindingText(source, f)},
      {"steps", PageJson::array()}};
  if (f.trace.empty()) return out;
  const traces::Timeline timeline = ReplayTimeline(f.trace, source.path);
  out["steps"] = StepsJson(f, timeline);
  out["timeline"] = TimelineJson(timeline, {}, "steps");
  return out;
}

}  // namespace

PageJson TimelineJson(const traces::Timeline& t,
                      const std::vector<DrawnStep>& path,
                      const std::string& unit) {
  const Order order(t);
  Numbered<std::string> names;
  Numbered<ArgList> args;
  PageJson processes = PageJson::array(), tracks = PageJson::array();
  for (size_t i : order.processes)
    processes.push_back({{"name", t.processes()[i].name}});
  for (size_t i : order.tracks) {
    const traces::Track& track = t.tracks()[i];
    tracks.push_back(
        {{"name", track.name}, {"process", order.RankOf(track.process)}});
  }
  PageJson slices = SlicesJson(t, order, names, args);
  PageJson flows = PageJson::array(), steps = PageJson::array();
  for (uint32_t i : t.FlowsInOrder()) {
    const traces::Flow& f = t.flows()[i];
    flows.push_back({order.PlaceOf(f.from_track), f.from_cycle,
                     order.PlaceOf(f.to_track), f.to_cycle});
  }
  for (const DrawnStep& s : path)
    steps.push_back({order.PlaceOf(s.track), s.from, s.to});
  const traces::Omission& left = t.omission();
  std::string note;
  if (left.slices > 0)
    note = ir::Cat(left.slices, " bars are left out: ", left.filter, ".");
  PageJson arg_lists = PageJson::array();
  for (const ArgList& list : args.list()) {
    PageJson one = PageJson::array();
    for (const auto& [key, value] : list) one.push_back({key, value});
    arg_lists.push_back(std::move(one));
  }
  return {{"unit", unit},          {"end", EndOf(t)},        {"note", note},
          {"names", names.list()}, {"processes", processes}, {"tracks", tracks},
          {"slices", slices},      {"args", arg_lists},      {"flows", flows},
          {"path", steps}};
}

PageJson GpuJson(const TimedRun& run) {
  const timing::RunStats& stats = run.stats();
  PageJson ctas = PageJson::array(), load = PageJson::array(),
           path = PageJson::array(), names = PageJson::array();
  const size_t shown = std::min(stats.ctas_run.size(), kMostCtas);
  for (size_t i = 0; i < shown; ++i) {
    const timing::CtaRun& c = stats.ctas_run[i];
    ctas.push_back({c.sm, c.linear, c.start,
                    c.end < 0 ? std::max(stats.cycles, c.start) : c.end,
                    c.kernel});
  }
  const auto rounded = [](double share) {  // to what a pixel shows
    return static_cast<double>(static_cast<int>(share * 1000 + 0.5)) / 1000;
  };
  for (const timing::LoadSample& s : stats.load)
    load.push_back({s.from, rounded(s.tensor), rounded(s.l2), rounded(s.hbm)});
  for (const timing::PathStep& s : stats.path_steps) {
    if (s.cta < 0) continue;
    const int16_t sm = stats.ctas_run[s.cta].sm;
    const bool on =
        !path.empty() && path.back()[0] == sm && path.back()[2] == s.from;
    if (on) {
      path.back()[2] = s.to;
    } else {
      path.push_back({sm, s.from, s.to});
    }
  }
  if (stats.kernels.size() > 1) {
    for (const timing::KernelStats& k : stats.kernels) names.push_back(k.name);
  }
  std::string note;
  if (shown < stats.ctas_run.size())
    note = ir::Cat("The first ", shown, " of ", stats.ctas_run.size(),
                   " CTAs are shown.");
  return {{"sms", static_cast<int64_t>(run.arch().sms)},
          {"end", std::max<Cycle>(stats.cycles, 1)},
          {"names", names},
          {"ctas", ctas},
          {"load", load},
          {"path", path},
          {"note", note}};
}

PageJson FindingsJson(const CheckedFile* checked,
                      const traces::RunReport& report) {
  PageJson out = PageJson::array();
  if (checked != nullptr && checked->checked()) {
    for (const checkers::report::Finding& f : checked->report->findings)
      out.push_back(CheckFindingJson(checked->source, f));
  }
  for (const traces::FindingLine& f : report.findings) {
    const bool known = std::any_of(out.begin(), out.end(), [&](auto& o) {
      return o["code"] == f.code && o["line"] == f.line;
    });
    if (known) continue;
    out.push_back({{"code", f.code},
                   {"severity", f.severity},
                   {"message", f.message},
                   {"line", f.line},
                   {"occurs", "some"},
                   {"source", "run"},
                   {"text", ""},
                   {"steps", PageJson::array()}});
  }
  return out;
}

}  // namespace tilesim::cli
