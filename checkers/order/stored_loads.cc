#include "checkers/order/stored_loads.h"

#include "sim/machine/guide.h"

namespace tilesim::checkers::order {

StoredLoads::StoredLoads(const run::Log& log)
    : log_(&log),
      guide_(dynamic_cast<const machine::StoredLoads*>(log.code->guide.get())) {
}

void StoredLoads::Add(const run::Event& e, Mark mark) {
  if (guide_ == nullptr || e.op < 0) return;
  const machine::CompiledOp& op = log_->code->ops[e.op];
  for (int32_t id : e.issued) {
    if (log_->operations[id].unit == ir::AsyncUnit::kTmemLd)
      last_[{mark.agent, e.op}] = {id, guide_->ReadOf(op)};
  }
  for (const machine::StoredLoads::Part& part : guide_->StoredOf(op)) {
    auto load = last_.find({mark.agent, part.load});
    if (load == last_.end() || load->second.to_come.none()) continue;
    load->second.to_come &= ~part.registers;
    if (load->second.to_come.none())
      stored_[load->second.operation].push_back(mark);
  }
}

std::span<const Mark> StoredLoads::Of(int32_t operation) const {
  auto found = stored_.find(operation);
  return found == stored_.end() ? std::span<const Mark>() : found->second;
}

}  // namespace tilesim::checkers::order
