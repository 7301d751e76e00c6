#include "ir/op.h"

#include "absl/container/flat_hash_map.h"
#include "ir/effect.h"
#include "ir/ops/all.h"

namespace tilesim::ir {
namespace {

constexpr const OpInfo* kInfos[] = {
#define TILE_OP(Name) &ops::Name::kInfo,
#include "ir/ops.def"
#undef TILE_OP
};

using EffectsFn = void (*)(const ConcreteOp&, EffectSink&);
constexpr EffectsFn kEffects[] = {
#define TILE_OP(Name) &ops::Name::Effects,
#include "ir/ops.def"
#undef TILE_OP
};

using OpsByName = absl::flat_hash_map<std::string_view, const OpInfo*>;

const OpsByName& ByName() {
  static const auto* const map = [] {
    auto* m = new OpsByName;
    for (const OpInfo* info : kInfos) m->emplace(info->mnemonic, info);
    return m;
  }();
  return *map;
}

}  // namespace

std::span<const OpInfo* const> AllOps() { return kInfos; }

const OpInfo& InfoOf(OpKind kind) { return *kInfos[static_cast<int>(kind)]; }

const OpInfo* OpNamed(std::string_view name) {
  auto it = ByName().find(name);
  return it == ByName().end() ? nullptr : it->second;
}

There MustBeThere(const Op& op, size_t operand) {
  const OperandSpec& spec = op.info->operands[operand];
  bool raw = spec.start == StartRule::kRaw || spec.start == StartRule::kVector;
  // Where a tensor copy writes, only an end is cut off (PTX 9.7.9.27.1.1).
  bool stored = op.info->async == AsyncUnit::kTma &&
                (spec.types & kTakesGlobal) != 0 && operand == 0;
  if (!raw && stored) return There::kStart;
  if (!raw) return spec.element ? There::kAll : There::kNothing;
  for (size_t i = 0; i < op.mods.size(); ++i) {
    // What fills only cuts off an end.
    if (op.info->mods[i].fills && op.mods[i] != 0) return There::kStart;
  }
  return There::kAll;
}

void EffectsOf(const ConcreteOp& op, EffectSink& sink) {
  kEffects[static_cast<int>(op.info().kind)](op, sink);
}

GroupKind GroupOf(AsyncUnit unit, const ConcreteOp& op) {
  switch (unit) {
    case AsyncUnit::kTma:
      // Copies that complete on an mbarrier belong to no group.
      return op.info().IntoGlobal() ? GroupKind::kBulk : GroupKind::kNone;
    case AsyncUnit::kCpAsync:
      return GroupKind::kCpAsync;
    case AsyncUnit::kWgmma:
      return GroupKind::kWgmma;
    case AsyncUnit::kTmemLd:
      return GroupKind::kTmemLd;
    case AsyncUnit::kTmemSt:
      return GroupKind::kTmemSt;
    default:
      return GroupKind::kNone;
  }
}

}  // namespace tilesim::ir
