// Which effects make a strand wait, and for what.
#include <algorithm>
#include <cstdlib>

#include "ir/cat.h"
#include "ir/operand_rules.h"
#include "ir/tmem.h"
#include "sim/machine/effect_runner.h"
#include "sim/machine/guide.h"
#include "sim/machine/registers_apart.h"

namespace tilesim::machine {
namespace {

using ir::Effect;
using ir::EffectKind;
using ir::Milestone;

int64_t ColumnsInUse(const Cta& cta, const ir::BoundKernel& b) {
  int64_t columns = 0;
  for (size_t i = 0; i < cta.tmem.size(); ++i) {
    if (cta.tmem[i] == TmemStatus::kAllocated) columns += b.decls[i].columns;
  }
  return columns;
}

}  // namespace

bool EffectRunner::Ready(Signal& signal) {
  for (const Effect& e : effects_) {
    if (e.at == Milestone::kIssue && !Passes(e, signal)) return false;
  }
  return true;
}

bool EffectRunner::Passes(const Effect& e, Signal& signal) {
  switch (e.kind) {
    case EffectKind::kWait: {
      Target t = OwnBarrier(e);
      signal = {Signal::Kind::kMbarrier, t.cta, t.index};
      return !bar(t).live || bar(t).Passes(e.value);
    }
    case EffectKind::kWaitGroup:
      return GroupPasses(e, signal);
    case EffectKind::kNamedArrive:
    case EffectKind::kNamedSync:
      return NamedFits(e, signal);
    case EffectKind::kClusterWait:
      return ClusterPasses(e, signal);
    case EffectKind::kRegisters:
      return RegistersPass(e, signal);
    case EffectKind::kTmemAlloc:
      return TmemPasses(e, signal);
    case EffectKind::kGridWait: {
      int earlier = state_.ctas[cta_].kernel - 1;
      signal = {Signal::Kind::kGrid, earlier, 0};
      return earlier < 0 || state_.grids[earlier].finished_ctas ==
                                machine_.code(earlier).bound.ctas();
    }
    default:
      return true;
  }
}

bool EffectRunner::GroupPasses(const Effect& e, Signal& signal) {
  const GroupQueue& q =
      state_.strands[strand_].groups[static_cast<int>(e.group)];
  signal = {Signal::Kind::kGroup, strand_, static_cast<int32_t>(e.group)};
  // All but the youngest `value` committed groups, empty ones included, must
  // be over (PTX 9.7.9.25.3.3); the open group does not count.
  return std::none_of(
      q.groups.begin(), q.groups.end(), [&](const GroupQueue::Group& g) {
        bool old = int64_t{q.next} - int64_t{g.number} > e.value;
        return old && (e.reads_only ? g.unread : g.undone) > 0;
      });
}

// A thread must not come to a barrier again before its generation is over:
// entries of the next generation wait outside, as hardware makes them.
bool EffectRunner::NamedFits(const Effect& e, Signal& signal) {
  if (e.value < 0 || e.value >= ir::kNamedBarriers) return true;
  const NamedBarrier& b = state_.ctas[cta_].named[e.value];
  signal = {Signal::Kind::kNamed, cta_, static_cast<int32_t>(e.value)};
  return b.expected == 0 || b.arrived + warp_threads() <= b.expected;
}

bool EffectRunner::ClusterPasses(const Effect&, Signal& signal) {
  const Strand& s = state_.strands[strand_];
  int32_t cluster = state_.ctas[cta_].cluster;
  signal = {Signal::Kind::kCluster, cluster, 0};
  if (!s.cluster_arrived) return true;  // reported when applied
  return state_.clusters[cluster].generation > s.cluster_phase;
}

bool EffectRunner::RegistersPass(const Effect& e, Signal& signal) {
  const Cta& cta = state_.ctas[cta_];
  signal = {Signal::Kind::kRegisters, cta_, 0};
  if (machine_.code_of(cta).bound.regs == 0) return true;
  int group = concrete_.threads.first_warp / ir::kWarpgroupWarps;
  // Warps that come alone change what all of their warpgroup have.
  const int64_t threads =
      std::max<int64_t>(warp_threads(), ir::kWarpgroupThreads);
  int64_t more = (e.value - cta.registers[group]) * threads;
  return more <= cta.free_registers;
}

// One that is allocated already is reported when applied.
bool EffectRunner::TmemPasses(const Effect& e, Signal& signal) {
  const Cta& cta = state_.ctas[cta_];
  const ir::BoundKernel& b = machine_.code_of(cta).bound;
  signal = {Signal::Kind::kTmem, cta_, 0};
  int32_t pool = concrete_.tile(e.operand).decl;
  if (cta.tmem[pool] == TmemStatus::kAllocated) return true;
  return ColumnsInUse(cta, b) + b.decls[pool].columns <= ir::kTmemColumns;
}

// The operands that this strand gives (PTX 9.7.15.5.2).
bool EffectRunner::GivesTheSame(const Strand& other) const {
  const Guide& guide = machine_.guide_of(state_.ctas[cta_]);
  ir::ConcreteOp theirs = concrete_;
  if (guide.Operands(machine_, state_, other, op_, theirs) >= 0) return false;
  return std::all_of(op_.varying.begin(), op_.varying.end(), [&](int8_t i) {
    return theirs.operands[i] == concrete_.operands[i];
  });
}

// Whether the strand stands at a setmaxnreg of the same kind and count.
bool EffectRunner::SetsRegistersToo(const Strand& other) const {
  const CompiledOp* op = machine_.op_at(state_, other);
  if (op == nullptr || op->op->info->kind != op_.op->info->kind) return false;
  const Guide& guide = machine_.guide_of(state_.ctas[cta_]);
  ir::ConcreteOp theirs = op->fixed;
  return guide.Operands(machine_, state_, other, *op, theirs) < 0 &&
         theirs.operands[0] == concrete_.operands[0];
}

// Where the warps of a warpgroup come to setmaxnreg on several lines, the first
// to go on, when all have come, changes what all have.
bool EffectRunner::CollectiveReady(Signal& signal) {
  if (op_.op->info->scope != ir::ExecScope::kWarpgroup) return true;
  Strand& s = state_.strands[strand_];
  bool whole = s.threads.first_warp % ir::kWarpgroupWarps == 0 &&
               s.threads.warps % ir::kWarpgroupWarps == 0;
  if (whole) return true;
  signal = {Signal::Kind::kCollective, cta_, 0};
  // The others of the warpgroup that stand here join this strand.
  int first = s.threads.first_warp / ir::kWarpgroupWarps * ir::kWarpgroupWarps;
  const Cta& cta = state_.ctas[cta_];
  const auto* may =
      dynamic_cast<const RegistersApart*>(&machine_.guide_of(cta));
  const bool apart = may != nullptr && may->MaySetRegistersApart() &&
                     effects_.size() == 1 &&
                     effects_[0].kind == EffectKind::kRegisters;
  if (apart && cta.registers[first / ir::kWarpgroupWarps] == effects_[0].value)
    return true;
  int present = 0, elsewhere = 0;
  absl::InlinedVector<int32_t, 4> here;
  for (int32_t other : state_.ctas[cta_].strands) {
    const Strand& o = state_.strands[other];
    const bool same_line = o.pc == s.pc;
    if (o.status != Strand::Status::kRunning || o.ready != s.ready ||
        (!same_line && !apart))
      continue;
    if (o.threads.first_warp < first ||
        o.threads.first_warp + o.threads.warps > first + ir::kWarpgroupWarps)
      continue;
    if (!same_line) {
      if (SetsRegistersToo(o)) elsewhere += o.threads.warps;
      continue;
    }
    present += o.threads.warps;
    if (other != strand_) here.push_back(other);
  }
  if (present < ir::kWarpgroupWarps)
    return present + elsewhere == ir::kWarpgroupWarps;
  for (int32_t other : here) faulted_ |= !GivesTheSame(state_.strands[other]);
  if (faulted_) {
    Report("scope/collective",
           ir::Cat("the warps of a warpgroup give ", op_.op->info->mnemonic,
                   " operands that differ"),
           "the four give one descriptor each: of `warpgroup`, not of `warp`");
    return true;
  }
  // Nearest first: a strand's warps follow each other, as its registers do.
  auto distance = [&](int32_t other) {
    return std::abs(state_.strands[other].threads.first_warp -
                    s.threads.first_warp);
  };
  std::sort(here.begin(), here.end(),
            [&](int32_t a, int32_t b) { return distance(a) < distance(b); });
  for (int32_t other : here) machine_.Absorb(state_, strand_, other, true);
  absorbed_ = here;
  return true;
}

}  // namespace tilesim::machine
