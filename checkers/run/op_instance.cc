#include "checkers/run/op_instance.h"

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
bool OpInstances::Same::operator()(const OpInstance* a, const Wanted& b) const {
  return a->hash == b.hash && a->compiled == &b.op &&
         a->op.threads == b.concrete.threads &&
         a->op.cluster_rank == b.concrete.cluster_rank &&
         std::all_of(b.op.varying.begin(), b.op.varying.end(), [&](int8_t i) {
           return a->op.operands[i] == b.concrete.operands[i];
         });
}

const OpInstance* OpInstances::Of(const machine::CompiledOp& op,
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
  auto* instance = new (memory.allocate_object<OpInstance>())
      OpInstance{&op, concrete, {of_act, effects.size()}};
  instance->hash = wanted.hash;
  instance->number = static_cast<int32_t>(all_.size());
  for (const ir::Effect& e : instance->effects) {
    instance->kinds |= OpInstance::Bit(e.kind);
    instance->orders |= ir::Orders(e);
    instance->may_block |= e.Is(ir::kMayBlock);
  }
  return *all_.insert(instance).first;
}

}  // namespace tilesim::checkers::run
