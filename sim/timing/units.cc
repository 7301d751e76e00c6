#include "sim/timing/units.h"

namespace tilesim::timing {

double L2Cache::Rows::bytes() const {
  return std::popcount(rows) * bytes_of_row;
}

L2Cache::Rows L2Cache::Missing(const Rows& asked) const {
  Rows missing = asked;
  auto it = blocks_.find(asked.key);
  if (all_) {
    missing.rows = 0;
  } else if (it != blocks_.end()) {
    missing.rows &= ~it->second->rows;
  }
  return missing;
}

L2Cache::Hit L2Cache::Touch(const Rows& asked, double arrives, bool writes) {
  const double missed = Missing(asked).bytes();
  hits_ += asked.bytes() - missed;
  misses_ += missed;
  auto it = blocks_.find(asked.key);
  if (it == blocks_.end()) {
    recent_.push_front({asked.key, 0, 0, 0, false});
    it = blocks_.emplace(asked.key, recent_.begin()).first;
  } else {
    recent_.splice(recent_.begin(), recent_, it->second);
  }
  Block& block = *it->second;
  const Rows added = {asked.key, asked.rows & ~block.rows, asked.bytes_of_row};
  block.rows |= asked.rows;
  block.bytes += added.bytes();
  used_ += added.bytes();
  block.dirty |= writes;
  if (missed > 0) block.available = std::max(block.available, arrives);
  return {block.available, MakeRoom()};
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
