#include "checkers/explore/snapshot.h"

#include <algorithm>
#include <cstring>

#include "checkers/run/control_memory.h"
#include "ir/cat.h"
#include "sim/machine/data/cta_memory.h"
#include "sim/machine/data/globals.h"

namespace tilesim::checkers::explore {
using run::MakeControlMemory;
using run::WrittenOf;

namespace {

// Of one state.
constexpr int64_t kMaxSnapshotBytes = 4096;
// Elements of a declaration that are words of their own.
constexpr int64_t kMaxWords = 16;

int64_t Elements(const ir::BoundDecl& d) {
  int64_t n = d.objects;
  for (int i = 0; i < d.rank; ++i) n *= d.shape[i];
  return n;
}

}  // namespace

Snapshot::Snapshot(const machine::Code& code, int32_t ctas,
                   const machine::Inputs& inputs)
    : code_(code), memory_(MakeControlMemory(code, inputs)) {
  int64_t bytes = 0;
  for (int32_t decl : WrittenOf(code)) {
    const ir::BoundDecl& d = code.bound.decls[decl];
    const std::string& name = code.kernel().decls[decl].name;
    bool global = d.space == ir::Space::kGlobal;
    if (!global && d.space != ir::Space::kShared) {
      why_not_ = ir::Cat("control may depend on values of `", name,
                         "`, which are computed");
      return;
    }
    for (int32_t cta = global ? -1 : 0; cta < (global ? 0 : ctas); ++cta) {
      int64_t size = d.objects * d.object_bytes;
      if (global) size = memory_->globals().Get(0, decl)->bytes();
      int64_t words = Elements(d) <= kMaxWords ? Elements(d) : 1;
      Words numbers{words_, words_ + static_cast<int32_t>(words)};
      words_ = numbers.end;
      ranges_.push_back({cta, decl, d.place, size, numbers});
      bytes += size;
    }
    if (bytes > kMaxSnapshotBytes)
      why_not_ = ir::Cat("control may depend on values of `", name,
                         "`, which is too large to be searched");
  }
}

uint8_t* Snapshot::At(const Range& r) const {
  if (r.cta >= 0) return memory_->cta(r.cta).shared().data() + r.place;
  machine::GlobalTensor* t = memory_->globals().Get(0, r.decl);
  return t->Touch(0, t->elements());
}

void Snapshot::Save(std::vector<uint8_t>& out) const {
  out.clear();
  for (const Range& r : ranges_) {
    const uint8_t* from = At(r);
    out.insert(out.end(), from, from + r.bytes);
  }
}

void Snapshot::Restore(const std::vector<uint8_t>& bytes) const {
  const uint8_t* from = bytes.data();
  for (const Range& r : ranges_) {
    std::memcpy(At(r), from, r.bytes);
    from += r.bytes;
  }
}

Snapshot::Words Snapshot::WordsOf(int32_t cta,
                                  const ir::TileValue& tile) const {
  auto found =
      std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) {
        return r.decl == tile.decl && (r.cta < 0 || r.cta == cta);
      });
  if (found == ranges_.end()) return {};
  auto element = static_cast<int32_t>(ElementOf(tile));
  bool one = element >= 0 && found->words.end - found->words.begin > 1;
  if (!one) return found->words;
  return {found->words.begin + element, found->words.begin + element + 1};
}

int64_t Snapshot::ElementOf(const ir::TileValue& tile) const {
  const ir::BoundDecl& d = code_.bound.decls[tile.decl];
  if (tile.elements() != 1 || tile.rank != d.rank || tile.dtype != d.dtype)
    return -1;
  int64_t element = tile.index;
  for (int i = 0; i < d.rank; ++i) {
    if (tile.start[i] < 0 || tile.start[i] >= d.shape[i]) return -1;
    element = element * d.shape[i] + tile.start[i];
  }
  return element;
}

}  // namespace tilesim::checkers::explore
