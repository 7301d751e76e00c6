#include "sim/timing/fifo_port.h"

#include <algorithm>

namespace tilesim::timing {

double FifoPort::Begin(int32_t user, double now) const {
  return last_.size() <= static_cast<size_t>(user) ? now
                                                   : std::max(now, last_[user]);
}

int32_t FifoPort::Ask(int32_t user, double now, double length, double time) {
  constexpr double kLeast = 1e-3;  // what comes at once has a rate, too
  GoTo(now);
  if (last_.size() <= static_cast<size_t>(user)) last_.resize(user + 1, 0);
  if (free_.empty()) {
    free_.push_back(static_cast<int32_t>(requests_.size()));
    requests_.emplace_back();
  }
  const int32_t id = free_.back();
  free_.pop_back();
  length = std::max(length, kLeast);
  const double begin = Begin(user, now);
  requests_[id] = {begin, begin + length, time / length, 0, 0, true};
  last_[user] = begin + length;
  auto insert = [this, id](std::vector<int32_t>& list, double Request::*of) {
    auto later = std::upper_bound(
        list.begin(), list.end(), requests_[id].*of,
        [&](double t, int32_t other) { return t < requests_[other].*of; });
    list.insert(later, id);
  };
  if (begin <= at_) {
    rate_ += requests_[id].rate;
  } else {
    insert(begins_, &Request::begin);
  }
  insert(ends_, &Request::end);
  busy_ += time;
  Foresee();
  return id;
}

void FifoPort::Release(int32_t request) {
  Request& r = requests_[request];
  if (--r.kept == 0 && !r.under_way) free_.push_back(request);
}

// What has come in by `now` is known for good.
void FifoPort::GoTo(double now) {
  size_t begun = 0, ended = 0;
  auto step = [this](double to) {
    behind_ = std::max(0.0, behind_ + (rate_ - 1) * (to - at_));
    at_ = to;
  };
  for (;;) {
    const bool begins =
        begun < begins_.size() &&
        requests_[begins_[begun]].begin <= requests_[ends_[ended]].end;
    if (begins) {
      const Request& r = requests_[begins_[begun]];
      if (r.begin > now) break;
      step(r.begin);
      rate_ += r.rate;
      ++begun;
    } else {
      if (ended == ends_.size()) break;
      Request& r = requests_[ends_[ended]];
      if (r.end > now) break;
      step(r.end);
      rate_ -= r.rate;
      r.finish = at_ + behind_;
      r.under_way = false;
      if (r.kept == 0) free_.push_back(ends_[ended]);
      ++ended;
    }
  }
  begins_.erase(begins_.begin(), begins_.begin() + static_cast<int64_t>(begun));
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<int64_t>(ended));
  if (ends_.empty()) rate_ = 0;  // without what rounding left
  if (now > at_) step(now);
}

// When each is through if nobody asks for more.
void FifoPort::Foresee() {
  double at = at_, behind = behind_, rate = rate_;
  auto begun = begins_.begin();
  auto step = [&](double to) {
    behind = std::max(0.0, behind + (rate - 1) * (to - at));
    at = to;
  };
  for (int32_t id : ends_) {
    Request& r = requests_[id];
    for (; begun != begins_.end() && requests_[*begun].begin <= r.end;
         ++begun) {
      step(requests_[*begun].begin);
      rate += requests_[*begun].rate;
    }
    step(r.end);
    rate -= r.rate;
    r.finish = at + behind;
  }
}

}  // namespace tilesim::timing
