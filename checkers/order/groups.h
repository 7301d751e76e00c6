// The groups of asynchronous operations that one thread agent has issued:
// which operations a wait_group covers.
#ifndef TILESIM_CHECKERS_ORDER_GROUPS_H_
#define TILESIM_CHECKERS_ORDER_GROUPS_H_

#include <cstdint>
#include <vector>

#include "ir/effect.h"

namespace tilesim::checkers::order {

class Groups {
 public:
  void Issue(int32_t operation, ir::GroupKind kind) {
    all_.push_back(operation);
    // tcgen05.ld and st are groups of one, committed as they are issued.
    if (kind == ir::GroupKind::kTmemLd || kind == ir::GroupKind::kTmemSt)
      Commit();
  }
  void Commit() { ends_.push_back(all_.size()); }
  // Calls f(operation) for those covered by a wait that leaves `pending` of
  // the youngest groups. `forget`: nobody need wait for them again.
  template <typename F>
  void Wait(int64_t pending, bool forget, F f) {
    int64_t covered = static_cast<int64_t>(ends_.size()) - pending;
    if (covered <= forgotten_) return;
    size_t i = forgotten_ == 0 ? 0 : ends_[forgotten_ - 1];
    for (; i < ends_[covered - 1]; ++i) f(all_[i]);
    if (forget) forgotten_ = covered;
  }

 private:
  std::vector<int32_t> all_;  // operations
  std::vector<size_t> ends_;  // where each committed group of them ends
  int64_t forgotten_ = 0;     // of those groups
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_GROUPS_H_
