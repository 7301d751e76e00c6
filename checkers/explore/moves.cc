// What may happen next at a state, and what of it nobody else can notice.
#include <algorithm>
#include <array>

#include "checkers/explore/search_state.h"

namespace tilesim::checkers::explore {
using run::Move;

namespace {

using ir::EffectKind;
using ir::Milestone;
using machine::Strand;

bool WaitsForGroup(const std::vector<ir::Effect>& effects,
                   ir::GroupKind group) {
  return std::any_of(effects.begin(), effects.end(), [=](const ir::Effect& e) {
    return e.kind == EffectKind::kWaitGroup && e.group == group;
  });
}

// An access to bytes that are a barrier's for a time: others notice it when
// they initialise the barrier before it, or after.
bool NearBarriers(const machine::Code& code, const ir::ConcreteOp& op,
                  const ir::Effect& e) {
  return e.Is(ir::kAccesses) && op.is_tile(e.operand) &&
         code.bound.decls[op.tile(e.operand).decl].over_barrier;
}

}  // namespace

std::vector<bool> Explorer::FindVisible(const machine::Code& code) {
  std::vector<bool> out;
  for (const machine::CompiledOp& op : code.ops) {
    ir::EffectSink sink;
    const ir::ConcreteOp fixed = machine::FixedOperands(op);
    ir::EffectsOf(fixed, sink);
    out.push_back(op.control ||
                  std::any_of(sink.effects().begin(), sink.effects().end(),
                              [&](const ir::Effect& e) {
                                return e.at == Milestone::kIssue &&
                                       (e.Is(ir::kNoticed) ||
                                        NearBarriers(code, fixed, e));
                              }));
  }
  return out;
}

// The program waits for sources of this group only, or its control depends on
// when they are read.
std::vector<bool> Explorer::FindReadMatters(const machine::Code& code) {
  std::array<bool, ir::kGroupKinds> waited{};
  for (const machine::CompiledOp& op : code.ops) {
    ir::EffectSink sink;
    ir::EffectsOf(machine::FixedOperands(op), sink);
    for (const ir::Effect& e : sink.effects()) {
      if (e.kind == EffectKind::kWaitGroup && e.reads_only)
        waited[static_cast<size_t>(e.group)] = true;
    }
  }
  std::vector<bool> out;
  for (const machine::CompiledOp& op : code.ops) {
    ir::ConcreteOp fixed = machine::FixedOperands(op);
    ir::EffectSink sink;
    ir::EffectsOf(fixed, sink);
    ir::GroupKind group = ir::GroupOf(op.op->info->async, fixed);
    out.push_back(op.control || waited[static_cast<size_t>(group)] ||
                  std::any_of(sink.effects().begin(), sink.effects().end(),
                              [&](const ir::Effect& e) {
                                return e.at == Milestone::kRead &&
                                       (e.Is(ir::kNoticed) ||
                                        NearBarriers(code, fixed, e));
                              }));
  }
  return out;
}

bool Explorer::MayStep(SearchState& p, int32_t strand) {
  const Strand& s = p.state.strands[strand];
  machine::Signal signal;
  return s.status == Strand::Status::kRunning &&
         machine_.op_at(p.state, s) != nullptr &&
         !machine_.BlockedOn(p.state, strand, signal);
}

Move Explorer::StepOf(const SearchState& p, int32_t strand) const {
  const Strand& s = p.state.strands[strand];
  return {static_cast<int16_t>(s.cta),
          static_cast<int16_t>(s.threads.first_warp)};
}

Move Explorer::MilestoneOf(const SearchState& p, int32_t slot) const {
  const Issuer& i = p.issuers[slot];
  const machine::InFlight& f = p.state.inflight[slot];
  bool read = f.read || !read_matters_[f.op];
  return {i.cta, i.warp, i.nth, read ? Milestone::kDone : Milestone::kRead};
}

std::vector<Move> Explorer::Moves(SearchState& p) {
  std::vector<Move> out;
  // By index: asking about a warpgroup's op may make one strand of four.
  for (size_t i = 0; i < p.state.strands.size(); ++i) {
    auto strand = static_cast<int32_t>(i);
    if (MayStep(p, strand)) out.push_back(StepOf(p, strand));
  }
  for (size_t i = 0; i < p.state.inflight.size(); ++i) {
    auto slot = static_cast<int32_t>(i);
    if (p.state.inflight[i].live && machine_.MayFinish(p.state, slot))
      out.push_back(MilestoneOf(p, slot));
  }
  std::sort(out.begin(), out.end(), [](const Move& a, const Move& b) {
    return std::make_pair(a.operation >= 0, a) <
           std::make_pair(b.operation >= 0, b);
  });
  return out;
}

bool Explorer::InvisibleMove(SearchState& p, Move& out) {
  for (size_t i = 0; i < p.state.strands.size(); ++i) {
    auto strand = static_cast<int32_t>(i);
    const Strand& s = p.state.strands[i];
    const machine::CompiledOp* op = s.status == Strand::Status::kRunning
                                        ? machine_.op_at(p.state, s)
                                        : nullptr;
    if (op == nullptr || visible_[op - code_.ops.data()]) continue;
    if (!MayStep(p, strand)) continue;
    out = StepOf(p, strand);
    return true;
  }
  for (size_t i = 0; i < p.state.inflight.size(); ++i) {
    auto slot = static_cast<int32_t>(i);
    if (!p.state.inflight[i].live || !OnlyForItsWaiters(p, slot)) continue;
    out = MilestoneOf(p, slot);
    return true;
  }
  return false;
}

// A milestone that only moves a group on, of warps that all stand waiting for
// that group: nothing they could do comes before it.
bool Explorer::OnlyForItsWaiters(const SearchState& p, int32_t slot) {
  const machine::InFlight& f = p.state.inflight[slot];
  if (f.is_track || f.group == ir::GroupKind::kNone || f.owners.empty())
    return false;
  const machine::CompiledOp& op = machine_.op_of(p.state, f);
  if (op.control) return false;
  Milestone next = f.read ? Milestone::kDone : Milestone::kRead;
  sink_.Clear();
  const ir::ConcreteOp fixed = machine::FixedOperands(op);
  const machine::Code& code = machine_.code_of(p.state.ctas[f.cta]);
  ir::EffectsOf(fixed, sink_);
  for (const ir::Effect& e : sink_.effects()) {
    if (e.at == next && (e.Is(ir::kNoticed) || NearBarriers(code, fixed, e)))
      return false;
  }
  return std::all_of(f.owners.begin(), f.owners.end(), [&](int32_t owner) {
    const Strand& s = p.state.strands[owner];
    const machine::CompiledOp* at = s.status == Strand::Status::kRunning
                                        ? machine_.op_at(p.state, s)
                                        : nullptr;
    if (at == nullptr) return false;
    sink_.Clear();
    ir::EffectsOf(machine::FixedOperands(*at), sink_);
    return WaitsForGroup(sink_.effects(), f.group);
  });
}

}  // namespace tilesim::checkers::explore
