#include "ptx/machine/tensor_memory.h"

#include <algorithm>

namespace tilesim::ptx {

int32_t Pools::Of(const Pool& pool) {
  auto at = std::find(all_.begin(), all_.end(), pool);
  if (at != all_.end()) return static_cast<int32_t>(at - all_.begin());
  if (static_cast<int32_t>(all_.size()) >= most_) return -1;
  all_.push_back(pool);
  return static_cast<int32_t>(all_.size()) - 1;
}

int64_t Pools::FirstByte(int32_t pool) const {
  int64_t columns = 0;
  for (int32_t i = 0; i < pool; ++i) columns += all_[i].columns;
  return columns * ir::kColumnBytes;
}

}  // namespace tilesim::ptx
