#include "checkers/plan/instance.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "checkers/run/control_memory.h"
#include "checkers/run/environment.h"
#include "checkers/run/flags.h"
#include "checkers/run/runner.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::plan {
using run::Event;
using run::FlagsOf;
using run::Log;
using run::Requests;
using run::RunCluster;
using run::RunOptions;

namespace {

constexpr int64_t kSecondTileEvents = 8'000;
constexpr int64_t kStartSteps = 64;
constexpr int64_t kMaxSteps = 32;
constexpr int64_t kMaxStride = 1 << 14;
constexpr int64_t kMaxLeap = int64_t{1} << 32;
constexpr int64_t kWidenSteps = 4;
constexpr int64_t kFewSteps = 1;
// CTAs of a grid that has no end.
constexpr int64_t kModerate = 64;
// Clusters that are to meet.
constexpr int64_t kSeveral = 10;
constexpr int64_t kFew = 4;

struct Measure {
  // Most executions by one warp of an mbarrier wait; without any, of another
  // kind of wait; without any, of an op.
  int64_t trips = 0;
  int64_t events = 0;
  bool bad = false;  // does not get to its end
};

// A loop that asks until it is told otherwise: no size decides how often.
bool Polls(const ir::Stmt& loop) {
  if (loop.kind != ir::Stmt::Kind::kWhile) return false;
  std::set<std::string> decide;
  ir::ForEachName(loop.value, [&](const std::string& n) { decide.insert(n); });
  bool told = false;
  ir::ForEachStmt(loop.body, [&](const ir::Stmt& s) {
    for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
      const bool set = (s.op->info->operands[i].types & ir::kTakesVar) != 0;
      told |= set && decide.contains(s.op->operands[i].expr.name);
    }
  });
  return told;
}

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The lines of the others, each once.
std::vector<int32_t> LoopsIn(const ir::Block& block) {
  std::set<int32_t> lines;
  ir::ForEachStmt(block, [&](const ir::Stmt& s) {
    using Kind = ir::Stmt::Kind;
    if (s.kind == Kind::kFor || (s.kind == Kind::kWhile && !Polls(s)))
      lines.insert(s.span.text_line());
  });
  return {lines.begin(), lines.end()};
}

class Chooser {
 public:
  Chooser(const ir::Kernel& kernel, const InstanceOptions& options)
      : kernel_(kernel), options_(options), sizes_(options.defines) {
    for (const ir::Param& p : kernel_.params) {
      if (options_.defines.count(p.name) == 0) free_.push_back(&p);
    }
  }

  Instances Choose(ir::Diagnostics& diagnostics) {
    Start();
    Keep();
    Instances out;
    std::optional<Measure> now = Try();
    if (now) {
      out.goal = Goal();
      if (!now->bad) now = Lengthen(*now);
      out.trips = now->trips;
      // A run that goes wrong is short as well, but then that is found.
      out.ring = Ring();
      out.loops = LoopsIn(kernel_.body);
      out.tried = tried_;
      out.larger = larger_;
      out.short_of_goal =
          out.trips < out.goal && MayGrow() && !out.loops.empty();
      if (!now->bad) Widen(*now);
    }
    for (const ir::Overrides& sizes : chosen_) {
      sizes_ = sizes;
      if (!Make(diagnostics, out.all)) break;
    }
    return out;
  }

  std::optional<Instance> AtThese() {
    ir::Diagnostics not_permitted;
    std::vector<Instance> made;
    if (!Fits() || !Make(not_permitted, made)) return std::nullopt;
    return std::move(made.front());
  }

  std::optional<Instance> Large() {
    Start();
    ir::Overrides out = sizes_;
    int64_t before = 0;
    for (int64_t step = 0; step < kStartSteps; ++step) {
      std::optional<ir::BoundKernel> bound = Bound();
      if (!bound || bound->ctas() > kMaxOfEach) break;
      bool no_larger = bound->ctas() == before && before > 1;
      if (no_larger || bound->ctas() <= kModerate) out = sizes_;
      before = bound->ctas();
      if (no_larger || !Grow()) break;
    }
    sizes_ = std::move(out);
    for (const ir::Param* p : free_) LowerFor(*p);
    ir::Diagnostics ignored;
    std::vector<Instance> made;
    if (!Make(ignored, made)) return std::nullopt;
    const ir::BoundKernel& b = made.front().code->bound;
    made.front().clusters.resize(b.ctas() / b.cluster_size());
    std::iota(made.front().clusters.begin(), made.front().clusters.end(), 0);
    return std::move(made.front());
  }

  // Larger by what comes first than by others: two that are taken for each
  // other show only where one of them is larger. `turns`: sizes of which the
  // first cluster has more than one turn of each loop.
  std::optional<Instance> Several(int64_t least, bool reversed, bool turns) {
    Start();
    std::vector<const ir::Param*> wider = free_;
    if (reversed) std::reverse(wider.begin(), wider.end());
    for (int64_t before = 0; before < Clusters();) {
      before = Clusters();
      if (!wider.empty()) Wider(*wider.front());
      std::erase_if(wider, [&](const ir::Param* p) { return !Wider(*p); });
    }
    if (Clusters() < least) return std::nullopt;
    if (turns) TakeTurns();
    ir::Diagnostics ignored;
    std::vector<Instance> made;
    if (!Make(ignored, made)) return std::nullopt;
    Instance& out = made.front();
    // A grid in which flags are set is run as a whole, or not at all.
    if (!FlagsOf(*out.code).empty()) return std::nullopt;
    out.clusters.resize(std::min(Clusters(), kSeveral));
    std::iota(out.clusters.begin(), out.clusters.end(), 0);
    // What is handed out is done as others do it.
    if (Requests(*out.code)) out.handed_out = 0;
    return std::move(out);
  }

 private:
  int64_t Clusters() const {
    std::optional<ir::BoundKernel> bound = Bound();
    return bound ? bound->ctas() / bound->cluster_size() : 0;
  }

  // To the next value that makes more clusters. False: none, or too many.
  bool Wider(const ir::Param& p) {
    int64_t base = sizes_[p.name], before = Clusters();
    for (int64_t n = 1; n <= kMaxSteps; ++n) {
      int64_t now = Set(p, base + n * p.step) ? Clusters() : 0;
      if (now > before && now <= kSeveral) return true;
      if (now > before) break;
    }
    sizes_[p.name] = base;
    return false;
  }

  // Each parameter to the next value that makes the run of the first longer.
  void TakeTurns() {
    std::optional<Measure> now = Try();
    for (const ir::Param* p : free_) {
      int64_t base = sizes_[p->name];
      std::optional<Measure> next;
      for (int64_t n = 0; n < kSeveral; ++n) {
        next = Step(*p);
        if (!next || !now || next->events > now->events) break;
      }
      bool longer = next && now && next->events > now->events;
      longer ? void(now = next) : void(sizes_[p->name] = base);
    }
  }

  // The smallest sizes and GPU for which the kernel can be launched.
  void Start() {
    for (int64_t steps = 0; steps <= kStartSteps; ++steps) {
      for (const ir::Param* p : free_) {
        int64_t value = p->low + steps * p->step;
        sizes_[p->name] = Permitted(*p, value) ? value : p->value;
      }
      if (Fits()) return Shrink();
    }
    for (const ir::Param* p : free_) sizes_[p->name] = p->value;
    Fits();
  }

  bool Fits() {
    for (int64_t sms : kSmCounts) {
      sm_count_ = options_.sm_count != 0 ? options_.sm_count : sms;
      if (Bound()) return true;
    }
    return false;
  }

  // `requires` may have made all larger than each needs to be.
  void Shrink() {
    for (const ir::Param* p : free_) {
      int64_t now = sizes_[p->name];
      for (int64_t v = p->low; v < now && !Set(*p, v);) v += p->step;
    }
  }

  std::optional<ir::BoundKernel> Bound() const {
    ir::Diagnostics ignored;
    return ir::Bind(kernel_, sizes_, sm_count_, ignored);
  }

  std::optional<Measure> Try() {
    for (const ir::Param* p : free_) {
      auto [most, fresh] = tried_.try_emplace(p->name, sizes_[p->name]);
      most->second = std::max(most->second, sizes_[p->name]);
    }
    ir::Diagnostics ignored;
    std::optional<ir::BoundKernel> bound = Bound();
    if (!bound) return std::nullopt;
    std::optional<machine::Code> code =
        machine::Compile(std::move(*bound), ignored);
    if (!code) return std::nullopt;
    RunOptions o;
    o.max_events = kTrialEvents;
    Measure given = MeasureOf(RunCluster(*code, o));
    if (run::DrawnOf(*code).empty()) return given;
    // Of many values, tables that rise let loops go around that random ones do
    // not.
    const run::Environments draws = run::DrawsOf(*code);
    if (draws.open.empty()) return given;
    o.environment = &draws.each.back();
    const Measure drawn = MeasureOf(RunCluster(*code, o));
    return drawn.trips > given.trips ? drawn : given;
  }

  static Measure MeasureOf(const Log& log) {
    Measure m;
    m.events = static_cast<int64_t>(log.events.size());
    m.bad = !log.finished;
    int64_t others = 0;
    for (const Event& e : log.events) {
      if (e.kind != Event::Kind::kOp) continue;
      for (const ir::Effect& f : e.effects()) {
        if (f.kind == ir::EffectKind::kWait)
          m.trips = std::max(m.trips, e.nth + 1);
        if (f.kind == ir::EffectKind::kWaitGroup ||
            f.kind == ir::EffectKind::kNamedSync)
          others = std::max(others, e.nth + 1);
      }
    }
    if (m.trips == 0) m.trips = others == 0 ? log.trips : others;
    return m;
  }

  bool MayGrow() const {
    return std::any_of(free_.begin(), free_.end(), [&](const ir::Param* p) {
      return Permitted(*p, sizes_.at(p->name) + p->step);
    });
  }

  // Once around every slot twice, and one more.
  int64_t Goal() const {
    if (options_.trips > 0) return options_.trips;
    return 2 * Largest().second + 1;
  }

  // The array of barriers or tiles with the most slots, by declaration.
  std::pair<size_t, int64_t> Largest() const {
    std::pair<size_t, int64_t> out{0, 1};
    std::optional<ir::BoundKernel> bound = Bound();
    for (size_t i = 0; i < bound->decls.size(); ++i) {
      const ir::BoundDecl& d = bound->decls[i];
      const bool ring =
          d.space == ir::Space::kMbarrier || d.space == ir::Space::kShared;
      if (ring && d.objects > out.second) out = {i, d.objects};
    }
    return out;
  }

  std::string Ring() const {
    const auto [decl, slots] = Largest();
    if (options_.trips > 0 || slots == 1) return "";
    return ir::Cat(slots, " slots of `", kernel_.decls[decl].name, "`");
  }

  bool Permitted(const ir::Param& p, int64_t value) const {
    return !p.high || value <= *p.high;
  }

  // Makes the parameters larger that make loops longer.
  Measure Lengthen(Measure now) {
    int64_t goal = Goal();
    for (auto p = free_.rbegin(); p != free_.rend(); ++p) {
      const Measure first = now;
      const int64_t from = sizes_[(*p)->name];
      int64_t stride = 1;
      for (int64_t steps = 1; now.trips < goal && steps <= kMaxSteps; ++steps) {
        std::optional<Measure> next = Step(**p, stride);
        if (!next) break;
        bool longer = next->bad || next->trips > now.trips;
        // The first steps may not be enough of a difference: `for o in cta.x *
        // 128..N step 8192`.
        if (!longer && steps >= kWidenSteps) stride *= 2;
        if (!longer) continue;
        now = *next;
        Keep();
        if (now.bad) return now;
      }
      sizes_ = chosen_.back();
      if (now.trips < goal && now.trips > first.trips)
        now = Leap(**p, from, first.trips, now);
      if (now.bad) return now;
    }
    return now;
  }

  // To the size that may be enough, as trips grew from `from` on; where it is
  // too large to be run, the user may want to.
  Measure Leap(const ir::Param& p, int64_t from, int64_t trips, Measure now) {
    const int64_t size = sizes_[p.name];
    int64_t more = 0;
    if (__builtin_mul_overflow(Goal() - now.trips, size - from, &more))
      return now;
    more = CeilDiv(CeilDiv(more, now.trips - trips), p.step) * p.step;
    if (more > kMaxLeap || !Set(p, size + more)) return now;
    const std::optional<Measure> there = Try();
    const bool cut = there && there->events >= kTrialEvents;
    if (there && !cut && (there->bad || there->trips > now.trips)) {
      Keep();
      return *there;
    }
    larger_ = {p.name, size + more};
    tried_[p.name] = size;
    sizes_ = chosen_.back();
    return now;
  }

  // A little more of what makes the run longer otherwise: further tiles.
  void Widen(Measure now) {
    for (const ir::Param* p : free_) {
      if (sizes_[p->name] != p->low) continue;
      for (int64_t steps = 1; steps <= kWidenSteps; ++steps) {
        std::optional<Measure> next = Step(*p);
        if (!next || next->events > kSecondTileEvents) break;
        if (!next->bad && next->events <= now.events) continue;
        now = *next;
        Keep();
        if (now.bad) return;
        break;
      }
      sizes_ = chosen_.back();
    }
  }

  // The next permitted value with which the kernel can be launched, from
  // `stride` steps on, tried.
  std::optional<Measure> Step(const ir::Param& p, int64_t stride = 1) {
    int64_t base = sizes_[p.name];
    if (stride > kMaxStride) return std::nullopt;
    for (int64_t n = stride; n < stride + kStartSteps; ++n) {
      if (Set(p, base + n * p.step)) return Try();
    }
    return std::nullopt;
  }

  // To a few steps, if the grid stays as it is.
  void LowerFor(const ir::Param& p) {
    auto ctas = [&] {
      std::optional<ir::BoundKernel> bound = Bound();
      return bound ? bound->ctas() : 0;
    };
    int64_t& size = sizes_[p.name];
    int64_t before = size, wanted = ctas();
    size = std::min(before, p.low + kFewSteps * p.step);
    if (ctas() != wanted) size = before;
  }

  // Every parameter by a step. False: none may.
  bool Grow() {
    bool more = false;
    for (const ir::Param* p : free_) more |= Set(*p, sizes_[p->name] + p->step);
    return more;
  }

  void Keep() {
    if (chosen_.empty() || chosen_.back() != sizes_) chosen_.push_back(sizes_);
  }

  // False, and no change: not permitted.
  bool Set(const ir::Param& p, int64_t value) {
    int64_t before = sizes_[p.name];
    if (!Permitted(p, value)) return false;
    sizes_[p.name] = value;
    if (Bound()) return true;
    sizes_[p.name] = before;
    return false;
  }

  bool Make(ir::Diagnostics& diagnostics, std::vector<Instance>& out) {
    std::optional<ir::BoundKernel> bound =
        ir::Bind(kernel_, sizes_, sm_count_, diagnostics);
    if (!bound) return false;
    std::optional<machine::Code> code =
        machine::Compile(std::move(*bound), diagnostics);
    if (!code) return false;
    Instance& i = out.emplace_back();
    for (const ir::Param& p : kernel_.params) {
      auto given = sizes_.find(p.name);
      i.sizes[p.name] = given == sizes_.end() ? p.value : given->second;
    }
    i.code = std::make_unique<machine::Code>(std::move(*code));
    return true;
  }

  const ir::Kernel& kernel_;
  const InstanceOptions& options_;
  ir::Overrides sizes_;
  std::vector<ir::Overrides> chosen_;
  std::vector<const ir::Param*> free_;
  int64_t sm_count_ = 0;
  ir::Overrides tried_;  // the largest of each
  std::optional<std::pair<std::string, int64_t>> larger_;
};

}  // namespace

int64_t ClusterOf(const ir::BoundKernel& bound,
                  const std::array<int64_t, 3>& cta) {
  int64_t at = 0;
  for (size_t d = 3; d-- > 0;)
    at = at * (bound.grid[d] / bound.cluster[d]) + cta[d] / bound.cluster[d];
  return at;
}

std::string ShortOfGoal(const Instances& instances) {
  std::string out = ir::Cat(
      "found no sizes in which loops go around often enough: ", instances.trips,
      " of ", instances.goal, " trips");
  if (!instances.ring.empty())
    ir::Append(&out, " (twice through ", instances.ring, ", and once more)");
  std::vector<std::string> loops, tried;
  for (int32_t line : instances.loops) loops.push_back(ir::Cat(line));
  for (const auto& [name, size] : instances.tried)
    tried.push_back(ir::Cat(name, " up to ", size));
  ir::Append(&out, " of the loops on ", loops.size() == 1 ? "line " : "lines ",
             fmt::format("{}", fmt::join(loops, ", ")));
  if (!tried.empty())
    ir::Append(&out, ", with ", fmt::format("{}", fmt::join(tried, ", ")));
  if (!instances.larger) return out + "; try -D with sizes in which they do";
  const auto& [name, size] = *instances.larger;
  return ir::Cat(out, "; try -D ", name, "=", size);
}

std::optional<Instance> InstanceAt(const ir::Kernel& kernel,
                                   const ir::Overrides& sizes,
                                   int64_t sm_count) {
  return Chooser(kernel, {sizes, sm_count, 0}).AtThese();
}

std::optional<Instance> LargeGrid(const ir::Kernel& kernel,
                                  const InstanceOptions& options) {
  return Chooser(kernel, options).Large();
}

std::vector<Instance> GridsOfSeveral(const ir::Kernel& kernel,
                                     const InstanceOptions& options) {
  InstanceOptions io = options;
  bool asks = io.sm_count == 0 && AsksForSms(kernel);
  if (asks) io.sm_count = ir::InfoOf(kernel.target).sms;
  std::vector<Instance> out;
  bool given = std::all_of(
      kernel.params.begin(), kernel.params.end(),
      [&](const ir::Param& p) { return options.defines.count(p.name) != 0; });
  if (given && !asks) return out;  // it is one grid
  auto add = [&](int64_t least, bool reversed, bool turns) {
    auto i = Chooser(kernel, io).Several(least, reversed, turns);
    if (!i) return false;
    if (out.empty() || out.back().sizes != i->sizes || turns)
      out.push_back(std::move(*i));
    return true;
  };
  add(2, false, false);
  add(2, true, false);
  for (int64_t sms : kSmCounts) {
    io.sm_count = sms;
    if (asks && add(kFew, false, true)) break;
  }
  return out;
}

Instances ChooseInstances(const ir::Kernel& kernel,
                          const InstanceOptions& options,
                          ir::Diagnostics& diagnostics) {
  return Chooser(kernel, options).Choose(diagnostics);
}

}  // namespace tilesim::checkers::plan
