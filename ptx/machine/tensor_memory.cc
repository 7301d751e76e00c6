#include "ptx/machine/tensor_memory.h"

namespace tilesim::ptx {

int32_t Pools::Of(const Pool& pool) {
  for (size_t i = 0; i < all_.size(); ++i) {
    const Pool& p = all_[i];
    if (p.op == pool.op && p.slot == pool.slot && p.columns == pool.columns)
      return static_cast<int32_t>(i);
  }
  return Add(pool);
}

int32_t Pools::OfPair(const Pool& pool, size_t in_pair) {
  for (const int32_t by : {pool.op, -1}) {
    for (size_t i = 0; i < all_.size(); ++i) {
      Pool& p = all_[i];
      const bool of_pair = p.by[0] >= 0 || p.by[1] >= 0;
      if (!of_pair || p.slot != pool.slot || p.columns != pool.columns ||
          p.by[in_pair] != by)
        continue;
      p.by[in_pair] = pool.op;
      return static_cast<int32_t>(i);
    }
  }
  Pool fresh = pool;
  fresh.by[in_pair] = pool.op;
  return Add(fresh);
}

int32_t Pools::Add(const Pool& pool) {
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
