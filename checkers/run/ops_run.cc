#include "checkers/run/ops_run.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace tilesim::checkers::run {
namespace {

bool ReturnsControl(const machine::CompiledOp& op) {
  const auto& operands = op.op->info->operands;
  return op.control &&
         std::any_of(operands.begin(), operands.end(), [](const auto& o) {
           return (o.types & ir::kTakesVar) != 0;
         });
}

}  // namespace

void OpsRun::Add(const Log& log) {
  value_decides_ |=
      std::any_of(log.code->ops.begin(), log.code->ops.end(), ReturnsControl);
  std::vector<bool> seen(log.code->ops.size());
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp || seen[e.op]) continue;
    seen[e.op] = true;
    const ir::Span& span = log.code->ops[e.op].op->span;
    executed_.emplace(span.line, span.column);
    for (const ir::Effect& f : e.effects()) {
      if (!f.Is(ir::kAccesses) || !e.concrete().is_tile(f.operand)) continue;
      const ir::TileValue& tile = e.concrete().tile(f.operand);
      if (tile.space != ir::Space::kGlobal) continue;
      Tensor& tensor = tensors_[tile.decl];
      tensor.written |= f.kind == ir::EffectKind::kWrite;
      tensor.ops.emplace(span.line, span.column);
    }
  }
}

void OpsRun::Add(const OpsRun& others) {
  for (const auto& [decl, theirs] : others.tensors_) {
    Tensor& tensor = tensors_[decl];
    tensor.written |= theirs.written;
    tensor.ops.insert(theirs.ops.begin(), theirs.ops.end());
  }
  executed_.insert(others.executed_.begin(), others.executed_.end());
  value_decides_ |= others.value_decides_;
}

std::set<OpsRun::Place> OpsRun::Beyond(const OpsRun& others) const {
  std::set<Place> out;
  for (const auto& [decl, tensor] : tensors_) {
    auto at = others.tensors_.find(decl);
    std::set<Place> theirs;
    if (at != others.tensors_.end()) theirs = at->second.ops;
    if (!tensor.written) continue;
    std::set_difference(tensor.ops.begin(), tensor.ops.end(), theirs.begin(),
                        theirs.end(), std::inserter(out, out.end()));
  }
  return out;
}

}  // namespace tilesim::checkers::run
