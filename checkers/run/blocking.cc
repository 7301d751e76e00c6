#include "checkers/run/blocking.h"

#include <algorithm>
#include <iterator>

namespace tilesim::checkers {

using ir::EffectKind;

bool Has(const Event& event, EffectKind kind) {
  return std::any_of(event.effects.begin(), event.effects.end(),
                     [=](const ir::Effect& e) { return e.kind == kind; });
}

bool CanBlock(const Event& event) {
  static constexpr EffectKind kBlocking[] = {
      EffectKind::kWait,      EffectKind::kWaitGroup,
      EffectKind::kNamedSync, EffectKind::kClusterWait,
      EffectKind::kRegisters, EffectKind::kTmemAlloc,
      EffectKind::kGridWait};
  return std::any_of(std::begin(kBlocking), std::end(kBlocking),
                     [&](EffectKind kind) { return Has(event, kind); });
}

bool SaysWhenOver(machine::Signal::Kind kind) {
  using Kind = machine::Signal::Kind;
  return kind == Kind::kMbarrier || kind == Kind::kGroup ||
         kind == Kind::kNamed || kind == Kind::kCluster;
}

}  // namespace tilesim::checkers
