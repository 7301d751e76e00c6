#include "checkers/run/act.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"

namespace tilesim::checkers {

// What most often tells two executions of an op apart.
size_t Acts::Hash::operator()(const ir::ConcreteOp& op) const {
  size_t hash = absl::HashOf(op.op, op.threads.first_warp, op.threads.lanes);
  for (size_t i = 0; i < op.info().operands.size(); ++i) {
    const ir::OperandValue& o = op.operands[i];
    hash = absl::HashOf(hash, o.number, o.barrier.index, o.tile.index,
                        o.tile.start[0], o.tile.start[1]);
  }
  return hash;
}

// Operands that an op does not have are all the same.
bool Acts::Same::operator()(const ir::ConcreteOp& a,
                            const ir::ConcreteOp& b) const {
  return a.op == b.op && a.threads == b.threads &&
         a.cluster_rank == b.cluster_rank &&
         std::equal(a.operands.begin(),
                    a.operands.begin() + a.info().operands.size(),
                    b.operands.begin());
}

const Act* Acts::Of(const ir::ConcreteOp& op) {
  auto found = all_.find(op);
  if (found != all_.end()) return found->get();
  sink_.Clear();
  ir::EffectsOf(op, sink_);
  Act act{op, sink_.effects()};
  for (const ir::Effect& e : act.effects) act.kinds |= Act::Bit(e.kind);
  return all_.insert(std::make_unique<const Act>(std::move(act))).first->get();
}

}  // namespace tilesim::checkers
