#include "sim/timing/warp_pipe.h"

#include <algorithm>
#include <limits>

namespace tilesim::timing {

namespace {
constexpr double kForEver = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-9;
// Warps that have got so much of a pipe more than another take turns with it
// all the same; one that is further ahead waits. Chosen by the 170 loops of
// `chain.step`: the model is 10.3 % off with 0 cycles, 10.1 with 32, 9.9 with
// 64, 10.1 with 128, 10.2 with 512.
constexpr double kApart = 64;
}  // namespace

int32_t WarpPipe::Ask(int32_t warp, double now, double time, By by) {
  GoTo(now);
  if (free_.empty()) {
    free_.push_back(static_cast<int32_t>(requests_.size()));
    requests_.emplace_back();
  }
  const int32_t id = free_.back();
  free_.pop_back();
  auto it = std::find_if(warps_.begin(), warps_.end(),
                         [=](const Warp& w) { return w.warp == warp; });
  if (it == warps_.end()) it = warps_.insert(it, Warp{warp});
  const double before =
      it->requests.empty() ? it->got : requests_[it->requests.back()].until;
  requests_[id] = {0, true, by, asked_++, before + time, 0};
  it->requests.push_back(id);
  Foresee();
  return id;
}

void WarpPipe::Release(int32_t request) {
  Request& r = requests_[request];
  if (--r.kept == 0 && !r.under_way) free_.push_back(request);
}

WarpPipe WarpPipe::Unkept() const {
  WarpPipe out = *this;
  out.free_.clear();
  for (size_t i = 0; i < out.requests_.size(); ++i) {
    out.requests_[i].kept = 0;
    if (!out.requests_[i].under_way)
      out.free_.push_back(static_cast<int32_t>(i));
  }
  return out;
}

int WarpPipe::Streaming(const std::vector<Stand>& stands) const {
  int first = -1;
  int64_t number = 0;
  for (size_t w = 0; w < warps_.size(); ++w) {
    const int32_t id = Current(w, stands[w]);
    if (id < 0 || requests_[id].by != By::kStream) continue;
    if (first >= 0 && requests_[id].number > number) continue;
    first = static_cast<int>(w);
    number = requests_[id].number;
  }
  return first;
}

void WarpPipe::Begin() {
  stands_.clear();
  for (const Warp& w : warps_) stands_.push_back({w.got, 0});
}

void WarpPipe::Serve(double from, double until) {
  while (from < until) {
    const int streaming = Streaming(stands_);
    if (streaming < 0) {
      from = ServeInTurns(from, until);
      continue;
    }
    Stand& s = stands_[static_cast<size_t>(streaming)];
    Request& r = requests_[Current(static_cast<size_t>(streaming), s)];
    const double end = from + r.until - s.got;
    if (end > until) {
      s.got += until - from;
      return;
    }
    s.got = r.until;
    ++s.next;
    r.finish = from = end;
  }
}

// Until one of those who take turns is done, or the next takes turns as well.
// Returns when.
double WarpPipe::ServeInTurns(double from, double until) {
  double least = kForEver, next = kForEver;
  for (size_t w = 0; w < warps_.size(); ++w)
    if (Current(w, stands_[w]) >= 0) least = std::min(least, stands_[w].got);
  if (least == kForEver) return kForEver;
  const double most = least + kApart + kTiny;
  const auto shares = [&](size_t w) {
    return Current(w, stands_[w]) >= 0 && stands_[w].got <= most;
  };
  for (size_t w = 0; w < warps_.size(); ++w)
    if (Current(w, stands_[w]) >= 0 && !shares(w))
      next = std::min(next, stands_[w].got);
  double each = next - kApart - least;
  int sharing = 0;
  for (size_t w = 0; w < warps_.size(); ++w) {
    if (!shares(w)) continue;
    ++sharing;
    each = std::min(each,
                    requests_[Current(w, stands_[w])].until - stands_[w].got);
  }
  const double end = from + each * sharing;
  if (end > until) each = (until - from) / sharing;
  for (size_t w = 0; w < warps_.size(); ++w) {
    if (!shares(w)) continue;
    Stand& s = stands_[w];
    Request& r = requests_[Current(w, s)];
    s.got += each;
    if (end > until || r.until - s.got > kTiny) continue;
    r.finish = end;
    ++s.next;
  }
  return std::min(end, until);
}

// What is through by `now` leaves.
void WarpPipe::GoTo(double now) {
  if (now <= at_) return;
  Begin();
  Serve(at_, now);
  at_ = now;
  for (size_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.got = stands_[w].got;
    for (size_t i = 0; i < stands_[w].next; ++i) {
      Request& r = requests_[warp.requests[i]];
      r.under_way = false;
      if (r.kept == 0) free_.push_back(warp.requests[i]);
    }
    warp.requests.erase(
        warp.requests.begin(),
        warp.requests.begin() + static_cast<int64_t>(stands_[w].next));
  }
  std::erase_if(warps_, [](const Warp& w) { return w.requests.empty(); });
}

// When each is through if nobody asks for more.
void WarpPipe::Foresee() {
  Begin();
  Serve(at_, kForEver);
}

}  // namespace tilesim::timing
