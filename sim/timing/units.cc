#include "sim/timing/units.h"

#include <bit>

namespace tilesim::timing {

int L2Cache::Count(uint64_t rows) {
  return rows == ~uint64_t{0} ? 64 : std::popcount(rows);
}

bool L2Cache::Old(uint64_t key) const {
  if (part_ == 0 || part_ == 1) return part_ == 1;
  constexpr double kLargest = 1ull << 32;
  const uint64_t mixed = (key ^ key >> 29) * 0x94d049bb133111ebu;
  return static_cast<double>(mixed >> 32) < part_ * kLargest;
}

L2Cache::Rows L2Cache::Missing(const Rows& asked) const {
  Rows missing = asked;
  if (Old(asked.key)) {
    missing.rows = 0;
  } else if (auto it = blocks_.find(asked.key); it != blocks_.end()) {
    missing.rows &= ~it->second->rows;
  }
  return missing;
}

L2Cache::Hit L2Cache::Touch(const Rows& asked, double arrives, bool writes,
                            int side) {
  auto [it, added] = blocks_.try_emplace(asked.key);
  if (added) {
    recent_.push_front({asked.key, 0, 0, asked.bytes_of_row, 0});
    it->second = recent_.begin();
  } else {
    recent_.splice(recent_.begin(), recent_, it->second);
  }
  Block& block = *it->second;
  const uint64_t fresh = asked.rows & ~block.rows;
  const double come = block.bytes(fresh);
  const double missed = Old(asked.key) ? 0 : come;
  hits_ += asked.bytes() - missed;
  misses_ += missed;
  used_ -= Room(block);
  block.rows |= fresh;
  if (!writes) block.sides |= 1 << side;
  used_ += Room(block);
  if (writes) {
    if (block.dirty == 0) written_.push_back(asked.key);
    dirty_ += block.bytes(asked.rows & ~block.dirty);
    block.dirty |= asked.rows;
  }
  if (missed > 0) block.available = std::max(block.available, arrives);
  return {block.available, (writes ? WriteBack() : 0) + MakeRoom()};
}

// What was written first goes to HBM first. Returns the bytes.
double L2Cache::WriteBack() {
  const double over = old_dirty_ + dirty_ - most_dirty_;
  if (over <= 0) return 0;
  double written = std::min(over, old_dirty_);
  old_dirty_ -= written;
  while (dirty_ > most_dirty_ && !written_.empty()) {
    auto it = blocks_.find(written_.front());
    written_.pop_front();
    if (it == blocks_.end()) continue;
    Block& block = *it->second;
    const double bytes = block.bytes(block.dirty);
    block.dirty = 0;
    dirty_ -= bytes;
    written += bytes;
  }
  return written;
}

// Returns the bytes that HBM has to take.
double L2Cache::MakeRoom() {
  double written = 0;
  const double over = used_ + other_ - capacity_;
  // Older than anything of this launch.
  if (over > 0) other_ -= std::min(over, other_);
  while (used_ > capacity_ && recent_.size() > 1) {
    const Block& last = recent_.back();
    const double bytes = last.bytes(last.dirty);
    dirty_ -= bytes;
    written += bytes;
    used_ -= Room(last);
    blocks_.erase(last.key);
    recent_.pop_back();
  }
  return written;
}

}  // namespace tilesim::timing
