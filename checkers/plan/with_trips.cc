#include "checkers/plan/with_trips.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "checkers/run/control_memory.h"
#include "checkers/run/environment.h"
#include "checkers/run/runner.h"
#include "ir/walk.h"

namespace tilesim::checkers::plan {

namespace {

constexpr int kDoublings = 12;

// The ops of loops: those of no loop inside them, if they have such.
class OpsOfLoops {
 public:
  OpsOfLoops(const ir::Kernel& kernel, const std::set<int32_t>& lines) {
    ir::ForEachStmt(kernel.body, [&](const ir::Stmt& s) {
      if (IsLoop(s) && lines.contains(s.span.text_line())) Add(s.body, false);
    });
  }

  bool Has(const ir::Op* op) const {
    return own_.empty() ? inner_.contains(op) : own_.contains(op);
  }

 private:
  static bool IsLoop(const ir::Stmt& s) {
    return s.kind == ir::Stmt::Kind::kFor || s.kind == ir::Stmt::Kind::kWhile;
  }

  void Add(const ir::Block& block, bool in_loop) {
    for (const ir::Stmt& s : block) {
      if (s.op) (in_loop ? inner_ : own_).insert(&*s.op);
      Add(s.body, in_loop || IsLoop(s));
      Add(s.orelse, in_loop);
    }
  }

  std::set<const ir::Op*> own_, inner_;
};

class Search {
 public:
  Search(const ir::Kernel& kernel, const InstanceOptions& options,
         const std::vector<TripsWanted>& wanted, int64_t cluster)
      : kernel_(kernel), options_(options), cluster_(cluster) {
    for (const TripsWanted& w : wanted)
      loops_.emplace_back(OpsOfLoops(kernel, w.lines), w.trips);
  }

  std::optional<Instance> From(const ir::Overrides& sizes) {
    const bool asks = options_.sm_count == 0 && AsksForSms(kernel_);
    for (int64_t sms : kSmCounts) {
      sm_count_ = asks ? sms : options_.sm_count;
      if (auto found = Grow(sizes)) return found;
      if (!asks) break;
    }
    return std::nullopt;
  }

 private:
  // The last parameters first: loops go along them, and grids along others.
  std::optional<Instance> Grow(ir::Overrides sizes) {
    int64_t most = At(sizes);
    for (auto p = kernel_.params.rbegin();
         !found_ && p != kernel_.params.rend(); ++p) {
      if (options_.defines.contains(p->name)) continue;
      const int64_t base = sizes[p->name];
      for (int n = 0; !found_ && n < kDoublings; ++n) {
        ir::Overrides larger = sizes;
        int64_t more = 0;
        if (__builtin_mul_overflow(p->step, int64_t{1} << n, &more) ||
            __builtin_add_overflow(base, more, &larger[p->name]))
          break;
        if (p->high && larger[p->name] > *p->high) break;
        const int64_t now = At(larger);
        if (now > most) sizes = std::move(larger);
        most = std::max(most, now);
      }
    }
    return std::exchange(found_, std::nullopt);
  }

  // How much of what is wanted is there, in iterations; -1: not permitted, or
  // the run is too long. All of it: `found_`.
  int64_t At(const ir::Overrides& sizes) {
    std::optional<Instance> instance = InstanceAt(kernel_, sizes, sm_count_);
    if (!instance) return -1;
    const ir::BoundKernel& b = instance->code->bound;
    if (cluster_ >= b.ctas() / b.cluster_size()) return 0;
    Had had = InRun(*instance, nullptr);
    if (!had.all && !run::DrawnOf(*instance->code).empty()) {
      const run::Environments draws = run::DrawsOf(*instance->code);
      const Had drawn = InRun(*instance, &draws.each.back());
      had = {std::max(had.iterations, drawn.iterations), drawn.all};
    }
    if (had.all) found_ = std::move(instance);
    return had.iterations;
  }

  struct Had {
    int64_t iterations = -1;
    bool all = false;
  };

  // With inputs that decide as they are given, or as drawn.
  Had InRun(const Instance& instance, const run::Environment* draw) {
    run::RunOptions o;
    o.cluster = cluster_;
    o.max_events = kTrialEvents;
    o.environment = draw;
    const run::Log log = run::RunCluster(*instance.code, o);
    if (static_cast<int64_t>(log.events.size()) >= kTrialEvents) return {};
    Had out{0, true};
    for (const auto& [ops, wanted] : loops_) {
      int64_t trips = 0;
      for (const run::Event& e : log.events) {
        if (e.op >= 0 && ops.Has(instance.code->ops[e.op].op))
          trips = std::max(trips, e.nth + 1);
      }
      out.iterations += std::min(trips, wanted);
      out.all &= trips >= wanted;
    }
    return out;
  }

  const ir::Kernel& kernel_;
  const InstanceOptions& options_;
  const int64_t cluster_;
  std::vector<std::pair<OpsOfLoops, int64_t>> loops_;
  int64_t sm_count_ = 0;
  std::optional<Instance> found_;
};

}  // namespace

std::optional<Instance> WithTrips(const ir::Kernel& kernel,
                                  const InstanceOptions& options,
                                  const ir::Overrides& from,
                                  const std::vector<TripsWanted>& wanted,
                                  int64_t cluster) {
  return Search(kernel, options, wanted, cluster).From(from);
}

}  // namespace tilesim::checkers::plan
