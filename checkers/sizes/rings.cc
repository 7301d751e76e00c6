#include "checkers/sizes/rings.h"

namespace tilesim::checkers::sizes {

int32_t RingsOf(const machine::Code& code) {
  return static_cast<int32_t>(code.bound.decls.size() *
                              code.bound.cluster_size());
}

int32_t RingOf(const machine::Code& code, int32_t decl, int32_t cta) {
  auto decls = static_cast<int32_t>(code.bound.decls.size());
  bool barrier = code.bound.decls[decl].space == ir::Space::kMbarrier;
  return barrier ? cta * decls + decl : decl;
}

int32_t DeclOf(const machine::Code& code, int32_t ring) {
  return ring % static_cast<int32_t>(code.bound.decls.size());
}

BarrierSlot SlotOf(const machine::Code& code, int32_t barrier) {
  const auto& decls = code.bound.decls;
  for (size_t i = 0; i < decls.size(); ++i) {
    int64_t slot = barrier - decls[i].place;
    if (decls[i].space == ir::Space::kMbarrier && slot >= 0 &&
        slot < decls[i].objects)
      return {static_cast<int32_t>(i), slot};
  }
  return {};
}

}  // namespace tilesim::checkers::sizes
