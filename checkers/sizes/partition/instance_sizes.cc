#include "checkers/sizes/partition/instance_sizes.h"

#include <iterator>

#include "checkers/sizes/partition/permitted.h"

namespace tilesim::checkers::sizes::partition {
using plan::kSmCounts;

namespace {

// Of a parameter that are tried for a larger grid: one step after another, then
// twice as many steps each time.
constexpr int64_t kMaxSingly = 1'000, kMaxDoubled = 15;

}  // namespace

ir::Overrides InstanceSizes::Of(const SizeCell& cell) const {
  ir::Overrides sizes = options_.defines;
  for (size_t i = 0; i < varied_.size(); ++i)
    sizes[varied_[i]->name] = cell.params[i].base();
  if (cell.handed_out) Enlarge(cell, sizes);
  return sizes;
}

// To a grid of those that are handed out and two more: the one that they are
// handed to, and one that is not. If there is none, to the largest.
void InstanceSizes::Enlarge(const SizeCell& cell, ir::Overrides& sizes) const {
  int64_t wanted = cell.handed_out->base() + 2;
  for (size_t i : cell.loose) {
    const ir::Param& p = *varied_[i];
    int64_t& size = sizes[p.name];
    int64_t largest = size, by = p.step;
    for (int64_t n = 0; n < kMaxSingly + kMaxDoubled; ++n, size += by) {
      int64_t clusters = ClustersAt(sizes);
      if (clusters >= wanted) return;
      if (clusters > 0) largest = size;
      if (n >= kMaxSingly) by *= 2;
      if (p.high && size + by > *p.high) break;
    }
    size = largest;
  }
}

// Of the grid; 0: not a permitted size.
int64_t InstanceSizes::ClustersAt(const ir::Overrides& sizes) const {
  ir::Diagnostics ignored;
  auto bound = ir::Bind(kernel_, sizes, LargestSmCount(), ignored);
  return bound ? bound->ctas() / bound->cluster_size() : 0;
}

int64_t InstanceSizes::LargestSmCount() const {
  return options_.sm_count != 0 ? options_.sm_count : *std::rbegin(kSmCounts);
}

bool InstanceSizes::NeverPermitted(const SizeCell& cell,
                                   const ir::Overrides& sizes) const {
  std::set<int32_t> open;
  for (size_t i = 0; i < varied_.size(); ++i) {
    if (!cell.params[i].constant() || cell.loose.count(i) != 0)
      open.insert(varied_[i]->slot);
  }
  return partition::NeverPermitted(kernel_, sizes, LargestSmCount(), open);
}

std::set<int64_t> InstanceSizes::HandedTo(const SizeCell& cell,
                                          int64_t clusters) {
  int64_t count = cell.handed_out->base();
  if (clusters >= count + 2) return {0, count + 1};
  if (clusters == count + 1) return {0};
  return {};
}

const ir::Param* InstanceSizes::Unbounded(const SizeCell& cell) const {
  for (size_t i : cell.loose) {
    if (!varied_[i]->high) return varied_[i];
  }
  return nullptr;
}

}  // namespace tilesim::checkers::sizes::partition
