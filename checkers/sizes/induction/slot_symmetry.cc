#include "checkers/sizes/induction/slot_symmetry.h"

#include <algorithm>
#include <numeric>

namespace tilesim::checkers::sizes::induction {
using run::Event;
using state::DeclOf;
using state::Rotation;
using state::SlotsOf;

namespace {

int64_t EndOf(const ir::BoundDecl& d) {
  bool tmem = d.space == ir::Space::kTmem;
  return d.place + d.objects * (tmem ? d.columns : d.object_bytes);
}

}  // namespace

bool HasOwnMemory(const ir::BoundKernel& bound, int32_t decl) {
  const ir::BoundDecl& d = bound.decls[decl];
  if (d.over_barrier) return false;
  if (d.space != ir::Space::kShared && d.space != ir::Space::kTmem) return true;
  return std::none_of(
      bound.decls.begin(), bound.decls.end(), [&](const ir::BoundDecl& o) {
        return &o != &d && o.space == d.space && o.pool == d.pool &&
               !o.is_pool && o.place < EndOf(d) && d.place < EndOf(o);
      });
}

bool TouchesOwnMemory(const machine::Code& code, const Event& event) {
  return std::all_of(
      event.effects().begin(), event.effects().end(), [&](const ir::Effect& f) {
        return !event.concrete().is_tile(f.operand) ||
               HasOwnMemory(code.bound, event.concrete().tile(f.operand).decl);
      });
}

// Where docs/all_sizes.md 3.1 does not hold of a ring as it turns, it does of
// one that has turned whole rounds.
std::optional<int64_t> IterationsToWholeRounds(
    const machine::Code& code, const Rotation& rotation,
    absl::FunctionRef<bool(int32_t, int64_t)> alike) {
  for (size_t ring = 0; ring < rotation.size(); ++ring) {
    int64_t turned = rotation[ring].value_or(0);
    int32_t decl = DeclOf(code, static_cast<int32_t>(ring));
    int64_t slots = SlotsOf(code, decl);
    if (turned % slots != 0 && !alike(decl, turned))
      return slots / std::gcd(slots, turned);
  }
  return std::nullopt;
}

}  // namespace tilesim::checkers::sizes::induction
