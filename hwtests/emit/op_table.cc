#include "hwtests/emit/op_table.h"

#include "hwtests/emit/emit.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using EmitFn = void (*)(OpEmitter&);
constexpr EmitFn kEmit[] = {
#define TILE_OP(Name) &EmitOp<ir::ops::Name>,
#include "ir/ops.def"
#undef TILE_OP
};

}  // namespace

// The exempt ones.
#define TILE_EXEMPT(Name, why)                 \
  template <>                                  \
  void EmitOp<ir::ops::Name>(OpEmitter & e) {  \
    e.Unsupported("is not lowered yet: " why); \
  }
#include "hwtests/emit/exempt.def"
#undef TILE_EXEMPT

void EmitOpOf(OpEmitter& e) {
  const ir::OpInfo& info = *e.op().info;
  ir::Target target = e.kernel().kernel().target;
  if (!info.IsOn(target)) {
    e.Unsupported(ir::Cat("does not exist on ", ir::Name(target)));
    return;
  }
  kEmit[static_cast<int>(info.kind)](e);
}

std::vector<std::string_view> ExemptOps() {
  return {
#define TILE_EXEMPT(Name, why) ir::ops::Name::kInfo.mnemonic,
#include "hwtests/emit/exempt.def"
#undef TILE_EXEMPT
  };
}

}  // namespace tilesim::hwtests
