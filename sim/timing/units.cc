#include "sim/timing/units.h"

namespace tilesim::timing {

L2Cache::Hit L2Cache::Touch(uint64_t key, double bytes, double arrives,
                            bool writes) {
  auto it = blocks_.find(key);
  if (it != blocks_.end()) {
    recent_.splice(recent_.begin(), recent_, it->second);
    it->second->dirty |= writes;
    hits_ += bytes;
    return {it->second->available, 0};
  }
  (all_ ? hits_ : misses_) += bytes;
  double available = all_ ? 0 : arrives;
  recent_.push_front({key, bytes, available, writes});
  blocks_[key] = recent_.begin();
  used_ += bytes;
  return {available, MakeRoom()};
}

// Returns the bytes that HBM has to take.
double L2Cache::MakeRoom() {
  double written = 0;
  double over = used_ + other_ - capacity_;
  if (over > 0 && other_ > 0) {  // older than anything of this launch
    double leaves = std::min(over, other_);
    other_ -= leaves;
    written += leaves * dirty_;
  }
  while (used_ > capacity_ && recent_.size() > 1) {
    const Block& last = recent_.back();
    if (last.dirty) written += last.bytes;
    used_ -= last.bytes;
    blocks_.erase(last.key);
    recent_.pop_back();
  }
  return written;
}

}  // namespace tilesim::timing
