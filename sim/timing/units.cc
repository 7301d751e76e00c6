#include "sim/timing/units.h"

namespace tilesim::timing {

L2Cache::Hit L2Cache::Touch(uint64_t key, double bytes, double arrives) {
  auto it = blocks_.find(key);
  if (it != blocks_.end()) {
    recent_.splice(recent_.begin(), recent_, it->second);
    hits_ += bytes;
    return {true, it->second->available};
  }
  misses_ += bytes;
  recent_.push_front({key, bytes, arrives});
  blocks_[key] = recent_.begin();
  used_ += bytes;
  while (used_ > capacity_ && recent_.size() > 1) {
    used_ -= recent_.back().bytes;
    blocks_.erase(recent_.back().key);
    recent_.pop_back();
  }
  return {false, arrives};
}

}  // namespace tilesim::timing
