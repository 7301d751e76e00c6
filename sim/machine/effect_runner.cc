#include "sim/machine/effect_runner.h"

#include <algorithm>
#include <memory>
#include <new>

#include "ir/cat.h"
#include "ir/operand_rules.h"
#include "ir/ops/all.h"
#include "sim/machine/byte_sets.h"
#include "sim/machine/data/threads.h"

namespace tilesim::machine {
namespace {
using ir::Effect;
using ir::EffectKind;
using ir::Milestone;

constexpr int64_t kMaxCount = ir::kMaxArrivals;  // hardware.md A.1

}  // namespace

void EffectRunner::Report(ir::Code code, std::string message, std::string help,
                          bool warning) {
  machine_.Report(state_, cta_, &op_, code, std::move(message), std::move(help),
                  warning);
}

int64_t EffectRunner::times() const {
  return op_.op->info->scope == ir::ExecScope::kThread ? threads() : 1;
}

int64_t EffectRunner::BytesHeld(int operand) const {
  const Code& code = machine_.code_of(state_.ctas[cta_]);
  // Of compiled code, what the threads store says it.
  if (code.byte_sets)
    return code.byte_sets->BytesOf(
        SetOf(concrete_.tile(ir::ops::StAsync::kDst)), concrete_.threads);
  const ir::TileValue& t = concrete_.tile(operand);
  return machine::BytesHeld(t, code.bound.decls[t.decl].fragment, op_,
                            concrete_.threads);
}

BarrierUse& EffectRunner::AddUse(const Effect& e, Target t, int64_t value) {
  const Mbarrier& b = bar(t);
  EffectKind kind = e.kind == EffectKind::kTrack ? EffectKind::kArrive : e.kind;
  return uses_.emplace_back(BarrierUse{.barrier = {t.cta, t.index, b.life},
                                       .kind = kind,
                                       .sem = e.sem,
                                       .scope = e.scope,
                                       .scope_written = e.scope_written,
                                       .phase = b.phase,
                                       .value = value});
}

void EffectRunner::AddAwaited() {
  for (const Effect& e : effects_) {
    if (e.kind == EffectKind::kWait) AddUse(e, OwnBarrier(e));
  }
}

// --- issue ------------------------------------------------------------------

bool EffectRunner::Apply() {
  for (const Effect& e : effects_) {
    if (e.at == Milestone::kIssue) CheckBarriers(e, kAnyRank);
    if (e.at == Milestone::kIssue) ApplyOne(e, kAnyRank);
    if (faulted_) return false;
    CheckTmem(e);
  }
  return stays_;
}

void EffectRunner::ApplyOne(const Effect& e, int only_rank) {
  switch (e.kind) {
    case EffectKind::kInit:
      return Init(e);
    case EffectKind::kInval:
      return Inval(e);
    case EffectKind::kArrive:
    case EffectKind::kArriveDrop:
    case EffectKind::kExpectTx:
    case EffectKind::kCompleteTx:
    case EffectKind::kPendingIncrement:
      return EachBarrier(e, only_rank, [&](Target t) { Count(e, t); });
    case EffectKind::kWait:
      return Wait(e);
    case EffectKind::kTest:
      return Test(e);
    case EffectKind::kCommit:
      return Commit(e);
    case EffectKind::kNamedArrive:
    case EffectKind::kNamedSync:
      return Named(e);
    case EffectKind::kClusterArrive:
      return ClusterArrive();
    case EffectKind::kClusterWait:
      return ClusterWait();
    case EffectKind::kRegisters:
      return Registers(e);
    case EffectKind::kTmemAlloc:
    case EffectKind::kTmemDealloc:
    case EffectKind::kTmemRelinquish:
      return Tmem(e);
    case EffectKind::kGridTrigger:
      return Trigger();
    case EffectKind::kClcCancel:
      return ClcCancel();
    case EffectKind::kClcQuery:
      return ClcQuery(e);
    // Memory accesses, fences and waits that passed change no control.
    case EffectKind::kRead:
    case EffectKind::kWrite:
    case EffectKind::kFence:
    case EffectKind::kWarpSync:
    case EffectKind::kWaitGroup:
    case EffectKind::kGridWait:
    case EffectKind::kTrack:
      return;
  }
}

bool EffectRunner::Live(Target t) {
  if (bar(t).live) return true;
  if (bar(t).invalidated) {
    Report("init/after-inval",
           ir::Cat("mbarrier `", NameOf(t), "` is used after mbarrier.inval"),
           "invalidate it when every thread and operation is done with it");
  } else {
    int32_t line = LineOfInit(t);
    Report("init/missing",
           ir::Cat("mbarrier `", NameOf(t), "` is used before ",
                   line == 0 ? std::string("any mbarrier.init; none names it")
                             : ir::Cat("the mbarrier.init on line ", line)),
           "initialise it in one thread, then fence.mbarrier_init and a "
           "barrier");
  }
  faulted_ = true;
  return false;
}

// The first op that may initialise the barrier; 0: none does.
int32_t EffectRunner::LineOfInit(Target t) const {
  const Cta& cta = state_.ctas[t.cta];
  const Code& code = machine_.code_of(cta);
  for (const CompiledOp& op : code.ops) {
    if (op.op->info->kind != ir::OpKind::kMbarrierInit) continue;
    for (size_t d = 0; d < code.bound.decls.size(); ++d) {
      const ir::BoundDecl& decl = code.bound.decls[d];
      bool its = decl.space == ir::Space::kMbarrier && t.index >= decl.place &&
                 t.index < decl.place + decl.objects;
      if (its && machine_.guide_of(cta).MayName(op, ir::ops::MbarrierInit::kBar,
                                                static_cast<int32_t>(d)))
        return op.op->span.text_line();
    }
  }
  return 0;
}

void EffectRunner::Init(const Effect& e) {
  if (e.value < 1 || e.value > kMaxCount) {
    Fault("arrival-count/range", ir::Cat("an arrival count of ", e.value,
                                         " is outside 1..", kMaxCount));
    return;
  }
  Target t = OwnBarrier(e);
  Mbarrier& b = bar(t);
  Mbarrier fresh{.live = true,
                 .expected = static_cast<int32_t>(e.value),
                 .pending = static_cast<int32_t>(e.value),
                 .life = b.life};
  // Undefined by PTX (9.7.13.15); but equal ones before any use change nothing
  // (bug-catalogue N26).
  bool same = b == fresh;
  if (b.live) {
    Report("init/twice",
           ir::Cat("mbarrier `", NameOf(t),
                   "` is initialised again while it is live",
                   same ? ", with the same count and before any use" : ""),
           same ? "initialise it once" : "mbarrier.inval it first", same);
  } else if (times() > 1) {
    Report("init/twice",
           ir::Cat("mbarrier `", NameOf(t), "` is initialised by ", times(),
                   " threads, each again while it is live"),
           "let one thread initialise it: elect, or `lane 0`", true);
  }
  if (!same) ++fresh.life;
  b = fresh;
  AddUse(e, t, e.value);
  machine_.Raise(Signal::Kind::kMbarrier, t.cta, t.index);
}

void EffectRunner::Inval(const Effect& e) {
  Target t = OwnBarrier(e);
  if (!Live(t)) return;
  AddUse(e, t);
  bar(t).live = false;
  bar(t).invalidated = true;
}

void EffectRunner::Count(const Effect& e, Target t) {
  // Far above what is permitted, and far below overflow.
  constexpr int64_t kAbsurd = int64_t{1} << 40;
  int64_t n = e.by_share ? BytesHeld(static_cast<int>(e.value))
                         : std::clamp(e.value, -kAbsurd, kAbsurd) * times();
  BarrierUse* use = n == 0 ? nullptr : &AddUse(e, t, n);
  if (!Live(t) || use == nullptr) return;
  bool bytes =
      e.kind == EffectKind::kExpectTx || e.kind == EffectKind::kCompleteTx;
  if (!bytes && (n < 0 || n > kMaxCount)) {
    Fault("arrival-count/range", ir::Cat(n, " arrivals at `", NameOf(t),
                                         "` are outside 0..", kMaxCount));
    return;
  }
  const bool arrives =
      e.kind == EffectKind::kArrive || e.kind == EffectKind::kArriveDrop;
  if (arrives && e.at == Milestone::kIssue && strand_ >= 0)
    machine_.guide_of(state_.ctas[cta_])
        .Arrived(state_.strands[strand_], bar(t).phase);
  switch (e.kind) {
    case EffectKind::kExpectTx:
      return AddBytes(t, n, *use);
    case EffectKind::kCompleteTx:
      return AddBytes(t, -n, *use);
    case EffectKind::kPendingIncrement:
      return Increment(t, n);
    case EffectKind::kArriveDrop:
      bar(t).expected -= static_cast<int32_t>(n);
      return Arrive(t, *use);
    default:
      return Arrive(t, *use);
  }
}

void EffectRunner::Increment(Target t, int64_t n) {
  Mbarrier& b = bar(t);
  if (b.pending + n > kMaxCount) {
    Fault("arrival-count/range",
          ir::Cat("`", NameOf(t), "` would lack ", b.pending + n,
                  " arrivals; it counts to ", kMaxCount),
          "cp.async.mbarrier.arrive.noinc, counted by mbarrier.init");
    return;
  }
  b.pending += static_cast<int32_t>(n);
}

// Where several threads execute what one is meant to; "" where it is one.
std::string EffectRunner::HelpToElect() const {
  const ir::ThreadSet& threads = concrete_.threads;
  if (threads.threads() == 1) return "";
  std::string_view what = concrete_.op->info->mnemonic;
  if (threads.electors == 0)
    return ir::Cat(threads.threads(), " threads execute this ", what,
                   ", and each counts: let one do it, `elect`, or one of each "
                   "warp");
  std::string help = ir::Cat(
      "one lane of each of ", threads.warps, " warps executes this ", what,
      ", and each counts: one thread of all of them is `elect one`, or one "
      "warp's `warp ",
      threads.first_warp, ", elect`");
  const int groups = threads.warps / ir::kWarpgroupWarps;
  if (groups > 1 && threads.warps % ir::kWarpgroupWarps == 0) {
    help += ", one of each warpgroup `";
    for (int g = 0; g < groups; ++g)
      help += ir::Cat(g == 0 ? "warp " : " | warp ",
                      threads.first_warp + g * ir::kWarpgroupWarps);
    help += ", elect`";
  }
  return help;
}

void EffectRunner::Arrive(Target t, BarrierUse& use) {
  Mbarrier& b = bar(t);
  if (use.value > b.pending) {
    const std::string elect = HelpToElect();
    Fault("arrival-count/over",
          ir::Cat("`", NameOf(t), "` gets ", use.value, " arrivals when phase ",
                  b.phase, " lacks ", b.pending),
          !elect.empty() && use.value > b.expected
              ? ir::Cat(elect, "; else mbarrier.init must count them all")
              : "who arrives again must have waited for the phase before; else "
                "mbarrier.init must count every arrival of a phase");
    return;
  }
  b.pending -= static_cast<int32_t>(use.value);
  MaybeComplete(t, use);
}

void EffectRunner::AddBytes(Target t, int64_t bytes, BarrierUse& use) {
  Mbarrier& b = bar(t);
  b.tx += bytes;
  if (b.tx > kMaxCount || b.tx < -kMaxCount) {
    Fault("tx-count/range",
          ir::Cat("the tx-count of `", NameOf(t), "` would be ", b.tx,
                  ", outside +-", kMaxCount),
          HelpToElect());
    return;
  }
  if (b.pending == 0 && b.tx < 0) {
    Fault("tx-count/over",
          ir::Cat("`", NameOf(t), "` gets ", -b.tx, " bytes more than phase ",
                  b.phase, " expects"),
          "expect_tx must name the full box of every load, also where it "
          "reaches outside the tensor");
    return;
  }
  MaybeComplete(t, use);
}

void EffectRunner::MaybeComplete(Target t, BarrierUse& use) {
  Mbarrier& b = bar(t);
  if (b.pending != 0 || b.tx != 0) return;
  ++b.phase;
  b.pending = b.expected;
  use.completes = true;
  machine_.Raise(Signal::Kind::kMbarrier, t.cta, t.index);
}

// A wait that passes has seen the phase before the open one.
void EffectRunner::Wait(const Effect& e) {
  Target t = OwnBarrier(e);
  if (Live(t)) --AddUse(e, t).phase;
}

void EffectRunner::Test(const Effect& e) {
  Target t = OwnBarrier(e);
  if (!Live(t)) return;
  bool passes = bar(t).Passes(e.value);
  machine_.guide_of(state_.ctas[cta_])
      .Returned(state_.strands[strand_], concrete_, 0, passes);
  if (passes) --AddUse(e, t).phase;
}

void EffectRunner::Commit(const Effect& e) {
  GroupQueue& q = state_.strands[strand_].groups[static_cast<int>(e.group)];
  ++q.next;
}

// --- pools ------------------------------------------------------------------

void EffectRunner::Registers(const Effect& e) {
  Cta& cta = state_.ctas[cta_];
  if (machine_.code_of(cta).bound.regs == 0) {
    Fault("registers/pool",
          "setmaxnreg in a kernel whose `block` does not say `regs`",
          "write `block N regs R`: ptxas ignores setmaxnreg without it");
    return;
  }
  int first = concrete_.threads.first_warp / ir::kWarpgroupWarps;
  int last = (concrete_.threads.first_warp + concrete_.threads.warps - 1) /
             ir::kWarpgroupWarps;
  for (int g = first; g <= last; ++g) {
    int64_t more = e.value - cta.registers[g];
    bool grows = op_.op->info->kind == ir::OpKind::kSetmaxnregInc;
    if (grows ? more < 0 : more > 0) {
      Report("registers/pool",
             ir::Cat(op_.op->info->mnemonic, " to ", e.value, " from ",
                     cta.registers[g], " registers"));
    }
    cta.free_registers -= static_cast<int32_t>(more * ir::kWarpgroupThreads);
    cta.registers[g] = static_cast<int16_t>(e.value);
  }
  machine_.Raise(Signal::Kind::kRegisters, cta_);
}

void EffectRunner::Tmem(const Effect& e) {
  Cta& cta = state_.ctas[cta_];
  if (e.kind == EffectKind::kTmemRelinquish) {
    cta.relinquished = true;
    return;
  }
  int decl = concrete_.tile(e.operand).decl;
  const std::string& name = machine_.code_of(cta).kernel().decls[decl].name;
  TmemStatus& status = cta.tmem[decl];
  if (e.kind == EffectKind::kTmemAlloc) {
    if (cta.relinquished)
      Report("tmem/permit", ir::Cat("`", name,
                                    "` is allocated after "
                                    "relinquish_alloc_permit"));
    if (status == TmemStatus::kAllocated)
      Report("tmem/capacity", ir::Cat("`", name, "` is allocated twice"));
    status = TmemStatus::kAllocated;
    return;
  }
  if (status != TmemStatus::kAllocated)
    Report("tmem/use-after-free",
           ir::Cat("`", name, "` is deallocated without being allocated"));
  status = TmemStatus::kFreed;
  machine_.Raise(Signal::Kind::kTmem, cta_);
}

void EffectRunner::CheckTmem(const Effect& e) {
  bool access = e.kind == EffectKind::kRead || e.kind == EffectKind::kWrite;
  if (!access || !concrete_.is_tile(e.operand)) return;
  const ir::TileValue& tile = concrete_.tile(e.operand);
  if (tile.space != ir::Space::kTmem) return;
  const Cta& cta = state_.ctas[cta_];
  const ir::BoundKernel& b = machine_.code_of(cta).bound;
  int pool = b.decls[tile.decl].pool;
  if (pool < 0 || cta.tmem[pool] == TmemStatus::kAllocated) return;
  Report("tmem/use-after-free",
         ir::Cat("`", b.kernel->decls[tile.decl].name, "` lies in `",
                 b.kernel->decls[pool].name, "`, which is not allocated"));
}

// --- grid -------------------------------------------------------------------

void EffectRunner::Trigger() {
  Cta& cta = state_.ctas[cta_];
  if (cta.triggered) return;
  cta.triggered = true;
  --state_.grids[cta.kernel].untriggered;
  machine_.Raise(Signal::Kind::kGrid, cta.kernel);
}

void EffectRunner::ClcCancel() {
  const Cta& cta = state_.ctas[cta_];
  if (cta.refused) {
    Fault("clc/refused",
          "another cluster is asked for after a refusal was seen",
          "leave the loop when clc.query_cancel says that there is none");
    return;
  }
  Grid& grid = state_.grids[cta.kernel];
  const ir::BoundKernel& b = machine_.code_of(cta).bound;
  int64_t clusters = b.ctas() / b.cluster_size();
  bool got = grid.next_cluster < clusters;
  std::array<int32_t, 3> first{};
  if (got) {
    int64_t c = grid.next_cluster++;
    for (int d = 0; d < 3; ++d) {
      int64_t extent = b.grid[d] / b.cluster[d];
      first[d] = static_cast<int32_t>(c % extent * b.cluster[d]);
      c /= extent;
    }
    // The taken cluster's CTAs will never run; the grid does not wait for them.
    grid.finished_ctas += b.cluster_size();
    grid.taken_over += b.cluster_size();
    grid.untriggered -= b.cluster_size();
  }
  machine_.ClcAnswer(state_, cta_, concrete_, got, first);
}

// What was written into the operands is the answer; the place in one that
// refuses is none (PTX 9.7.13.17, 9.7.13.18). Without memory there is no
// answer.
void EffectRunner::ClcQuery(const Effect& e) {
  if (machine_.data_ == nullptr) return;
  std::vector<int64_t>& slots = state_.strands[strand_].slots;
  auto canceled = static_cast<int>(e.value);
  if (slots[concrete_.operands[canceled].slot] != 0) return;
  state_.ctas[cta_].refused = true;
  const auto& operands = concrete_.info().operands;
  for (int i = 0; i < static_cast<int>(operands.size()); ++i) {
    bool place = i != canceled && (operands[i].types & ir::kTakesVar) != 0;
    if (place) slots[concrete_.operands[i].slot] = Strand::kNoValue;
  }
}

// --- operations in flight ---------------------------------------------------

int32_t EffectRunner::NewInFlight(State& state, int32_t strand,
                                  const CompiledOp& op,
                                  const ir::ConcreteOp& concrete,
                                  int32_t index) {
  int32_t slot;
  if (state.free_inflight.empty()) {
    slot = static_cast<int32_t>(state.inflight.size());
    state.inflight.emplace_back();
  } else {
    slot = state.free_inflight.back();
    state.free_inflight.pop_back();
  }
  Strand& s = state.strands[strand];
  // Made in place: it is large, and many are made.
  InFlight& f = state.inflight[slot];
  std::destroy_at(&f);
  new (&f) InFlight{.live = true,
                    .cta = s.cta,
                    .op = index,
                    .order = state.next_order++,
                    .group = ir::GroupOf(op.op->info->async, concrete),
                    .threads = concrete.threads,
                    .owners = {strand},
                    .varying = {}};
  for (int8_t i : op.varying) f.varying.push_back(concrete.operands[i]);
  state.ctas[s.cta].inflight.push_back(slot);
  if (f.group == ir::GroupKind::kNone) return slot;
  GroupQueue& q = s.groups[static_cast<int>(f.group)];
  // tcgen05.ld and st are groups of one, committed as they are issued.
  bool single =
      f.group == ir::GroupKind::kTmemLd || f.group == ir::GroupKind::kTmemSt;
  if (q.groups.empty() || q.groups.back().number != q.next)
    q.groups.push_back({q.next, 0, 0});
  ++q.groups.back().unread;
  ++q.groups.back().undone;
  f.number = q.next;
  if (single) ++q.next;
  return slot;
}

void EffectRunner::NewInFlights(State& state, int32_t strand,
                                const CompiledOp& op,
                                const ir::ConcreteOp& concrete, int32_t index,
                                uint32_t ranks,
                                absl::InlinedVector<int32_t, 4>& issued) {
  const Cta& cta = state.ctas[state.strands[strand].cta];
  const size_t size = state.clusters[cta.cluster].ctas.size();
  const Ranks served(ranks & ((uint32_t{1} << size) - 1));
  const size_t first = issued.size();
  for (int rank : served) {
    const int32_t f = NewInFlight(state, strand, op, concrete, index);
    state.inflight[f].destination = static_cast<int8_t>(rank);
    issued.push_back(f);
  }
  if (issued.size() == first)
    issued.push_back(NewInFlight(state, strand, op, concrete, index));
}

void EffectRunner::IssueTracks(absl::InlinedVector<int32_t, 4>& issued) {
  for (const Effect& e : effects_) {
    if (e.kind != EffectKind::kTrack) continue;
    int32_t index = static_cast<int32_t>(
        &op_ - machine_.code_of(state_.ctas[cta_]).ops.data());
    const size_t first = issued.size();
    NewInFlights(state_, strand_, op_, concrete_, index, e.ranks, issued);
    for (size_t i = first; i < issued.size(); ++i) {
      InFlight& f = state_.inflight[issued[i]];
      f.is_track = true;
      f.read = true;
      f.tracks = e.group;
    }
  }
}

BarrierUses EffectRunner::Reach(Machine& machine, State& state,
                                int32_t inflight, Milestone milestone) {
  InFlight& f = state.inflight[inflight];
  const CompiledOp& op = machine.op_of(state, f);
  const ir::ConcreteOp& concrete = machine.Restored(state, f);
  machine.sink_.Clear();
  ir::EffectsOf(concrete, machine.sink_);
  int32_t strand = f.owners.empty() ? -1 : f.owners[0];
  BarrierUses uses;
  EffectRunner run(machine, state, strand, f.cta, op, concrete,
                   machine.sink_.effects(), uses);
  if (!f.read) run.ReachOne(f, Milestone::kRead);
  f.read = true;
  if (milestone == Milestone::kDone) run.ReachOne(f, Milestone::kDone);
  return uses;
}

void EffectRunner::ReachOne(const InFlight& f, Milestone milestone) {
  if (!f.is_track && op_.moves_data == milestone)
    machine_.MoveData(state_, f, op_, concrete_);
  for (int32_t owner : f.owners) {
    if (f.group == ir::GroupKind::kNone) break;
    GroupQueue& q = state_.strands[owner].groups[static_cast<int>(f.group)];
    for (GroupQueue::Group& g : q.groups) {
      if (g.number != f.number) continue;
      --(milestone == Milestone::kRead ? g.unread : g.undone);
    }
    while (!q.groups.empty() && q.groups.front().undone == 0)
      q.groups.erase(q.groups.begin());
    machine_.Raise(Signal::Kind::kGroup, owner, static_cast<int32_t>(f.group));
  }
  for (const Effect& e : effects_) {
    if (f.is_track) {
      if (e.kind == EffectKind::kTrack)
        EachBarrier(e, f.destination, [&](Target t) { Count(e, t); });
    } else if (e.at == milestone) {
      CheckBarriers(e, f.destination);
      ApplyOne(e, f.destination);
    }
  }
}

}  // namespace tilesim::machine
