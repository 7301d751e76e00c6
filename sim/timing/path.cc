#include "sim/timing/path.h"

#include <algorithm>
#include <utility>

namespace tilesim::timing {

Cycle PathPool::Begin(const Node& n) const {
  return n.before == kNone ? 0 : nodes_[n.before].until;
}

int32_t PathPool::New(Node node) {
  node.uses = 1;
  if (free_.empty()) {
    nodes_.push_back(node);
    return static_cast<int32_t>(nodes_.size() - 1);
  }
  const int32_t at = free_.back();
  free_.pop_back();
  nodes_[at] = node;
  return at;
}

void PathPool::Release(int32_t at) {
  while (at != kNone && --nodes_[at].uses == 0) {
    if (nodes_[at].summed) sums_.erase(at);
    free_.push_back(at);
    at = nodes_[at].before;
  }
}

int32_t& PathPool::PlaceOf(const PathKey& key) {
  const auto kernel = static_cast<size_t>(key.kernel);
  if (place_.size() <= kernel) place_.resize(kernel + 1);
  std::vector<int32_t>& places = place_[kernel];
  const size_t at = static_cast<size_t>(key.op + 1) * kCauses +
                    static_cast<size_t>(key.cause);
  if (places.size() <= at) places.resize(at + 1);
  return places[at];
}

void PathPool::Count(const PathKey& key, Cycle cycles, Sums& sums) {
  int32_t& place = PlaceOf(key);
  if (place == 0) {
    sums.emplace_back(key, 0);
    place = static_cast<int32_t>(sums.size());
  }
  sums[place - 1].second += cycles;
}

// By key, in no order.
PathPool::Sums PathPool::SumsOf(int32_t at) {
  Sums sums;
  for (; at != kNone; at = nodes_[at].before) {
    const Node& n = nodes_[at];
    if (n.summed) {
      for (const auto& [key, cycles] : sums_.at(at)) Count(key, cycles, sums);
      break;
    }
    Count(n.key, n.until - Begin(n), sums);
  }
  for (const auto& [key, _] : sums) PlaceOf(key) = 0;
  return sums;
}

// The node lets go of what came before it: all paths that go on from here share
// the sums.
void PathPool::Sum(int32_t at) {
  sums_[at] = SumsOf(at);
  nodes_[at].summed = true;
  nodes_[at].steps = 1;
  Release(std::exchange(nodes_[at].before, kNone));
}

void Path::Add(PathKey key, int32_t cta, Cycle until) {
  if (pool_ == nullptr || until <= this->until()) return;
  auto& nodes = pool_->nodes_;
  if (last_ != PathPool::kNone) {
    PathPool::Node& n = nodes[last_];
    if (n.uses == 1 && n.cta == cta && n.key == key && !n.summed) {
      n.until = until;
      return;
    }
    if (n.steps >= pool_->longest_) pool_->Sum(last_);
  }
  const int32_t steps = last_ == PathPool::kNone ? 1 : nodes[last_].steps + 1;
  last_ = pool_->New({.before = last_,
                      .steps = steps,
                      .cta = cta,
                      .key = key,
                      .until = until});
}

std::vector<PathStep> Path::Steps() const {
  std::vector<PathStep> steps;
  for (int32_t at = last_; at != PathPool::kNone;
       at = pool_->nodes_[at].before) {
    const PathPool::Node& n = pool_->nodes_[at];
    if (n.summed) break;
    steps.push_back({n.key, n.cta, pool_->Begin(n), n.until});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

PathSums Path::Sums() const {
  if (pool_ == nullptr) return {};
  const PathPool::Sums sums = pool_->SumsOf(last_);
  return {sums.begin(), sums.end()};
}

}  // namespace tilesim::timing
