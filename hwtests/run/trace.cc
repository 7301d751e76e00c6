#include "hwtests/run/trace.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "ir/cat.h"
#include "ir/warp.h"

namespace tilesim::hwtests {
namespace {

using traces::Cycle;
constexpr size_t kTraceHeads = 2;  // stamps that say what the others are

struct Word4 {
  uint32_t x, y, z, w;
};

Word4 WordAt(std::string_view room, size_t index) {
  Word4 word;
  std::memcpy(&word, room.data() + 16 * index, 16);
  return word;
}

TracedThread ThreadOf(std::string_view room, size_t base, size_t capacity,
                      int32_t thread) {
  const Word4 head = WordAt(room, base);
  TracedThread t;
  t.thread = thread;
  t.start = head.z;
  t.end = head.w;
  const size_t kept = std::min<size_t>(head.x, capacity);
  t.left_out = head.x - static_cast<uint32_t>(kept);
  for (size_t i = kTraceHeads; i < kept; ++i) {
    const Word4 s = WordAt(room, base + i);
    t.stamps.push_back({s.x, s.y, s.z, s.w});
  }
  return t;
}

// "full[1][2]"
std::string Indexed(const TraceSite& site, uint32_t index) {
  std::string subs;
  for (size_t d = site.array.size(); d-- > 0;) {
    subs = ir::Cat("[", index % site.array[d], "]", subs);
    index /= static_cast<uint32_t>(site.array[d]);
  }
  return site.name + subs;
}

// One CTA on its way into a timeline.
class CtaWriter {
 public:
  CtaWriter(const LaunchPlan& plan, const TracedCta& cta, Cycle start,
            traces::Timeline& timeline)
      : plan_(plan), cta_(cta), start_(start), timeline_(timeline) {
    const auto& grid = plan.kernels[cta.kernel].grid;
    traces::Process p;
    p.name = ir::Cat("SM ", cta.sm, " / CTA (", cta.cta % grid[0], ", ",
                     cta.cta / grid[0] % grid[1], ", ",
                     cta.cta / grid[0] / grid[1], ")");
    if (plan.kernels.size() > 1)
      p.name = ir::Cat(plan.kernels[cta.kernel].name, ": ", p.name);
    p.sort_index = cta.sm;
    p.sm = cta.sm;
    p.cta = cta.cta;
    process_ = timeline.AddProcess(std::move(p));
    first_ = cta.threads.front().start;
    for (const TracedThread& t : cta.threads) {
      // 32 bits come round: earlier is what lies less than half before.
      if (static_cast<int32_t>(t.start - first_) < 0) first_ = t.start;
    }
  }

  // The threads of one warp, whose stamps do not overlap.
  void Warp(int32_t warp, const std::vector<const TracedThread*>& threads) {
    std::vector<TracedThread::Stamp> all;
    Cycle end = 0;
    for (const TracedThread* t : threads) {
      all.insert(all.end(), t->stamps.begin(), t->stamps.end());
      end = std::max(end, WordAt(t->end));
    }
    std::stable_sort(all.begin(), all.end(),
                     [this](const auto& a, const auto& b) {
                       return WordAt(a.from) < WordAt(b.from);
                     });
    traces::Track track;
    track.process = process_;
    track.name = NameOf(warp, all);
    track.sort_index = warp * ir::kWarpThreads;
    const traces::TrackId id = timeline_.AddTrack(std::move(track));
    Cycle told = WordAt(threads.front()->start);
    timeline_.SetLifetime(id, told, end);
    for (const TracedThread::Stamp& s : all) {
      const TraceSite& site = plan_.sites[s.site];
      const Cycle from = std::max(told, WordAt(s.from));
      const Cycle to = std::max(from, WordAt(s.to));
      Other(id, told, from);
      const std::string name = Indexed(site, s.index);
      timeline_.AddSlice({.track = id,
                          .name = name,
                          .category = site.wait ? traces::Category::kWait
                                                : traces::Category::kWork,
                          .start = from,
                          .end = to,
                          .line = site.line});
      told = to;
    }
    Other(id, told, end);
  }

 private:
  Cycle WordAt(uint32_t clock) const { return start_ + (clock - first_); }

  void Other(traces::TrackId id, Cycle from, Cycle to) {
    if (to > from)
      timeline_.AddSlice(
          {.track = id, .name = "other", .start = from, .end = to});
  }

  // After the role in which most of its stamps are.
  std::string NameOf(int32_t warp,
                     const std::vector<TracedThread::Stamp>& stamps) const {
    std::map<int32_t, int> count;
    for (const TracedThread::Stamp& s : stamps)
      ++count[plan_.sites[s.site].role];
    count.erase(-1);
    auto most = std::max_element(
        count.begin(), count.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::string who = ir::Cat("warp ", warp);
    if (most == count.end()) return who;
    return ir::Cat(plan_.roles[most->first], " (", who, ")");
  }

  const LaunchPlan& plan_;
  const TracedCta& cta_;
  Cycle start_;
  traces::Timeline& timeline_;
  traces::ProcessId process_{};
  uint32_t first_ = 0;
};

}  // namespace

std::vector<TracedCta> TracedCtas(const HwJob& job, std::string_view room) {
  std::vector<TracedCta> out;
  const auto ctas = static_cast<size_t>(job.trace_ctas);
  const auto capacity = static_cast<size_t>(job.trace_stamps);
  for (size_t i = 0; i < job.plan.kernels.size() * ctas; ++i) {
    TracedCta cta;
    cta.kernel = static_cast<int32_t>(i / ctas);
    cta.cta = static_cast<int64_t>(i % ctas);
    const int64_t block = job.plan.kernels[cta.kernel].block;
    for (int32_t thread = 0; thread < block; ++thread) {
      const size_t base = (i * kTraceThreads + thread) * capacity;
      const Word4 head = WordAt(room, base), time = WordAt(room, base + 1);
      if (head.x < kTraceHeads) continue;  // it never began
      if (cta.threads.empty()) {
        cta.sm = static_cast<int32_t>(head.y);
        cta.start_ns = time.x | uint64_t{time.y} << 32;
      }
      cta.threads.push_back(ThreadOf(room, base, capacity, thread));
    }
    if (!cta.threads.empty()) out.push_back(std::move(cta));
  }
  return out;
}

traces::Timeline HwTimeline(const LaunchPlan& plan, const HwResult& result,
                            const std::string& program,
                            const std::string& arch) {
  const double mhz = result.clock_mhz > 0 ? result.clock_mhz : result.boost_mhz;
  traces::Timeline timeline({.program = program,
                             .arch = arch,
                             .clock_khz = static_cast<int64_t>(mhz * 1000)});
  uint64_t first_ns = ~uint64_t{0};
  for (const TracedCta& cta : result.traced)
    first_ns = std::min(first_ns, cta.start_ns);
  for (const TracedCta& cta : result.traced) {
    const double ns = static_cast<double>(cta.start_ns - first_ns);
    CtaWriter writer(plan, cta, static_cast<Cycle>(ns * mhz / 1000), timeline);
    std::map<int32_t, std::vector<const TracedThread*>> warps;
    for (const TracedThread& t : cta.threads)
      warps[t.thread / ir::kWarpThreads].push_back(&t);
    for (const auto& [warp, threads] : warps) writer.Warp(warp, threads);
  }
  return timeline;
}

}  // namespace tilesim::hwtests
