#include "checkers/run/blocking.h"

namespace tilesim::checkers::run {

using ir::EffectKind;

bool Has(const Event& event, EffectKind kind) { return event.act->Has(kind); }

bool CanBlock(const Event& event) { return event.act->may_block; }

bool SaysWhenOver(machine::Signal::Kind kind) {
  using Kind = machine::Signal::Kind;
  return kind == Kind::kMbarrier || kind == Kind::kGroup ||
         kind == Kind::kNamed || kind == Kind::kCluster;
}

}  // namespace tilesim::checkers::run
