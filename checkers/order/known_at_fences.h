// What an agent knew at its proxy fences of one kind. An asynchronous access
// knows of some of them, and the last of those knew most; later ones may come
// after it. So each is kept until nobody who issues such an access may ask for
// it any more.
#ifndef TILESIM_CHECKERS_ORDER_KNOWN_AT_FENCES_H_
#define TILESIM_CHECKERS_ORDER_KNOWN_AT_FENCES_H_

#include <algorithm>
#include <cstddef>
#include <deque>

#include "checkers/order/clock.h"

namespace tilesim::checkers::order {

class KnownAtFences {
 public:
  void Add(Mark at, const Clock& knew) { fences_.push_back({at, knew}); }

  // At the last of all.
  const Clock& last() const { return fences_.back().knew; }

  // At the last of those that `clock` knows of; null: it knows of none.
  const Clock* KnownTo(const Clock& clock) const {
    const size_t count = CountKnown(clock);
    return count == 0 ? nullptr : &fences_[count - 1].knew;
  }

  // Whether there are twice as many as were needed last.
  bool full() const { return fences_.size() >= most_; }

  // `each(f)`: f(clock) of each that may ask from now on. What it knows now it
  // knows then.
  template <typename Each>
  void Prune(const Each& each) {
    size_t known = fences_.size();
    each([&](const Clock& clock) {
      known = std::min(known, CountKnown(clock));
    });
    if (known > 1)
      fences_.erase(fences_.begin(),
                    fences_.begin() + static_cast<std::ptrdiff_t>(known - 1));
    most_ = std::max(kFewest, 2 * fences_.size());
  }

 private:
  struct Fence {
    Mark at;
    Clock knew;
  };
  static constexpr size_t kFewest = 8;

  // Of an agent's marks, all before one that is known are.
  size_t CountKnown(const Clock& clock) const {
    auto end =
        std::partition_point(fences_.begin(), fences_.end(),
                             [&](const Fence& f) { return clock.Knows(f.at); });
    return static_cast<size_t>(end - fences_.begin());
  }

  std::deque<Fence> fences_;
  size_t most_ = kFewest;
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_KNOWN_AT_FENCES_H_
