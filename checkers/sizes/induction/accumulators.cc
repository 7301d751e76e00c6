#include "checkers/sizes/induction/accumulators.h"

#include <algorithm>

#include "checkers/proof/condition.h"

namespace tilesim::checkers::sizes::induction {
namespace {

using ir::EffectKind;

bool IsOfPool(const ir::Effect& e) {
  return e.kind == EffectKind::kTmemAlloc || e.kind == EffectKind::kTmemDealloc;
}

// Whether two declarations have columns in common. A pool that is allocated
// begins anew.
bool Overlap(const ir::BoundKernel& bound, int32_t a, int32_t b) {
  const ir::BoundDecl &x = bound.decls[a], &y = bound.decls[b];
  const auto end = [](const ir::BoundDecl& d) {
    return d.place + d.columns * d.objects;
  };
  return x.space == ir::Space::kTmem && y.space == ir::Space::kTmem &&
         x.pool == y.pool && x.place < end(y) && y.place < end(x);
}

bool SaysWhetherItAdds(const ExecutedOp& op, int operand) {
  return op.op.op->info->operands[operand].name == "accumulate";
}

}  // namespace

Accumulators::Key Accumulators::KeyOf(const ExecutedOp& op,
                                      const ir::TileValue& t) const {
  // Columns are the CTA's, whoever names them.
  const bool columns = t.space == ir::Space::kTmem;
  const ir::ThreadSet& threads = op.event.threads();
  return {op.event.cta,
          columns ? 0 : threads.first_warp,
          columns ? 0 : threads.warps,
          t.decl,
          t.start,
          t.extent};
}

// Null: it has none, or one of several of an array, which a ring may turn, or
// one that begins anew in each iteration of a loop.
const ir::TileValue* Accumulators::AccumulatorOf(const ExecutedOp& op) const {
  bool product = false;
  for (int i = 0; i < op.operands(); ++i) product |= SaysWhetherItAdds(op, i);
  if (!product) return nullptr;
  for (const ir::Effect& e : op.event.effects()) {
    const bool writes = e.kind == EffectKind::kWrite && e.operand >= 0 &&
                        op.event.concrete().is_tile(e.operand);
    if (!writes) continue;
    const ir::TileValue& t = op.event.concrete().tile(e.operand);
    const bool one = code_.bound.decls[t.decl].objects == 1 &&
                     loops_.AroundDecl(t.decl) == nullptr;
    return one ? &t : nullptr;
  }
  return nullptr;
}

// What another declaration has written over it is no sum that a product may
// add to: dataflow/clobbered.
void Accumulators::Overwrite(const ir::TileValue& by) {
  if (by.space != ir::Space::kTmem ||
      !proof::IsJudged(proof::Condition::kAccumulatorKept))
    return;
  std::erase_if(written_, [&](const Key& key) {
    const int32_t decl = std::get<3>(key);
    return decl != by.decl && Overlap(code_.bound, decl, by.decl);
  });
}

void Accumulators::Executed(const ExecutedOp& op) {
  const auto& effects = op.event.effects();
  if (std::any_of(effects.begin(), effects.end(), IsOfPool)) written_.clear();
  for (const ir::Effect& e : effects) {
    if (e.kind == EffectKind::kWrite && e.operand >= 0 &&
        op.event.concrete().is_tile(e.operand))
      Overwrite(op.event.concrete().tile(e.operand));
  }
  if (const ir::TileValue* t = AccumulatorOf(op))
    written_.insert(KeyOf(op, *t));
}

// docs/all_sizes.md 3.16.
bool Accumulators::Written(const ExecutedOp& op, int operand) const {
  if (!SaysWhetherItAdds(op, operand)) return false;
  const ir::TileValue* t = AccumulatorOf(op);
  return t != nullptr &&
         (written_.contains(KeyOf(op, *t)) ||
          !proof::IsJudged(proof::Condition::kAccumulatorWritten));
}

}  // namespace tilesim::checkers::sizes::induction
