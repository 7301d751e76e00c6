#include "checkers/run/instance.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "checkers/run/runner.h"

namespace tilesim::checkers {
namespace {

// GPUs to try, smallest first; the last is an H200.
constexpr int64_t kSmCounts[] = {1, 2, 4, 8, 16, 132};
// A run that is only measured, and one worth a second tile.
constexpr int64_t kTrialEvents = 20'000;
constexpr int64_t kSecondTileEvents = 8'000;
constexpr int64_t kStartSteps = 64;
constexpr int64_t kMaxSteps = 1024;
constexpr int64_t kWidenSteps = 4;

struct Measure {
  int64_t waits = 0;   // most executions of one mbarrier wait by one warp
  int64_t events = 0;
};

class Chooser {
 public:
  Chooser(const ir::Kernel& kernel, const InstanceOptions& options)
      : kernel_(kernel), options_(options), sizes_(options.defines) {}

  std::optional<Instance> Choose(ir::Diagnostics& diagnostics) {
    for (const ir::Param& p : kernel_.params) {
      if (options_.defines.count(p.name) == 0) free_.push_back(&p);
    }
    Start();
    std::optional<Measure> now = Try();
    if (now && !free_.empty()) {
      Lengthen(*now);
      Widen();
    }
    return Make(diagnostics);
  }

 private:
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

  std::optional<Measure> Try() const {
    ir::Diagnostics ignored;
    std::optional<ir::BoundKernel> bound = Bound();
    if (!bound) return std::nullopt;
    std::optional<machine::Code> code =
        machine::Compile(std::move(*bound), ignored);
    if (!code) return std::nullopt;
    RunOptions o;
    o.max_events = kTrialEvents;
    return MeasureOf(RunCluster(*code, o));
  }

  static Measure MeasureOf(const Log& log) {
    Measure m;
    m.events = static_cast<int64_t>(log.events.size());
    for (const Event& e : log.events) {
      bool waits = std::any_of(e.uses.begin(), e.uses.end(),
                               [](const BarrierUse& use) {
                                 return use.kind == ir::EffectKind::kWait;
                               });
      if (waits) m.waits = std::max(m.waits, e.nth + 1);
    }
    return m;
  }

  // Once around every slot twice, and one more.
  int64_t Goal() const {
    int64_t slots = 1;
    std::optional<ir::BoundKernel> bound = Bound();
    for (const ir::BoundDecl& d : bound->decls) {
      if (d.space == ir::Space::kMbarrier)
        slots = std::max<int64_t>(slots, d.objects);
    }
    return 2 * slots + 1;
  }

  bool Permitted(const ir::Param& p, int64_t value) const {
    return !p.high || value <= *p.high;
  }

  // Makes the parameters larger that make loops longer.
  void Lengthen(Measure now) {
    int64_t goal = Goal();
    for (auto p = free_.rbegin(); p != free_.rend(); ++p) {
      if (now.waits >= goal) return;
      int64_t base = sizes_[(*p)->name];
      int64_t gain = 0;
      if (Set(**p, base + (*p)->step)) {
        std::optional<Measure> next = Try();
        if (next) gain = next->waits - now.waits;
      }
      int64_t steps = 0;
      if (gain > 0)
        steps = std::min(kMaxSteps, (goal - now.waits + gain - 1) / gain);
      Set(**p, base);
      if (steps > 0 && Set(**p, base + steps * (*p)->step)) {
        std::optional<Measure> next = Try();
        if (next) now = *next;
      }
    }
  }

  // A little more of what makes the run longer otherwise: further tiles.
  void Widen() {
    std::optional<Measure> now = Try();
    for (const ir::Param* p : free_) {
      int64_t base = sizes_[p->name];
      if (!now || base != p->low) continue;
      for (int64_t steps = 1; steps <= kWidenSteps; ++steps) {
        if (!Set(*p, base + steps * p->step)) continue;
        std::optional<Measure> next = Try();
        if (next && next->events > now->events &&
            next->events <= kSecondTileEvents) {
          now = next;
          break;
        }
        sizes_[p->name] = base;
      }
    }
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

  std::optional<Instance> Make(ir::Diagnostics& diagnostics) {
    std::optional<ir::BoundKernel> bound =
        ir::Bind(kernel_, sizes_, sm_count_, diagnostics);
    if (!bound) return std::nullopt;
    std::optional<machine::Code> code =
        machine::Compile(std::move(*bound), diagnostics);
    if (!code) return std::nullopt;
    Instance out;
    for (const ir::Param& p : kernel_.params) out.sizes[p.name] = sizes_[p.name];
    out.code = std::make_unique<machine::Code>(std::move(*code));
    return out;
  }

  const ir::Kernel& kernel_;
  const InstanceOptions& options_;
  ir::Overrides sizes_;
  std::vector<const ir::Param*> free_;
  int64_t sm_count_ = 0;
};

}  // namespace

std::optional<Instance> ChooseInstance(const ir::Kernel& kernel,
                                       const InstanceOptions& options,
                                       ir::Diagnostics& diagnostics) {
  return Chooser(kernel, options).Choose(diagnostics);
}

}  // namespace tilesim::checkers
