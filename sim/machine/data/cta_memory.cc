#include "sim/machine/data/cta_memory.h"

namespace tilesim::machine {

int64_t TmemBytes(const ir::BoundKernel& bound) {
  return ir::kTmemLanes * ir::AllPoolColumns(bound) * ir::kColumnBytes;
}

void CtaMemory::Launch(const Code& code, bool values, Budget& budget) {
  const ir::BoundKernel& bound = code.bound;
  values_ = values;
  budget_ = &budget;
  for (const auto& [key, tile] : regs_)
    budget.used -= static_cast<int64_t>(tile->data.size());
  regs_.clear();
  size_t shared = values || code.control_shared ? bound.shared_bytes : 0;
  size_t tmem = (values || code.control_tmem) && bound.tmem_columns > 0
                    ? static_cast<size_t>(TmemBytes(bound))
                    : 0;
  budget.used += static_cast<int64_t>(shared + tmem) -
                 static_cast<int64_t>(shared_.size() + tmem_.size());
  // Stale bytes of the CTA before stay: nobody may read them.
  shared_.resize(shared);
  tmem_.resize(tmem);
  shared_written_.Resize((static_cast<int64_t>(shared) + kGranule - 1) /
                         kGranule);
  tmem_columns_ = ir::AllPoolColumns(bound);
  tmem_written_.Resize(tmem == 0 ? 0 : ir::kTmemLanes * tmem_columns_);
}

RegTile& CtaMemory::Reg(const ir::BoundDecl& d, int decl, int index,
                        int first_thread) {
  auto& tile = regs_[Key{decl, index, first_thread}];
  if (tile != nullptr) return *tile;
  tile = std::make_unique<RegTile>();
  int64_t rows = d.fragment.rows, cols = d.fragment.cols;
  tile->data.resize(rows * values::BytesOf(d.dtype, cols));
  tile->written.Resize(rows * cols);
  budget_->used += static_cast<int64_t>(tile->data.size());
  return *tile;
}

}  // namespace tilesim::machine
