#include "checkers/grid/one_store.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>

#include "checkers/grid/renaming.h"
#include "checkers/proof/condition.h"
#include "ir/effect.h"
#include "ir/values/dtype.h"

namespace tilesim::checkers::grid {
using ir::Effect;
using ir::EffectKind;
using machine::CompiledOp;
using solver::All;
using solver::Any;
using solver::Eq;
using solver::Ge;
using solver::Le;
using solver::Lt;

namespace {

constexpr int kWordBits = 32;
constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

std::vector<Effect> EffectsOf(const CompiledOp& op) {
  ir::EffectSink sink;
  ir::EffectsOf(machine::FixedOperands(op), sink);
  return {sink.effects().begin(), sink.effects().end()};
}

bool IsTile(const CompiledOp& op, int operand) {
  return operand >= 0 &&
         op.operands[operand].kind == ir::OperandValue::Kind::kTile;
}

int32_t DeclOf(const CompiledOp& op, int operand) {
  return op.operands[operand].fixed.tile.decl;
}

// One word of the CTA's own, and nothing else.
const Effect* OnlyAccess(const CompiledOp& op, const std::vector<Effect>& all,
                         EffectKind kind) {
  if (all.size() != 1 || all[0].kind != kind || !IsTile(op, all[0].operand) ||
      op.operands[all[0].operand].cta ||
      !op.op->info->operands[all[0].operand].element ||
      op.op->info->async != ir::AsyncUnit::kNone)
    return nullptr;
  return &all[0];
}

// Whether its words are whole numbers of a size, in memory of their own at
// every size.
bool IsOfWords(const machine::Code& code, int32_t decl) {
  const ir::BoundDecl& d = code.bound.decls[decl];
  const auto& decls = code.kernel().decls;
  return d.space == ir::Space::kShared && !values::IsFloat(d.dtype) &&
         values::BitsOf(d.dtype) >= kWordBits && !d.over_barrier &&
         std::none_of(decls.begin(), decls.end(), [&](const ir::Decl& o) {
           return (o.space == ir::Space::kShared && o.at) ||
                  o.slot == decls[decl].name;
         });
}

// Whether nothing is known of it.
bool IsAnything(const Linear& value, const Terms& terms) {
  if (value.terms().size() != 1) return false;
  const Term& t = terms[value.terms().begin()->first];
  return t.name.empty() && !t.of_launch && !t.with && !t.quotient &&
         t.products.empty() && t.arguments.empty() && t.definition.is_true();
}

}  // namespace

OneStore::OneStore(const machine::Code& code) : code_(code) {
  std::set<int32_t> others;
  for (const CompiledOp& op : code.ops) {
    const std::vector<Effect> all = EffectsOf(op);
    for (const Effect& e : all) {
      if (e.kind != EffectKind::kWrite || !IsTile(op, e.operand)) continue;
      const int32_t decl = DeclOf(op, e.operand);
      const bool alone = OnlyAccess(op, all, EffectKind::kWrite) != nullptr &&
                         IsOfWords(code, decl);
      if (!alone || !stores_.emplace(decl, &op).second) others.insert(decl);
    }
  }
  if (!proof::IsJudged(proof::Condition::kOneStore)) return;
  for (int32_t decl : others) stores_.erase(decl);
}

std::optional<int32_t> OneStore::LoadedBy(const CompiledOp& op) const {
  const std::vector<Effect> all = EffectsOf(op);
  const Effect* read = OnlyAccess(op, all, EffectKind::kRead);
  if (read == nullptr || !stores_.contains(DeclOf(op, read->operand)))
    return std::nullopt;
  return DeclOf(op, read->operand);
}

std::optional<int> OneStore::StoredBy(const CompiledOp& op) const {
  const bool stores =
      std::any_of(stores_.begin(), stores_.end(),
                  [&](const auto& store) { return store.second == &op; });
  if (!stores) return std::nullopt;
  std::optional<int> out;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (op.op->operands[i].kind != ir::Operand::Kind::kExpr) continue;
    if (out) return std::nullopt;
    out = static_cast<int>(i);
  }
  return out;
}

void OneStore::Stored(const CompiledOp& op, const Linear& value) {
  for (const auto& [decl, store] : stores_) {
    if (store == &op) stored_[decl] = {decl, value};
  }
}

// Whatever the sizes are.
bool OneStore::Fits(int32_t decl, const Linear& value,
                    const Terms& terms) const {
  if (values::BitsOf(code_.bound.decls[decl].dtype) > kWordBits) return true;
  const auto low = terms.Low(value), high = terms.High(value);
  return low && *low >= 0 && high && *high <= kMost;
}

// docs/all_sizes.md 5.8. The execution is another one for each load, and may be
// another warp's: only the CTA is the same.
bool OneStore::Define(absl::FunctionRef<bool(const Linear&)> used,
                      Accesses& accesses) const {
  Terms& terms = accesses.terms;
  std::set<Var> of_cta;
  for (const auto* places : {&accesses.cta, &accesses.cluster}) {
    for (const Linear& at : *places) {
      for (const auto& [v, coefficient] : at.terms()) of_cta.insert(v);
    }
  }
  const bool other = proof::IsJudged(proof::Condition::kOtherExecution);
  bool small = false;
  for (const Word& load : loads_) {
    auto store = stored_.find(load.decl);
    if (store == stored_.end() || !used(load.value) ||
        IsAnything(store->second.value, terms))
      continue;
    Renaming renaming(accesses,
                      [&](Var v) { return !other || of_cta.contains(v); });
    const Linear value = renaming.Of(store->second.value);
    renaming.HandOut();
    const Formula same = Eq(load.value, value);
    if (Fits(load.decl, value, terms)) {
      terms.Define(load.value, same);
      continue;
    }
    small = true;
    std::vector<Formula> facts{
        Any({same, Lt(value, 0), Lt(Linear(kMost), value)})};
    for (const auto& [name, p] : accesses.params) facts.push_back(Le(p, kMost));
    terms.Define(load.value, All(std::move(facts)));
  }
  return small;
}

}  // namespace tilesim::checkers::grid
