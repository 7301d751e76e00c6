// Tiles and barriers that lie over one another: bytes of a live mbarrier are
// not to be touched but by its own operations (PTX 9.7.13.15).
#include <algorithm>

#include "ir/cat.h"
#include "ir/matrix_row.h"
#include "ir/ops/mbarrier.h"
#include "sim/machine/byte_sets.h"
#include "sim/machine/effect_runner.h"

namespace tilesim::machine {
namespace {

using ir::Effect;
using ir::EffectKind;

constexpr int64_t kBarrierBytes = 8;

// Bytes of the CTA's shared memory.
struct Bytes {
  int64_t first, end;

  bool Meets(const Bytes& other) const {
    return first < other.end && other.first < end;
  }
};

// Of a declaration of compiled code.
bool Touches(const ir::TileValue& box, const ByteSets& sets, Bytes bytes) {
  const int64_t start = box.start[0];
  if (!bytes.Meets({start, start + box.extent[0]})) return false;
  if (SetOf(box) < 0) return true;
  bool found = false;
  sets.ForRuns(SetOf(box), {0, ir::kMaxWarps}, [&](const ByteSets::Run& r) {
    found |= bytes.Meets({start + r.begin, start + r.end});
  });
  return found;
}

// Whether a box of shared memory has some of these bytes.
bool Touches(const ir::TileValue& box, const ir::BoundDecl& d, Bytes bytes) {
  const int64_t base = d.place + box.index * d.object_bytes;
  if (!bytes.Meets({base, base + d.object_bytes})) return false;
  const int64_t first = box.rank == 0 ? 0 : box.start[box.rank - 1];
  bool found = false;
  for (int64_t r = 0; r < box.rows() && !found; ++r) {
    int64_t row = ir::MatrixRow(box, d, r);
    d.layout.ForRuns(row, first, box.cols(),
                     [&](int64_t byte, int64_t, int64_t n) {
                       int64_t from = base + byte;
                       int64_t length = (n * d.layout.bits + 7) / 8;
                       found |= bytes.Meets({from, from + length});
                     });
  }
  return found;
}

}  // namespace

template <typename F>
void EffectRunner::EachLive(int32_t cta, F touches) {
  const Cta& owner = state_.ctas[cta];
  for (const ir::BoundDecl& d : machine_.code_of(owner).bound.decls) {
    if (d.space != ir::Space::kMbarrier || !d.over_barrier) continue;
    for (int32_t i = 0; i < d.objects; ++i) {
      const Target t{cta, static_cast<int32_t>(d.place) + i};
      const int64_t from = d.address + i * kBarrierBytes;
      if (bar(t).live && touches(t.index, Bytes{from, from + kBarrierBytes}))
        Clobbers(t);
    }
  }
}

// One that nothing has used, compilers leave behind: it is told, and is none
// from then on, so that whoever uses it after all uses what was not
// initialised.
void EffectRunner::Clobbers(Target t) {
  Mbarrier& b = bar(t);
  const bool unused = machine_.code_of(state_.ctas[t.cta]).guarded &&
                      b.phase == 0 && b.pending == b.expected && b.tx == 0;
  if (unused) b.live = false;
  Report("init/clobbered",
         ir::Cat("bytes of mbarrier `", NameOf(t), "`",
                 unused ? ", which nothing has used," : "",
                 " are accessed while it is live"),
         "mbarrier.inval it first, when everybody is done with it, or give it "
         "memory of its own",
         unused);
}

void EffectRunner::CheckBarriers(const Effect& e, int only_rank) {
  const auto& decls = machine_.code_of(state_.ctas[cta_]).bound.decls;
  if (e.kind == EffectKind::kInit) return CheckOthers(OwnBarrier(e));
  const bool alloc = e.kind == EffectKind::kTmemAlloc;
  if ((!e.Is(ir::kAccesses) && !alloc) || !concrete_.is_tile(e.operand)) return;
  const ir::TileValue& tile = concrete_.tile(e.operand);
  if (alloc) {
    // Its address is stored.
    const ir::BoundDecl& slot = decls[decls[tile.decl].slot];
    if (!slot.over_barrier) return;
    return EachLive(cta_, [&](int32_t, const Bytes& b) {
      return b.Meets({slot.place, slot.place + 4});
    });
  }
  if (tile.space != ir::Space::kShared || !decls[tile.decl].over_barrier)
    return;
  const auto& ctas = state_.clusters[state_.ctas[cta_].cluster].ctas;
  auto size = static_cast<int>(ctas.size());
  for (int rank : RanksMeant(e, concrete_, size, only_rank)) {
    EachLive(ctas[rank], [&](int32_t, const Bytes& b) {
      const ir::BoundDecl& d = decls[tile.decl];
      const ByteSets* sets =
          machine_.code_of(state_.ctas[cta_]).byte_sets.get();
      return sets != nullptr ? Touches(tile, *sets, b) : Touches(tile, d, b);
    });
  }
}

// Barriers that lie where one is initialised.
void EffectRunner::CheckOthers(Target t) {
  const auto& decls = machine_.code_of(state_.ctas[t.cta]).bound.decls;
  const ir::BoundDecl& d =
      decls[concrete_.operands[ir::ops::MbarrierInit::kBar].barrier.decl];
  if (!d.over_barrier) return;
  const int64_t from = d.address + (t.index - d.place) * kBarrierBytes;
  const Bytes own{from, from + kBarrierBytes};
  EachLive(t.cta, [&](int32_t index, const Bytes& b) {
    return index != t.index && b.Meets(own);
  });
}

}  // namespace tilesim::machine
