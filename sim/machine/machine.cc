#include "sim/machine/machine.h"

#include <algorithm>
#include <utility>

#include "ir/cat.h"
#include "sim/machine/effect_runner.h"

namespace tilesim::machine {
namespace {

constexpr int kThreadsPerWarp = 32;
constexpr int kWarpsPerWarpgroup = 4;
// Control instructions executed between two ops before a strand is taken to
// loop for ever without doing anything.
constexpr int kControlLimit = 1 << 22;
constexpr int64_t kRegistersPerCta = 65536;

template <typename T>
int32_t TakeSlot(std::vector<T>& items, std::vector<int32_t>& free) {
  if (!free.empty()) {
    int32_t i = free.back();
    free.pop_back();
    return i;
  }
  items.emplace_back();
  return static_cast<int32_t>(items.size()) - 1;
}

template <typename List>
void Remove(List& list, int32_t value) {
  auto it = std::find(list.begin(), list.end(), value);
  if (it != list.end()) list.erase(it);
}

}  // namespace

Machine::Machine(std::vector<const Code*> codes, DataPort* data)
    : codes_(std::move(codes)), data_(data) {}

State Machine::Start() const {
  State state;
  state.grids.resize(codes_.size());
  for (size_t i = 0; i < codes_.size(); ++i)
    state.grids[i].untriggered = codes_[i]->bound.ctas();
  return state;
}

absl::InlinedVector<int32_t, 8> Machine::Launch(State& state, int kernel,
                                                int64_t cluster) {
  const Code& code = *codes_[kernel];
  const ir::BoundKernel& b = code.bound;
  int32_t c = TakeSlot(state.clusters, state.free_clusters);
  state.clusters[c] = Cluster();
  state.clusters[c].live = true;
  state.clusters[c].kernel = static_cast<int16_t>(kernel);
  state.clusters[c].linear = cluster;
  std::array<int64_t, 3> grid, at;
  for (int d = 0; d < 3; ++d) grid[d] = b.grid[d] / b.cluster[d];
  at[0] = cluster % grid[0];
  at[1] = cluster / grid[0] % grid[1];
  at[2] = cluster / grid[0] / grid[1];
  absl::InlinedVector<int32_t, 8> slots;
  for (int64_t rank = 0; rank < b.cluster_size(); ++rank) {
    int32_t slot = TakeSlot(state.ctas, state.free_ctas);
    Cta& cta = state.ctas[slot];
    cta = Cta();
    cta.live = true;
    cta.rank = static_cast<uint8_t>(rank);
    cta.kernel = static_cast<int16_t>(kernel);
    cta.cluster = c;
    int64_t r = rank;
    for (int d = 0; d < 3; ++d) {
      cta.id[d] =
          static_cast<int32_t>(at[d] * b.cluster[d] + r % b.cluster[d]);
      r /= b.cluster[d];
    }
    cta.linear = cta.id[0] + b.grid[0] * (cta.id[1] + b.grid[1] * cta.id[2]);
    cta.live_threads = static_cast<int32_t>(b.block);
    cta.mbarriers.resize(b.mbarriers);
    cta.tmem.resize(b.decls.size(), TmemStatus::kNever);
    cta.registers.fill(static_cast<int16_t>(b.regs));
    cta.free_registers =
        b.regs == 0 ? static_cast<int32_t>(kRegistersPerCta) : 0;
    state.clusters[c].ctas.push_back(slot);
    slots.push_back(slot);
    ++state.grids[kernel].live_ctas;
    int32_t s = TakeSlot(state.strands, state.free_strands);
    Strand& strand = state.strands[s];
    strand = Strand();
    strand.status = Strand::Status::kRunning;
    strand.cta = slot;
    strand.threads.warps = static_cast<uint16_t>(b.block / kThreadsPerWarp);
    strand.slots = code.initial_slots;
    state.ctas[slot].strands.push_back(s);
  }
  if (data_ != nullptr) {
    for (int32_t slot : slots) data_->OnLaunch(state, slot);
  }
  return slots;
}

Who Machine::WhoIs(const State& state, const Strand& strand) const {
  const Cta& cta = state.ctas[strand.cta];
  const ir::BoundKernel& b = code_of(cta).bound;
  Who who;
  auto set = [&](ir::Builtin which, int64_t value) {
    who.builtins[static_cast<int>(which)] = value;
  };
  set(ir::Builtin::kCtaX, cta.id[0]);
  set(ir::Builtin::kCtaY, cta.id[1]);
  set(ir::Builtin::kCtaZ, cta.id[2]);
  set(ir::Builtin::kGridX, b.grid[0]);
  set(ir::Builtin::kGridY, b.grid[1]);
  set(ir::Builtin::kGridZ, b.grid[2]);
  set(ir::Builtin::kClusterRank, cta.rank);
  set(ir::Builtin::kClusterSize, b.cluster_size());
  set(ir::Builtin::kClusterIdX, cta.id[0] / b.cluster[0]);
  set(ir::Builtin::kClusterIdY, cta.id[1] / b.cluster[1]);
  set(ir::Builtin::kWarp, strand.threads.first_warp);
  set(ir::Builtin::kWarpgroup, strand.threads.first_warp / kWarpsPerWarpgroup);
  set(ir::Builtin::kSmCount, b.sm_count);
  return who;
}

StepResult Machine::Step(State& state, int32_t strand) {
  StepResult result;
  if (state.strands[strand].status == Strand::Status::kInNamed) {
    FinishNamed(state, strand, result);
    if (result.kind == StepResult::Kind::kBlocked) return result;
    if (result.merged) return result;
  }
  while (RunControl(state, strand, result)) {
    Strand& s = state.strands[strand];
    const Code& code = code_of(state.ctas[s.cta]);
    const CompiledOp& op = code.ops[code.instrs[s.pc].a];
    if (op.varies != Varies::kUniform)
      SplitForVaries(state, strand, op.varies, result);
    Execute(state, strand, op, result);
    return result;
  }
  return result;
}

// Runs control instructions up to the next op. False: the strand has ended or
// cannot go on, and `result` says so.
bool Machine::RunControl(State& state, int32_t strand, StepResult& result) {
  const Code& code = code_of(state.ctas[state.strands[strand].cta]);
  Who who = WhoIs(state, state.strands[strand]);
  for (; result.control < kControlLimit; ++result.control) {
    Strand& s = state.strands[strand];
    const Instr& i = code.instrs[s.pc];
    if (i.kind == Instr::Kind::kOp) return true;
    if (i.expr.varies != Varies::kUniform) {
      SplitForVaries(state, strand, i.expr.varies, result);
      who = WhoIs(state, state.strands[strand]);
    }
    Strand& self = state.strands[strand];
    if (i.kind == Instr::Kind::kExit) {
      Exit(state, strand, result);
      return false;
    }
    if (i.kind == Instr::Kind::kNarrow) {
      Narrow(state, strand, i, result);
      who = WhoIs(state, state.strands[strand]);
      continue;
    }
    if (i.kind == Instr::Kind::kWiden) {
      self.threads.lanes = self.frames.back().lanes;
      self.role = self.frames.back().role;
      self.frames.pop_back();
      ++self.pc;
      continue;
    }
    if (i.kind == Instr::Kind::kJump) {
      self.pc = i.b;
      continue;
    }
    std::optional<int64_t> value =
        Evaluate(code, i.expr, self.slots.data(), who);
    if (!value) {
      Report(state, self.cta, nullptr, "type/overflow",
             ir::Cat("an expression on line ", i.span.line,
                     " divides by zero or does not fit in 64 bits"),
             "");
      result.kind = StepResult::Kind::kFault;
      return false;
    }
    switch (i.kind) {
      case Instr::Kind::kSet:
        self.slots[i.a] = *value;
        ++self.pc;
        break;
      case Instr::Kind::kForTest:
        self.pc = self.slots[i.a] < *value ? self.pc + 1 : i.b;
        break;
      case Instr::Kind::kForNext:
        self.slots[i.a] += *value;
        self.pc = i.b;
        break;
      default:  // kBranch
        self.pc = *value != 0 ? self.pc + 1 : i.b;
    }
  }
  Report(state, state.strands[strand].cta, nullptr, "deadlock/loop",
         ir::Cat("role `", RoleName(state, state.strands[strand]),
                 "` loops without executing an op"),
         "");
  result.kind = StepResult::Kind::kFault;
  return false;
}

// The part of `threads` inside a scope: warps [low, high) and a lane mask.
namespace {

struct Part {
  int low, high;
  uint32_t lanes;
};

uint32_t LaneRange(int64_t low, int64_t high) {
  low = std::clamp<int64_t>(low, 0, kThreadsPerWarp);
  high = std::clamp<int64_t>(high, 0, kThreadsPerWarp);
  if (high <= low) return 0;
  uint64_t upto = (uint64_t{1} << high) - 1;
  return static_cast<uint32_t>(upto & ~((uint64_t{1} << low) - 1));
}

// False: the scope cuts through several warps differently; divide them first.
bool Intersect(ir::Scope::Kind kind, int64_t low, int64_t high, Part& part) {
  auto warps = [&](int64_t from, int64_t to) {
    part.low = static_cast<int>(std::max<int64_t>(part.low, from));
    part.high = static_cast<int>(std::min<int64_t>(part.high, to));
  };
  switch (kind) {
    case ir::Scope::Kind::kWarps:
      warps(low, high);
      return true;
    case ir::Scope::Kind::kWarpgroups:
      warps(low * kWarpsPerWarpgroup, high * kWarpsPerWarpgroup);
      return true;
    case ir::Scope::Kind::kLanes:
      part.lanes &= LaneRange(low, high);
      return true;
    case ir::Scope::Kind::kElect:
      part.lanes &= -part.lanes;
      return true;
    case ir::Scope::Kind::kThreads:
      break;
  }
  warps(low / kThreadsPerWarp,
        (high + kThreadsPerWarp - 1) / kThreadsPerWarp);
  if (part.low >= part.high) return true;
  uint32_t lanes = 0xffffffffu;
  for (int w = part.low; w < part.high; ++w) {
    uint32_t here = LaneRange(low - int64_t{w} * kThreadsPerWarp,
                              high - int64_t{w} * kThreadsPerWarp);
    if (w > part.low && here != lanes) return false;
    lanes = here;
  }
  part.lanes &= lanes;
  return true;
}

}  // namespace

void Machine::Narrow(State& state, int32_t strand, const Instr& instr,
                     StepResult& result) {
  const Code& code = code_of(state.ctas[state.strands[strand].cta]);
  Strand& s = state.strands[strand];
  Who who = WhoIs(state, s);
  Part part{s.threads.first_warp, s.threads.first_warp + s.threads.warps,
            s.threads.lanes};
  for (int k = 0; k < instr.count; ++k) {
    const CompiledScope& scope = code.scopes[instr.a + k];
    int64_t low =
        Evaluate(code, scope.low, s.slots.data(), who).value_or(0);
    int64_t high =
        Evaluate(code, scope.high, s.slots.data(), who).value_or(0);
    // `warp e` compiles high as e (+1 when constant).
    if (!scope.high.constant && high == low) high = low + 1;
    if (!Intersect(scope.kind, low, high, part)) {
      SplitForVaries(state, strand, Varies::kWarp, result);
      return;  // the same instruction again, one warp at a time
    }
  }
  if (part.low >= part.high || part.lanes == 0) {
    s.pc = instr.b;
    return;
  }
  int first = s.threads.first_warp, end = first + s.threads.warps;
  if (part.low > first)
    SplitOff(state, strand, first, part.low - first, instr.b, result);
  if (end > part.high)
    SplitOff(state, strand, part.high, end - part.high, instr.b, result);
  Strand& self = state.strands[strand];
  self.frames.push_back({self.threads.lanes, self.role});
  self.threads.lanes = part.lanes;
  if (instr.role >= 0) self.role = static_cast<int16_t>(instr.role);
  ++self.pc;
}

int32_t Machine::SplitOff(State& state, int32_t strand, int first_warp,
                          int warps, int32_t pc, StepResult& result) {
  int32_t slot = TakeSlot(state.strands, state.free_strands);
  state.strands[slot] = state.strands[strand];
  Strand& other = state.strands[slot];
  other.threads.first_warp = static_cast<uint16_t>(first_warp);
  other.threads.warps = static_cast<uint16_t>(warps);
  other.pc = pc;
  Strand& self = state.strands[strand];
  if (first_warp == self.threads.first_warp)
    self.threads.first_warp = static_cast<uint16_t>(first_warp + warps);
  self.threads.warps = static_cast<uint16_t>(self.threads.warps - warps);
  Cta& cta = state.ctas[self.cta];
  cta.strands.push_back(slot);
  // Operations in flight belong to both: each waits for its own share.
  for (int32_t f : cta.inflight) {
    auto& owners = state.inflight[f].owners;
    if (std::find(owners.begin(), owners.end(), strand) != owners.end())
      owners.push_back(slot);
  }
  result.strands.push_back(slot);
  return slot;
}

void Machine::SplitForVaries(State& state, int32_t strand, Varies varies,
                             StepResult& result) {
  int unit = varies == Varies::kWarp ? 1 : kWarpsPerWarpgroup;
  for (;;) {
    const Strand& s = state.strands[strand];
    int first = s.threads.first_warp, end = first + s.threads.warps;
    int next = (first / unit + 1) * unit;
    if (next >= end) return;
    // The strand keeps the first unit; the last one splits off.
    int last = (end - 1) / unit * unit;
    SplitOff(state, strand, last, end - last, s.pc, result);
  }
}

const CompiledOp* Machine::op_at(const State& state,
                                 const Strand& strand) const {
  const Code& code = code_of(state.ctas[strand.cta]);
  const Instr& i = code.instrs[strand.pc];
  return i.kind == Instr::Kind::kOp ? &code.ops[i.a] : nullptr;
}

namespace {

bool EvaluateTile(const Code& code, const CompiledOperand& c,
                  const int64_t* slots, const Who& who,
                  ir::OperandValue& out) {
  for (const auto& start : c.starts) {
    std::optional<int64_t> v = Evaluate(code, start.expr, slots, who);
    if (!v) return false;
    out.tile.start[start.dim] = *v;
  }
  return true;
}

// The object of an array, checked against its extents.
bool EvaluateIndex(const Code& code, const CompiledOperand& c, int32_t decl,
                   const int64_t* slots, const Who& who, int32_t& out) {
  const ir::BoundDecl& d = code.bound.decls[decl];
  int64_t flat = 0;
  for (size_t i = 0; i < c.index.size(); ++i) {
    std::optional<int64_t> v = Evaluate(code, c.index[i], slots, who);
    if (!v || *v < 0 || *v >= d.array[i]) return false;
    flat = flat * d.array[i] + *v;
  }
  out = static_cast<int32_t>(flat);
  return true;
}

bool EvaluateOperand(const Code& code, const CompiledOperand& c,
                     const int64_t* slots, const Who& who,
                     ir::OperandValue& out) {
  using Kind = ir::OperandValue::Kind;
  out = c.fixed;
  out.kind = c.kind;
  if (c.cta) {
    std::optional<int64_t> rank = Evaluate(code, *c.cta, slots, who);
    int64_t size = code.bound.cluster_size();
    if (!rank || *rank < 0 || *rank >= size) return false;
    out.tile.cta = out.barrier.cta = static_cast<int8_t>(*rank);
  }
  if (c.kind == Kind::kInt) {
    std::optional<int64_t> v = Evaluate(code, c.expr, slots, who);
    if (!v) return false;
    out.number = *v;
    out.real = static_cast<double>(*v);
  } else if (c.kind == Kind::kTile) {
    return EvaluateIndex(code, c, out.tile.decl, slots, who, out.tile.index) &&
           EvaluateTile(code, c, slots, who, out);
  } else if (c.kind == Kind::kBarrier) {
    int32_t index = 0;
    if (!EvaluateIndex(code, c, out.barrier.decl, slots, who, index))
      return false;
    out.barrier.index =
        static_cast<int32_t>(code.bound.decls[out.barrier.decl].place) + index;
  }
  return true;
}

}  // namespace

bool Machine::Concrete(const State& state, const Strand& strand,
                       const CompiledOp& op, ir::ConcreteOp& out) {
  const Cta& cta = state.ctas[strand.cta];
  const Code& code = code_of(cta);
  Who who = WhoIs(state, strand);
  out.op = op.op;
  out.threads = strand.threads;
  out.cluster_rank = cta.rank;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (EvaluateOperand(code, op.operands[i], strand.slots.data(), who,
                        out.operands[i]))
      continue;
    const ir::OperandSpec& spec = op.op->info->operands[i];
    Report(state, strand.cta, &op, "bounds/index",
           ir::Cat("operand `", spec.name, "` of ", op.op->info->mnemonic,
                   " names an object or rank that does not exist"),
           "the array has fewer elements than the index");
    return false;
  }
  return true;
}

ir::ConcreteOp Machine::ConcreteOf(const State& state,
                                   const InFlight& f) const {
  ir::ConcreteOp out;
  out.op = op_of(state, f).op;
  out.operands = f.operands;
  out.threads = f.threads;
  out.cluster_rank = state.ctas[f.cta].rank;
  return out;
}

// Executes the op the strand stands at, or says what it waits for.
bool Machine::Execute(State& state, int32_t strand, const CompiledOp& op,
                      StepResult& result) {
  ir::ConcreteOp& concrete = last_;
  if (!Concrete(state, state.strands[strand], op, concrete)) {
    result.kind = StepResult::Kind::kFault;
    return false;
  }
  result.op = static_cast<int32_t>(
      &op - code_of(state.ctas[state.strands[strand].cta]).ops.data());
  sink_.Clear();
  ir::EffectsOf(concrete, sink_);
  int32_t cta_slot = state.strands[strand].cta;
  EffectRunner run(*this, state, strand, cta_slot, op, concrete,
                   sink_.effects());
  bool gathered = run.CollectiveReady(result.signal);
  result.absorbed = run.absorbed();
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
  if (op.op->info->async != ir::AsyncUnit::kNone)
    Issue(state, strand, op, concrete, result);
  run.IssueTracks(result.issued);
  ++state.strands[strand].pc;
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
  const Cta& cta = state.ctas[state.strands[strand].cta];
  size_t size = state.clusters[cta.cluster].ctas.size();
  ranks &= (1u << size) - 1;
  if (ranks == 0) {
    result.issued.push_back(
        EffectRunner::NewInFlight(state, strand, op, concrete, result.op));
    return;
  }
  for (int rank = 0; ranks != 0; ++rank, ranks >>= 1) {
    if ((ranks & 1) == 0) continue;
    int32_t f =
        EffectRunner::NewInFlight(state, strand, op, concrete, result.op);
    state.inflight[f].destination = static_cast<int8_t>(rank);
    result.issued.push_back(f);
  }
}

bool Machine::MayFinish(const State& state, int32_t inflight) const {
  const InFlight& f = state.inflight[inflight];
  if (!f.is_track) return true;
  for (int32_t other : state.ctas[f.cta].inflight) {
    const InFlight& o = state.inflight[other];
    if (o.order >= f.order || o.is_track) continue;
    bool tracked = f.tracks == ir::GroupKind::kNone
                       ? op_of(state, o).op->info->async ==
                             ir::AsyncUnit::kTcgen05
                       : o.group == f.tracks;
    bool shared = std::any_of(
        f.owners.begin(), f.owners.end(), [&](int32_t owner) {
          return std::find(o.owners.begin(), o.owners.end(), owner) !=
                 o.owners.end();
        });
    if (tracked && shared) return false;
  }
  return true;
}

void Machine::Reach(State& state, int32_t inflight, ir::Milestone milestone) {
  if (!state.inflight[inflight].read) {
    EffectRunner::ReachOne(*this, state, inflight, ir::Milestone::kRead);
    state.inflight[inflight].read = true;
  }
  if (milestone != ir::Milestone::kDone) return;
  EffectRunner::ReachOne(*this, state, inflight, ir::Milestone::kDone);
  InFlight& f = state.inflight[inflight];
  f.live = false;
  int32_t cta = f.cta;
  Remove(state.ctas[cta].inflight, inflight);
  state.free_inflight.push_back(inflight);
  if (state.ctas[cta].exited) RetireCta(state, cta);
}

void Machine::Exit(State& state, int32_t strand, StepResult& result) {
  Strand& s = state.strands[strand];
  int32_t cta_slot = s.cta;
  Cta& cta = state.ctas[cta_slot];
  cta.live_threads -= s.threads.warps * kThreadsPerWarp;
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

void Machine::FinishNamed(State& state, int32_t strand, StepResult& result) {
  Strand& s = state.strands[strand];
  const NamedBarrier& b = state.ctas[s.cta].named[s.waiting];
  if (b.generation == s.generation) {
    result.kind = StepResult::Kind::kBlocked;
    result.signal = {Signal::Kind::kNamed, s.cta, s.waiting};
    return;
  }
  s.status = Strand::Status::kRunning;
  if (TryMerge(state, strand)) result.merged = true;
}

void Machine::Absorb(State& state, int32_t strand, int32_t other) {
  Strand& s = state.strands[strand];
  Strand& o = state.strands[other];
  s.threads.first_warp = std::min(s.threads.first_warp, o.threads.first_warp);
  s.threads.warps = static_cast<uint16_t>(s.threads.warps + o.threads.warps);
  Cta& cta = state.ctas[s.cta];
  for (int32_t f : cta.inflight) {
    auto& owners = state.inflight[f].owners;
    auto it = std::find(owners.begin(), owners.end(), other);
    if (it == owners.end()) continue;
    owners.erase(it);
    if (std::find(owners.begin(), owners.end(), strand) == owners.end())
      owners.push_back(strand);
  }
  Remove(cta.strands, other);
  o = Strand();
  state.free_strands.push_back(other);
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
  if (data_ != nullptr)
    data_->ClcResponse(state, cta, concrete, canceled, first_cta);
}

// After a barrier, neighbouring strands that stand at the same place with the
// same scalars are one again. Returns true when `strand` has ceased to exist.
bool Machine::TryMerge(State& state, int32_t strand) {
  Strand& s = state.strands[strand];
  const Code& code = code_of(state.ctas[s.cta]);
  const std::vector<int16_t>& live = code.live[s.pc];
  for (int32_t other : state.ctas[s.cta].strands) {
    Strand& o = state.strands[other];
    if (other == strand || o.pc != s.pc || o.role != s.role) continue;
    if (o.status != Strand::Status::kInNamed || o.waiting != s.waiting)
      continue;
    bool after = o.threads.first_warp + o.threads.warps == s.threads.first_warp;
    bool before =
        s.threads.first_warp + s.threads.warps == o.threads.first_warp;
    if (!after && !before) continue;
    bool same = o.threads.lanes == s.threads.lanes && o.frames == s.frames &&
                o.generation == s.generation && o.groups == s.groups &&
                o.cluster_phase == s.cluster_phase &&
                o.cluster_arrived == s.cluster_arrived;
    for (int16_t slot : live) same &= o.slots[slot] == s.slots[slot];
    bool busy = std::any_of(o.groups.begin(), o.groups.end(),
                            [](const GroupQueue& q) {
                              return !q.groups.empty();
                            });
    if (!same || busy) continue;
    Absorb(state, other, strand);
    return true;
  }
  return false;
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
  ir::ConcreteOp concrete;
  if (op == nullptr || !Concrete(state, s, *op, concrete)) return false;
  sink_.Clear();
  ir::EffectsOf(concrete, sink_);
  EffectRunner run(*this, state, strand, s.cta, *op, concrete,
                   sink_.effects());
  return !run.CollectiveReady(signal) || !run.Ready(signal);
}

std::string Machine::BarrierName(const Cta& cta, int32_t index) const {
  const ir::BoundKernel& b = code_of(cta).bound;
  for (size_t i = 0; i < b.decls.size(); ++i) {
    const ir::BoundDecl& d = b.decls[i];
    if (d.space != ir::Space::kMbarrier) continue;
    int64_t at = index - d.place;
    if (at < 0 || at >= d.objects) continue;
    const std::string& name = b.kernel->decls[i].name;
    if (d.array_rank == 0) return name;
    std::string subs;
    for (int k = d.array_rank - 1; k >= 0; --k) {
      subs = ir::Cat("[", at % d.array[k], "]", subs);
      at /= d.array[k];
    }
    return name + subs;
  }
  return ir::Cat("mbarrier ", index);
}

std::string Machine::CtaName(const Cta& cta) {
  return ir::Cat("CTA (", cta.id[0], ", ", cta.id[1], ", ", cta.id[2], ")");
}

std::string Machine::RoleName(const State& state, const Strand& strand) const {
  const auto& roles = code_of(state.ctas[strand.cta]).kernel().roles;
  if (strand.role >= 0) return roles[strand.role];
  int first = strand.threads.first_warp;
  int last = first + strand.threads.warps - 1;
  return first == last ? ir::Cat("warp ", first)
                       : ir::Cat("warps ", first, " to ", last);
}

void Machine::Report(const State& state, int32_t cta, const CompiledOp* op,
                     std::string_view code, std::string message,
                     std::string help) {
  const Cta& c = state.ctas[cta];
  int32_t op_index =
      op == nullptr ? -1
                    : static_cast<int32_t>(op - code_of(c).ops.data());
  for (Finding& f : findings_) {
    if (f.diagnostic.code == code && f.op == op_index && f.kernel == c.kernel) {
      ++f.times;
      return;
    }
  }
  Finding& f = findings_.emplace_back();
  f.diagnostic.code = std::string(code);
  f.diagnostic.message = ir::Cat(message, " (", CtaName(c), ")");
  if (op != nullptr) f.diagnostic.span = op->op->span;
  f.diagnostic.help = std::move(help);
  f.kernel = c.kernel;
  f.cta = static_cast<int32_t>(c.linear);
  f.op = op_index;
}

}  // namespace tilesim::machine
