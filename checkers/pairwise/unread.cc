#include "checkers/pairwise/unread.h"

namespace tilesim::checkers::pairwise {
namespace {

using footprint::IntervalPile;
using footprint::IntervalSet;
using footprint::Place;
using run::Event;
using run::Log;

bool IsCopy(const Event& e, const order::Access& a) {
  return a.write && a.operation >= 0 &&
         e.concrete().info().async == ir::AsyncUnit::kTma;
}

// By CTA. A sum in shared memory reads what it adds to.
std::map<Place, IntervalSet> ReadsOf(const Context& context) {
  std::map<Place, IntervalPile> piles;
  for (const Event& e : context.log.events) {
    if (e.kind != Event::Kind::kOp) continue;
    for (const ir::Effect& effect : e.effects()) {
      const bool reads = effect.kind == ir::EffectKind::kRead &&
                         effect.Is(ir::kAccesses) &&
                         e.concrete().is_tile(effect.operand);
      if (!reads ||
          e.concrete().tile(effect.operand).space != ir::Space::kShared)
        continue;
      piles[footprint::PlaceOf(e, effect.operand)].Add(
          context.footprints.Memory(e, effect.operand, e.threads()).bytes);
    }
  }
  std::map<Place, IntervalSet> out;
  for (auto& [place, pile] : piles) out[place] = pile.Take();
  return out;
}

}  // namespace

bool Unread::Has(const Context& context, const Conflict& c) {
  const Log& log = context.log;
  if (!log.finished || log.not_followed ||
      c.place.space != ir::Space::kShared ||
      !IsCopy(c.earlier_event(log), c.earlier) ||
      !IsCopy(c.later_event(log), c.later))
    return false;
  if (!reads_) reads_ = ReadsOf(context);
  const auto of = reads_->find(c.place);
  return of == reads_->end() || (!of->second.Overlaps(c.earlier.bytes) &&
                                 !of->second.Overlaps(c.later.bytes));
}

}  // namespace tilesim::checkers::pairwise
