#include "sim/machine/machine.h"

#include <algorithm>
#include <utility>

#include "ir/cat.h"
#include "sim/machine/effect_runner.h"
#include "sim/machine/place.h"
#include "sim/machine/slots.h"
#include "sim/machine/tile_guide.h"

namespace tilesim::machine {
namespace {

bool Contributes(const BarrierUses& uses) {
  return std::any_of(uses.begin(), uses.end(), [](const BarrierUse& use) {
    return use.Is(ir::kContributes);
  });
}

}  // namespace

Machine::Machine(std::vector<const Code*> codes, DataPort* data,
                 Grouping grouping)
    : codes_(std::move(codes)), data_(data), grouping_(grouping) {
  for (const Code* code : codes_) {
    if (code->guide == nullptr)
      own_guides_.push_back(std::make_unique<TileGuide>(*code));
    guides_.push_back(code->guide ? code->guide.get()
                                  : own_guides_.back().get());
    std::vector<ir::ConcreteOp>& ops = executed_.emplace_back();
    for (const CompiledOp& op : code->ops) ops.push_back(op.fixed);
  }
}

State Machine::Start() const {
  State state;
  state.grids.resize(codes_.size());
  for (size_t i = 0; i < codes_.size(); ++i)
    state.grids[i].untriggered = codes_[i]->bound.ctas();
  return state;
}

absl::InlinedVector<int32_t, 8> Machine::Launch(State& state, int kernel,
                                                int64_t cluster) {
  const ir::BoundKernel& b = codes_[kernel]->bound;
  int32_t c = TakeSlot(state.clusters, state.free_clusters);
  state.clusters[c] = Cluster();
  state.clusters[c].live = true;
  state.clusters[c].kernel = static_cast<int16_t>(kernel);
  state.clusters[c].linear = cluster;
  absl::InlinedVector<int32_t, 8> slots;
  for (int64_t rank = 0; rank < b.cluster_size(); ++rank) {
    slots.push_back(LaunchCta(state, c, static_cast<int>(rank)));
    state.clusters[c].ctas.push_back(slots.back());
  }
  state.grids[kernel].live_ctas += b.cluster_size();
  if (data_ != nullptr) {
    for (int32_t slot : slots) data_->OnLaunch(state, slot);
  }
  return slots;
}

int32_t Machine::LaunchCta(State& state, int32_t cluster, int rank) {
  const Cluster& home = state.clusters[cluster];
  const Code& code = *codes_[home.kernel];
  const ir::BoundKernel& b = code.bound;
  int32_t slot = TakeSlot(state.ctas, state.free_ctas);
  Cta& cta = state.ctas[slot];
  cta = Cta();
  cta.live = true;
  cta.kernel = home.kernel;
  cta.cluster = cluster;
  Place(b, home.linear, rank, cta);
  cta.live_threads = static_cast<int32_t>(b.block);
  cta.mbarriers.resize(b.mbarriers);
  cta.tmem.resize(b.decls.size(), TmemStatus::kNever);
  cta.registers.fill(static_cast<int16_t>(b.regs));
  int32_t s = TakeSlot(state.strands, state.free_strands);
  Strand& strand = state.strands[s];
  strand = Strand();
  strand.status = Strand::Status::kRunning;
  strand.cta = slot;
  strand.threads.warps = static_cast<uint16_t>(b.block / ir::kWarpThreads);
  strand.slots = code.initial_slots;
  cta.strands.push_back(s);
  return slot;
}

StepResult Machine::Settle(State& state, int32_t strand) {
  StepResult result;
  if (state.strands[strand].status == Strand::Status::kInNamed) {
    FinishNamed(state, strand, result);
    if (result.kind == StepResult::Kind::kBlocked || result.merged)
      return result;
  }
  if (grouping_ == Grouping::kWarps)
    SplitForVaries(state, strand, Varies::kWarp, result);
  const Cta& cta = state.ctas[state.strands[strand].cta];
  guide_of(cta).Advance(*this, state, strand, result);
  return result;
}

void Machine::SettleAll(State& state) {
  auto there = [&](const Strand& s) {
    return s.status == Strand::Status::kFree ||
           (s.status == Strand::Status::kRunning &&
            op_at(state, s) != nullptr &&
            (s.threads.warps == 1 || grouping_ == Grouping::kTogether));
  };
  // By index: strands may divide. Again where one has, into a slot that was
  // passed, or has ended: others may have waited for nobody else in a barrier.
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < state.strands.size(); ++i) {
      if (there(state.strands[i])) continue;
      StepResult r = Settle(state, static_cast<int32_t>(i));
      again |= r.kind == StepResult::Kind::kExited || !r.strands.empty();
    }
  }
}

StepResult Machine::Step(State& state, int32_t strand) {
  StepResult result = Settle(state, strand);
  if (result.kind != StepResult::Kind::kExecuted || result.merged)
    return result;
  const Strand& s = state.strands[strand];
  const Code& code = code_of(state.ctas[s.cta]);
  const CompiledOp& op = code.ops[code.instrs[s.pc].a];
  Varies varies = op.varies;
  if (op.op->info->scope == ir::ExecScope::kWarpgroup)
    varies = std::max(varies, Varies::kWarpgroup);
  if (varies != Varies::kUniform) SplitForVaries(state, strand, varies, result);
  Execute(state, strand, op, result);
  return result;
}

const CompiledOp* Machine::op_at(const State& state,
                                 const Strand& strand) const {
  const Code& code = code_of(state.ctas[strand.cta]);
  const Instr& i = code.instrs[strand.pc];
  bool there = i.kind == Instr::Kind::kOp && (!code.guarded || strand.ready);
  return there ? &code.ops[i.a] : nullptr;
}

// Executes the op the strand stands at, or says what it waits for.
bool Machine::Execute(State& state, int32_t strand, const CompiledOp& op,
                      StepResult& result) {
  ir::ConcreteOp* evaluated = Evaluated(state, state.strands[strand], op);
  if (evaluated == nullptr) {
    result.kind = StepResult::Kind::kFault;
    return false;
  }
  ir::ConcreteOp& concrete = *evaluated;
  last_ = evaluated;
  result.op = static_cast<int32_t>(
      &op - code_of(state.ctas[state.strands[strand].cta]).ops.data());
  sink_.Clear();
  ir::EffectsOf(concrete, sink_);
  int32_t cta_slot = state.strands[strand].cta;
  EffectRunner run(*this, state, strand, cta_slot, op, concrete,
                   sink_.effects(), result.uses);
  bool gathered = run.CollectiveReady(result.signal);
  if (!run.absorbed().empty()) result.absorbed = run.absorbed();
  if (gathered) concrete.threads = state.strands[strand].threads;
  if (!gathered || !run.Ready(result.signal)) {
    result.kind = StepResult::Kind::kBlocked;
    return false;
  }
  if (data_ != nullptr && op.moves_data == ir::Milestone::kIssue) {
    data_->Move(state, state.ctas[cta_slot], cta_slot, op, concrete, -1,
                state.strands[strand].slots.data());
  }
  bool stays = run.Apply();
  if (run.faulted()) {
    result.kind = StepResult::Kind::kFault;
    return false;
  }
  result.round = run.round();
  if (op.op->info->async != ir::AsyncUnit::kNone)
    Issue(state, strand, op, concrete, result);
  run.IssueTracks(result.issued);
  const Code& code = code_of(state.ctas[cta_slot]);
  if (code.guarded)
    guide_of(state.ctas[cta_slot]).Executed(state, strand, concrete, data_);
  ++state.strands[strand].pc;
  state.strands[strand].ready = false;
  result.parts_left =
      code.guarded && Contributes(result.uses) &&
      guide_of(state.ctas[cta_slot]).PartsLeft(state.strands[strand]);
  if (stays) {
    // Entered a named barrier and not yet out: the next Step waits.
    state.strands[strand].status = Strand::Status::kInNamed;
  }
  result.kind = StepResult::Kind::kExecuted;
  return true;
}

void Machine::Issue(State& state, int32_t strand, const CompiledOp& op,
                    const ir::ConcreteOp& concrete, StepResult& result) {
  uint32_t ranks = 0;
  for (const ir::Effect& e : sink_.effects()) {
    if (e.at == ir::Milestone::kDone && e.kind == ir::EffectKind::kCompleteTx)
      ranks |= e.ranks;
  }
  EffectRunner::NewInFlights(state, strand, op, concrete, result.op, ranks,
                             result.issued);
}

bool Machine::Follows(const State& state, const InFlight& track,
                      const InFlight& earlier) const {
  if (earlier.order >= track.order || earlier.is_track) return false;
  bool tracked =
      track.tracks == ir::GroupKind::kNone
          ? op_of(state, earlier).op->info->async == ir::AsyncUnit::kTcgen05
          : earlier.group == track.tracks;
  return tracked &&
         std::any_of(
             track.owners.begin(), track.owners.end(), [&](int32_t owner) {
               return std::find(earlier.owners.begin(), earlier.owners.end(),
                                owner) != earlier.owners.end();
             });
}

bool Machine::MayFinish(const State& state, int32_t inflight) const {
  const InFlight& f = state.inflight[inflight];
  if (!f.is_track) return true;
  const auto& all = state.ctas[f.cta].inflight;
  return std::none_of(all.begin(), all.end(), [&](int32_t other) {
    return Follows(state, f, state.inflight[other]);
  });
}

BarrierUses Machine::Reach(State& state, int32_t inflight,
                           ir::Milestone milestone) {
  BarrierUses uses = EffectRunner::Reach(*this, state, inflight, milestone);
  if (milestone != ir::Milestone::kDone) return uses;
  InFlight& f = state.inflight[inflight];
  f.live = false;
  int32_t cta = f.cta;
  Remove(state.ctas[cta].inflight, inflight);
  state.free_inflight.push_back(inflight);
  if (state.ctas[cta].exited) RetireCta(state, cta);
  return uses;
}

void Machine::Exit(State& state, int32_t strand, StepResult& result) {
  Strand& s = state.strands[strand];
  int32_t cta_slot = s.cta;
  Cta& cta = state.ctas[cta_slot];
  cta.live_threads -= s.threads.warps * ir::kWarpThreads;
  LeaveRounds(state, s);
  Remove(cta.strands, strand);
  for (int32_t f : cta.inflight) Remove(state.inflight[f].owners, strand);
  s = Strand();
  state.free_strands.push_back(strand);
  result.kind = StepResult::Kind::kExited;
  if (cta.live_threads > 0) return;
  EffectRunner::CheckCtaExit(*this, state, cta_slot);
  cta.exited = true;
  Grid& grid = state.grids[cta.kernel];
  --grid.live_ctas;
  ++grid.finished_ctas;
  if (!cta.triggered) --grid.untriggered;
  if (data_ != nullptr) data_->OnExit(state, cta_slot);
  Raise(Signal::Kind::kExit, cta_slot);
  Raise(Signal::Kind::kGrid, cta.kernel);
  RetireCta(state, cta_slot);
}

// Frees the slots of a cluster whose CTAs have all ended and have nothing in
// flight; until then peers may still ask who they are.
void Machine::RetireCta(State& state, int32_t slot) {
  int32_t c = state.ctas[slot].cluster;
  Cluster& cluster = state.clusters[c];
  for (int32_t peer : cluster.ctas) {
    const Cta& cta = state.ctas[peer];
    if (!cta.exited || !cta.inflight.empty()) return;
  }
  for (int32_t peer : cluster.ctas) {
    state.ctas[peer].live = false;
    state.free_ctas.push_back(peer);
  }
  cluster.live = false;
  state.free_clusters.push_back(c);
}

void Machine::MoveData(State& state, const InFlight& f, const CompiledOp& op,
                       const ir::ConcreteOp& concrete) {
  if (data_ == nullptr) return;
  data_->Move(state, state.ctas[f.cta], f.cta, op, concrete, f.destination,
              nullptr);
}

void Machine::ClcAnswer(State& state, int32_t cta,
                        const ir::ConcreteOp& concrete, bool canceled,
                        const std::array<int32_t, 3>& first_cta) {
  if (code_of(state.ctas[cta]).guarded)
    return guide_of(state.ctas[cta])
        .Answered(state, cta, concrete, canceled, first_cta);
  if (data_ != nullptr)
    data_->ClcResponse(state, cta, concrete, canceled, first_cta);
}

void Machine::TakeSignals(std::vector<Signal>& out) {
  out.insert(out.end(), signals_.begin(), signals_.end());
  signals_.clear();
}

bool Machine::BlockedOn(State& state, int32_t strand, Signal& signal) {
  const Strand& s = state.strands[strand];
  if (s.status == Strand::Status::kInNamed) {
    signal = {Signal::Kind::kNamed, s.cta, s.waiting};
    return state.ctas[s.cta].named[s.waiting].generation == s.generation;
  }
  const CompiledOp* op = op_at(state, s);
  ir::ConcreteOp* concrete = op == nullptr ? nullptr : Evaluated(state, s, *op);
  if (concrete == nullptr) return false;
  sink_.Clear();
  ir::EffectsOf(*concrete, sink_);
  BarrierUses none;  // it does nothing
  EffectRunner run(*this, state, strand, s.cta, *op, *concrete, sink_.effects(),
                   none);
  if (!run.CollectiveReady(signal)) return true;
  concrete->threads = state.strands[strand].threads;  // others may have joined
  return !run.Ready(signal);
}

BarrierUses Machine::Awaits(State& state, int32_t strand) {
  const Strand& s = state.strands[strand];
  const CompiledOp* op = op_at(state, s);
  ir::ConcreteOp* concrete = op == nullptr ? nullptr : Evaluated(state, s, *op);
  BarrierUses uses;
  if (concrete == nullptr) return uses;
  sink_.Clear();
  ir::EffectsOf(*concrete, sink_);
  EffectRunner(*this, state, strand, s.cta, *op, *concrete, sink_.effects(),
               uses)
      .AddAwaited();
  return uses;
}

}  // namespace tilesim::machine
