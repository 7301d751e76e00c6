#include "checkers/run/blocking.h"

namespace tilesim::checkers::run {

using ir::EffectKind;

bool Has(const Event& event, EffectKind kind) {
  return event.instance->Has(kind);
}

bool CanBlock(const Event& event) { return event.instance->may_block; }

bool SaysWhenOver(machine::Signal::Kind kind) {
  using Kind = machine::Signal::Kind;
  return kind == Kind::kMbarrier || kind == Kind::kGroup ||
         kind == Kind::kNamed || kind == Kind::kCluster;
}

}  // namespace tilesim::checkers::run
