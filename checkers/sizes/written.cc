#include "checkers/sizes/written.h"

#include <map>
#include <tuple>
#include <vector>

#include "checkers/footprint/footprint.h"

namespace tilesim::checkers {
namespace {

using ir::EffectKind;

// Whose copy of the ring: by which CTA, in which CTAs.
using Copy = std::tuple<int32_t, int32_t, uint32_t>;
using Slots = std::vector<IntervalSet>;

class Written {
 public:
  Written(const machine::Code& code, int32_t decl)
      : bound_(code.bound), decl_(decl), footprints_(code, fragments_) {}

  void Add(const Event& e) {
    if (e.kind != Event::Kind::kOp) return;
    for (const ir::Effect& effect : e.effects) {
      bool tile = effect.operand >= 0 && e.concrete.is_tile(effect.operand);
      if (!tile) continue;
      const ir::TileValue& t = e.concrete.tile(effect.operand);
      if (effect.kind == EffectKind::kTmemAlloc && t.decl == ring().pool)
        copies_.clear();
      if (effect.kind == EffectKind::kWrite && t.decl == decl_)
        Add(e, effect, t);
    }
  }

  bool Alike(int64_t turned) const {
    for (const auto& [copy, slots] : copies_) {
      auto m = static_cast<int64_t>(slots.size());
      for (int64_t i = 0; i < m; ++i) {
        if (!(slots[i] == slots[((i + turned) % m + m) % m])) return false;
      }
    }
    return true;
  }

 private:
  const ir::BoundDecl& ring() const { return bound_.decls[decl_]; }

  void Add(const Event& e, const ir::Effect& effect, const ir::TileValue& t) {
    constexpr int64_t kColumnBytes = 4;
    Slots& slots = copies_[{e.cta, t.cta, effect.ranks}];
    slots.resize(ring().objects);
    int64_t size = ring().space == ir::Space::kTmem
                       ? ring().columns * kColumnBytes
                       : ring().object_bytes;
    slots[t.index].Add(footprints_.Memory(e, effect.operand, e.threads())
                           .Shifted(-t.index * size));
  }

  const ir::BoundKernel& bound_;
  int32_t decl_;
  Fragments fragments_;
  Footprints footprints_;
  std::map<Copy, Slots> copies_;
};

}  // namespace

bool WrittenAlike(const Log& log, int32_t count, int32_t decl, int64_t turned) {
  Written written(*log.code, decl);
  for (int32_t i = 0; i < count; ++i) written.Add(log.events[i]);
  return written.Alike(turned);
}

}  // namespace tilesim::checkers
