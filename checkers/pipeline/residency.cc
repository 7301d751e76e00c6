#include "checkers/pipeline/residency.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "checkers/report/names.h"
#include "checkers/run/protocol.h"
#include "checkers/run/runner.h"
#include "ir/cat.h"
#include "ir/occupancy.h"
#include "ir/op.h"
#include "ir/target.h"

namespace tilesim::checkers::pipeline {
using run::Environment;
using run::Flags;
using run::InTurn;
using run::Log;

namespace {

// Clusters of a grid, and runs of them, in which flags are followed.
constexpr int64_t kMaxClusters = 3'000;
constexpr int64_t kMaxRuns = 6'000;
// Parameters are taken to be below 2^31.
constexpr int64_t kMostSize = std::numeric_limits<int32_t>::max();

// Clusters that a GPU holds at once.
struct Room {
  int64_t surely = 0, at_most = 0;
};

// Whether CTAs keep the permit to allocate tensor memory until they end: then
// the allocation of a second one on the SM may wait as long (hardware.md A.8).
bool KeepsPermit(const machine::Code& code) {
  const auto has = [&](ir::OpKind kind) {
    return std::any_of(code.ops.begin(), code.ops.end(),
                       [&](const machine::CompiledOp& op) {
                         return op.op != nullptr && op.op->info->kind == kind;
                       });
  };
  return has(ir::OpKind::kTcgen05Alloc) &&
         !has(ir::OpKind::kTcgen05RelinquishAllocPermit);
}

Room RoomFor(const KernelPlan& plan, const machine::Code& code) {
  const ir::BoundKernel& b = code.bound;
  int64_t sms = plan.sizes.sm_count;
  // Of compiled code its launch has them.
  if (sms == 0)
    sms = code.guide != nullptr ? b.sm_count
                                : ir::InfoOf(plan.kernel->target).sms;
  const int64_t each = KeepsPermit(code) ? 1 : ir::CtasPerSm(b);
  Room out;
  out.at_most = sms * each / b.cluster_size();
  // Whatever registers it takes, one fits: else it could not be launched.
  if (b.cluster_size() == 1) out.surely = sms * (b.regs > 0 ? each : 1);
  return out;
}

// A cluster that waits for ever, as it is told.
ir::Diagnostic StuckIn(const machine::Code& code,
                       const std::vector<Flags>& flags, const InTurn& end,
                       const Environment& draw, int64_t max_events) {
  run::RunOptions o;
  o.cluster = end.waiting.front();
  const run::WordValues seen = end.SeenBy(o.cluster, code.bound.ctas(), flags);
  Environment environment = WithFlags(flags, code, draw, &seen);
  o.environment = &environment;
  o.max_events = max_events;
  const Log log = RunCluster(code, o);
  ir::Diagnostic d;
  d.code = "deadlock/residency";
  d.severity = ir::Severity::kError;
  const int64_t held = std::ssize(end.waiting);
  d.message =
      ir::Cat("the GPU holds ", held, " of the ",
              code.bound.ctas() / code.bound.cluster_size(),
              " clusters at once, and those wait for others: ", end.never_start,
              " never start");
  for (const run::Event& e : log.events) {
    bool asks = std::any_of(flags.begin(), flags.end(), [&](const Flags& f) {
      return f.waits.count(e.op) != 0;
    });
    if (!asks) continue;
    d.span = report::SpanOf(e);
    d.span_text = ir::Cat("cluster ", o.cluster, ", ", report::WhoOf(log, e),
                          ": waits here");
  }
  d.help =
      KeepsPermit(code)
          ? "tcgen05.relinquish_alloc_permit behind tcgen05.alloc, so that "
            "other "
            "CTAs of the SM can allocate; or launch no more CTAs than the GPU "
            "has SMs"
          : "launch no more CTAs than the GPU holds, or wait for earlier ones "
            "only";
  return d;
}

}  // namespace

Residency ResidencyAt(const KernelPlan& plan, const plan::Instance& instance,
                      int64_t max_events) {
  const machine::Code& code = *instance.code;
  const int64_t clusters = code.bound.ctas() / code.bound.cluster_size();
  const Room room = RoomFor(plan, code);
  Residency out;
  if (clusters <= std::max<int64_t>(room.surely, 1) || !run::CtasWait(code))
    return out;
  out.assumed = Residents::kAll;
  if (clusters <= room.at_most) return out;
  out.open =
      ir::Cat("the GPU holds at most ", room.at_most, " of the ", clusters,
              " clusters at once, which wait for each other: whether "
              "all of them start was not followed");
  const std::vector<Flags> flags = run::FlagsOf(code);
  auto protocol = run::ProtocolIn(code);
  if (!protocol || flags.empty() || clusters > kMaxClusters) return out;
  const Environment draw = run::DrawsOf(code).each.front();
  std::vector<int64_t> all(static_cast<size_t>(clusters));
  std::iota(all.begin(), all.end(), 0);
  const InTurn end =
      RunInTurn(code, flags, all, room.at_most, draw, max_events, kMaxRuns);
  if (end.cut) return out;
  out.open.clear();
  out.assumed = Residents::kInTurn;
  if (end.never_start > 0)
    out.stuck = StuckIn(code, flags, end, draw, max_events);
  return out;
}

std::optional<std::pair<plan::Instance, ir::Diagnostic>> StuckInLarger(
    const KernelPlan& plan, int64_t max_events) {
  for (const ir::Param& p : plan.kernel->params) {
    if (plan.sizes.defines.count(p.name) != 0) continue;
    for (int64_t n = 1; n <= kMostSize; n += n / 2 + 1) {
      int64_t size;
      if (__builtin_mul_overflow(n, p.step, &size) ||
          __builtin_add_overflow(size, p.low, &size))
        break;
      if (p.high) size = std::min(size, *p.high);
      if (size > kMostSize) break;
      ir::Overrides sizes = plan.sizes.defines;
      sizes[p.name] = size;
      auto instance = plan::InstanceAt(*plan.kernel, sizes, plan.gpu_sms);
      if (!instance || instance->code->bound.ctas() > kMaxClusters) break;
      const Residency r = ResidencyAt(plan, *instance, max_events);
      if (r.stuck) return std::pair(std::move(*instance), *r.stuck);
      if (r.assumed == Residents::kInTurn || (p.high && size >= *p.high)) break;
    }
  }
  return std::nullopt;
}

}  // namespace tilesim::checkers::pipeline
