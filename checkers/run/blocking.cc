#include "checkers/run/blocking.h"

namespace tilesim::checkers::run {

using ir::EffectKind;

bool Has(const Event& event, EffectKind kind) { return event.act->Has(kind); }

bool CanBlock(const Event& event) {
  static constexpr uint64_t kBlocking =
      Act::Bit(EffectKind::kWait) | Act::Bit(EffectKind::kWaitGroup) |
      Act::Bit(EffectKind::kNamedSync) | Act::Bit(EffectKind::kClusterWait) |
      Act::Bit(EffectKind::kRegisters) | Act::Bit(EffectKind::kTmemAlloc) |
      Act::Bit(EffectKind::kGridWait);
  return (event.act->kinds & kBlocking) != 0;
}

bool SaysWhenOver(machine::Signal::Kind kind) {
  using Kind = machine::Signal::Kind;
  return kind == Kind::kMbarrier || kind == Kind::kGroup ||
         kind == Kind::kNamed || kind == Kind::kCluster;
}

}  // namespace tilesim::checkers::run
