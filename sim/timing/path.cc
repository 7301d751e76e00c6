#include "sim/timing/path.h"

#include <algorithm>

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
    if (!summed_.empty()) summed_.erase(at);
    free_.push_back(at);
    at = nodes_[at].before;
  }
}

PathSums PathPool::SumsOf(int32_t at) const {
  PathSums sums;
  for (; at != kNone; at = nodes_[at].before) {
    if (auto old = summed_.find(at); old != summed_.end()) {
      for (const auto& [key, cycles] : old->second) sums[key] += cycles;
      break;
    }
    sums[nodes_[at].key] += nodes_[at].until - Begin(nodes_[at]);
  }
  return sums;
}

void Path::Add(PathKey key, int32_t cta, Cycle until) {
  if (pool_ == nullptr || until <= this->until()) return;
  auto& nodes = pool_->nodes_;
  if (last_ != PathPool::kNone) {
    PathPool::Node& n = nodes[last_];
    if (n.uses == 1 && n.cta == cta && n.key == key &&
        !pool_->summed_.contains(last_)) {
      n.until = until;
      return;
    }
    if (n.steps >= pool_->longest_) {
      PathSums sums = pool_->SumsOf(last_);
      // A copy, as others may still want what came before.
      const int32_t sum =
          pool_->New({.cta = n.cta, .key = n.key, .until = n.until});
      pool_->summed_[sum] = std::move(sums);
      pool_->Release(std::exchange(last_, sum));
    }
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
    if (pool_->summed_.contains(at)) break;
    steps.push_back({n.key, n.cta, pool_->Begin(n), n.until});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

PathSums Path::Sums() const {
  if (pool_ == nullptr) return {};
  return pool_->SumsOf(last_);
}

}  // namespace tilesim::timing
