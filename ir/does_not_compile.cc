// What the types of the op table refuse, one MISTAKE a test (CMakeLists.txt);
// 0 compiles, so that what the others say is due to their mistake.
#include "ir/ops/mbarrier.h"

namespace tilesim::ir::ops {

[[maybe_unused]] auto OrderOf(const Op& op) {
#if MISTAKE == 1
  return op.choice<MbarrierInit, WaitSem>();  // an init has none
#elif MISTAKE == 2
  return op.operands[MbarrierInit::kParity];  // nor that operand
#else
  return op.choice<MbarrierWait, WaitSem>();
#endif
}

#if MISTAKE == 3
struct Renamed {
  using Mods = ModifierList<>;
  static constexpr OpKind kKind = OpKind::kMbarrierInval;
  static constexpr std::string_view kOperands = "kBarrier";
};
constexpr OperandSpec kBar[] = {{.name = "bar", .types = kTakesBarrier}};
constexpr OpInfo kRow = Row<Renamed>({.operands = kBar});
#endif

}  // namespace tilesim::ir::ops
