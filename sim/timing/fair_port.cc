#include "sim/timing/fair_port.h"

#include <algorithm>

namespace tilesim::timing {

int32_t FairPort::Ask(int32_t user, double now, double time) {
  GoTo(now);
  if (last_.size() <= static_cast<size_t>(user)) {
    last_.resize(user + 1, 0);
    last_one_.resize(user + 1, -1);
  }
  if (free_.empty()) {
    free_.push_back(static_cast<int32_t>(requests_.size()));
    requests_.emplace_back();
  }
  const int32_t id = free_.back();
  free_.pop_back();
  if (last_one_[user] < 0) ++active_;
  const double tag = std::max(last_[user], virtual_) + time;
  last_[user] = tag;
  last_one_[user] = id;
  requests_[id] = {user, 0, true, tag, 0};
  auto later = std::upper_bound(
      order_.begin(), order_.end(), tag,
      [this](double t, int32_t other) { return t < requests_[other].tag; });
  order_.insert(later, id);
  busy_ += time;
  Foresee();
  return id;
}

void FairPort::Release(int32_t request) {
  Request& r = requests_[request];
  if (--r.kept == 0 && !r.under_way) free_.push_back(request);
}

// What is through by `now` leaves.
void FairPort::GoTo(double now) {
  size_t gone = 0;
  for (; gone < order_.size(); ++gone) {
    Request& r = requests_[order_[gone]];
    if (r.finish > now) break;
    virtual_ = r.tag;
    at_ = r.finish;
    if (last_one_[r.user] == order_[gone]) {
      last_one_[r.user] = -1;
      --active_;
    }
    r.under_way = false;
    if (r.kept == 0) free_.push_back(order_[gone]);
  }
  order_.erase(order_.begin(), order_.begin() + static_cast<int64_t>(gone));
  if (active_ > 0) virtual_ += std::max(0.0, now - at_) / active_;
  at_ = std::max(at_, now);
}

// When each is through if nobody asks for more.
void FairPort::Foresee() {
  double at = at_, reached = virtual_;
  int users = active_;
  for (int32_t id : order_) {
    Request& r = requests_[id];
    at += (r.tag - reached) * users;
    reached = r.tag;
    r.finish = at;
    if (last_one_[r.user] == id) --users;
  }
}

}  // namespace tilesim::timing
