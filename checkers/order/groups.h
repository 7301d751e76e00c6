// The groups of asynchronous operations that one thread agent has issued:
// which operations a wait_group covers.
#ifndef TILESIM_CHECKERS_ORDER_GROUPS_H_
#define TILESIM_CHECKERS_ORDER_GROUPS_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "ir/effect.h"

namespace tilesim::checkers {

class Groups {
 public:
  void Issue(int32_t operation, ir::GroupKind kind) {
    open_.push_back(operation);
    // tcgen05.ld and st are groups of one, committed as they are issued.
    if (kind == ir::GroupKind::kTmemLd || kind == ir::GroupKind::kTmemSt)
      Commit();
  }
  void Commit() {
    committed_.push_back(std::move(open_));
    open_.clear();
  }
  // Calls f(operation) for those covered by a wait that leaves `pending` of
  // the youngest groups. `forget`: nobody need wait for them again.
  template <typename F>
  void Wait(int64_t pending, bool forget, F f) {
    int64_t covered = static_cast<int64_t>(committed_.size()) - pending;
    for (int64_t i = 0; i < covered; ++i) {
      for (int32_t operation : committed_[i]) f(operation);
    }
    for (; forget && covered > 0; --covered) committed_.pop_front();
  }

 private:
  std::vector<int32_t> open_;
  std::deque<std::vector<int32_t>> committed_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_ORDER_GROUPS_H_
