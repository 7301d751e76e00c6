#include "checkers/sizes/induction/written.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "checkers/footprint/footprint.h"
#include "checkers/run/places.h"

namespace tilesim::checkers::sizes::induction {
using footprint::Footprints;
using footprint::Fragments;
using footprint::IntervalSet;
using footprint::PlaceOf;
using run::Event;
using run::Log;

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
    for (const ir::Effect& effect : e.effects()) {
      bool tile = effect.operand >= 0 && e.concrete().is_tile(effect.operand);
      if (!tile) continue;
      const ir::TileValue& t = e.concrete().tile(effect.operand);
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
                           .bytes.Shifted(-t.index * size));
  }

  const ir::BoundKernel& bound_;
  int32_t decl_;
  Fragments fragments_;
  Footprints footprints_;
  std::map<Copy, Slots> copies_;
};

// Which bytes of each slot were touched before, and written over since.
class Used {
 public:
  Used(const machine::Code& code, int32_t decl)
      : bound_(code.bound), decl_(decl), footprints_(code, fragments_) {}

  void Touch(const Event& e) {
    EachAccess(e, [&](int32_t cta, const ir::Effect& effect) {
      left_[{cta, SlotIn(e, effect)}].Add(Bytes(e, effect));
    });
  }

  void WriteOver(const Event& e) {
    EachAccess(e, [&](int32_t cta, const ir::Effect& effect) {
      auto left = left_.find({cta, SlotIn(e, effect)});
      bool plain = effect.kind == EffectKind::kWrite && IsPlain(e, effect) &&
                   !run::IsAnyOf(e.concrete(), effect.operand);
      if (plain && left != left_.end()) left->second.Subtract(Bytes(e, effect));
    });
  }

  bool AllWrittenOver() const {
    return std::all_of(left_.begin(), left_.end(),
                       [](const auto& slot) { return slot.second.empty(); });
  }

 private:
  static int64_t SlotIn(const Event& e, const ir::Effect& effect) {
    return e.concrete().tile(effect.operand).index;
  }
  IntervalSet Bytes(const Event& e, const ir::Effect& effect) {
    return footprints_.Memory(e, effect.operand, e.threads()).bytes;
  }

  // Atomic accesses are not judged with each other.
  static bool IsPlain(const Event& e, const ir::Effect& effect) {
    return std::all_of(
        e.effects().begin(), e.effects().end(), [&](const ir::Effect& other) {
          return other.operand != effect.operand || other.sem == ir::Sem::kWeak;
        });
  }

  // By the CTA whose memory it is.
  template <typename F>
  void EachAccess(const Event& e, F see) const {
    if (e.kind != Event::Kind::kOp) return;
    for (const ir::Effect& effect : e.effects()) {
      if (!effect.Is(ir::kAccesses) || !e.concrete().is_tile(effect.operand) ||
          e.concrete().tile(effect.operand).decl != decl_)
        continue;
      if (effect.ranks == 0) see(PlaceOf(e, effect.operand).owner, effect);
      for (int32_t r = 0; r < bound_.cluster_size(); ++r) {
        if ((effect.ranks >> r & 1) != 0)
          see(PlaceOf(e, effect.operand, r).owner, effect);
      }
    }
  }

  const ir::BoundKernel& bound_;
  int32_t decl_;
  Fragments fragments_;
  Footprints footprints_;
  std::map<std::pair<int32_t, int64_t>, IntervalSet> left_;  // by CTA and slot
};

// An operation that reads shared memory and signals an mbarrier.
bool IsReadOneByOne(const Event& e) {
  bool reads = false, signals = false;
  for (const ir::Effect& effect : e.effects()) {
    reads |= effect.kind == EffectKind::kRead &&
             e.concrete().is_tile(effect.operand) &&
             e.concrete().tile(effect.operand).space == ir::Space::kShared;
    signals |= effect.kind == EffectKind::kCompleteTx;
  }
  return e.kind == Event::Kind::kOp && reads && signals && !e.issued.empty();
}

bool Names(const Event& e, int32_t decl) {
  return std::any_of(
      e.concrete().operands.begin(), e.concrete().operands.end(),
      [&](const ir::OperandValue& o) {
        using Is = ir::OperandValue::Kind;
        return (o.kind == Is::kTile && o.tile.decl == decl) ||
               (o.kind == Is::kBarrier && o.barrier.decl == decl);
      });
}

}  // namespace

bool WrittenAlike(const Log& log, int32_t count, int32_t decl, int64_t turned) {
  Written written(*log.code, decl);
  for (int32_t i = 0; i < count; ++i) written.Add(log.events[i]);
  return written.Alike(turned);
}

bool WrittenOver(const Log& log, int32_t first, int32_t end, int32_t decl) {
  Used used(*log.code, decl);
  for (int32_t i = 0; i < first; ++i) used.Touch(log.events[i]);
  for (int32_t i = first; i < end; ++i) used.WriteOver(log.events[i]);
  return used.AllWrittenOver();
}

bool ReadOneByOne(const Log& log, int32_t first, int32_t end, int32_t decl) {
  for (int32_t i = first; i < end; ++i) {
    if (IsReadOneByOne(log.events[i]) && Names(log.events[i], decl))
      return true;
  }
  return false;
}

}  // namespace tilesim::checkers::sizes::induction
