#include "checkers/run/act.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "absl/hash/hash.h"

namespace tilesim::checkers::run {
namespace {

// What most often tells two executions of an op apart.
size_t HashOf(const machine::CompiledOp& op, const ir::ConcreteOp& concrete) {
  size_t hash =
      absl::HashOf(&op, concrete.threads.first_warp, concrete.threads.lanes);
  for (int8_t i : op.varying) {
    const ir::OperandValue& o = concrete.operands[i];
    hash = absl::HashOf(hash, o.number, o.barrier.index, o.tile.index,
                        o.tile.start[0], o.tile.start[1]);
  }
  return hash;
}

}  // namespace

// What does not vary is the same in all executions of an op.
bool Acts::Same::operator()(const Act* a, const Wanted& b) const {
  return a->hash == b.hash && a->compiled == &b.op &&
         a->op.threads == b.concrete.threads &&
         a->op.cluster_rank == b.concrete.cluster_rank &&
         std::all_of(b.op.varying.begin(), b.op.varying.end(), [&](int8_t i) {
           return a->op.operands[i] == b.concrete.operands[i];
         });
}

const Act* Acts::Of(const machine::CompiledOp& op,
                    const ir::ConcreteOp& concrete) {
  Wanted wanted{op, concrete, HashOf(op, concrete)};
  auto found = all_.find(wanted);
  if (found != all_.end()) return *found;
  sink_.Clear();
  ir::EffectsOf(concrete, sink_);
  std::pmr::polymorphic_allocator<> memory(memory_.get());
  const std::vector<ir::Effect>& effects = sink_.effects();
  auto* of_act = memory.allocate_object<ir::Effect>(effects.size());
  std::uninitialized_copy(effects.begin(), effects.end(), of_act);
  auto* act = new (memory.allocate_object<Act>())
      Act{&op, concrete, {of_act, effects.size()}};
  act->hash = wanted.hash;
  act->number = static_cast<int32_t>(all_.size());
  for (const ir::Effect& e : act->effects) {
    act->kinds |= Act::Bit(e.kind);
    act->orders |= ir::Orders(e);
    act->may_block |= e.Is(ir::kMayBlock);
  }
  return *all_.insert(act).first;
}

}  // namespace tilesim::checkers::run
