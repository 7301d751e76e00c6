// What is known to have happened: for every thread agent how far it has come,
// for every asynchronous operation which milestone it has passed.
//
// Operations have entries of their own instead of positions in somebody's
// sequence, because a bulk completion publishes its own bytes and nothing of
// what its issuer did before (docs/certificate.md 1.1).
#ifndef TILESIM_CHECKERS_ORDER_CLOCK_H_
#define TILESIM_CHECKERS_ORDER_CLOCK_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "checkers/order/milestones.h"

namespace tilesim::checkers::order {

// The seq-th event of a thread agent; events count from 1.
struct Mark {
  int32_t agent = 0;
  uint32_t seq = 0;
};

class Clock {
 public:
  bool Knows(Mark m) const {
    return static_cast<size_t>(m.agent) < agents_.size() &&
           agents_[m.agent] >= m.seq;
  }
  bool Knows(int32_t operation, Reached r) const {
    return operations_.Of(operation) >= r;
  }
  void Add(Mark m) {
    if (agents_.size() <= static_cast<size_t>(m.agent))
      agents_.resize(m.agent + 1);
    agents_[m.agent] = std::max(agents_[m.agent], m.seq);
  }
  void Add(int32_t operation, Reached r) { operations_.Add(operation, r); }
  void Join(const Clock& other) {
    JoinEvents(other);
    Join(before_fences_, other.before_fences_);
    Join(observed_, other.observed_);
  }

  // What both know.
  void Meet(const Clock& other) {
    Min(agents_, other.agents_);
    operations_.Min(other.operations_);
    if (before_fences_ != other.before_fences_) before_fences_.reset();
    if (observed_ != other.observed_) observed_.reset();
  }

  // No more of the agent than that.
  void Limit(Mark m) {
    if (Knows(m)) agents_[m.agent] = m.seq;
  }

  // Of fence.sc (order.h): what came before those that this knows of; and
  // before those that came before what has been read of words.
  using Shared = std::shared_ptr<const Clock>;
  const Shared& before_fences() const { return before_fences_; }
  // Here is one: what this knows comes before it.
  void Fence() {
    if (observed_) JoinEvents(*observed_);
    Clock now;
    now.JoinEvents(*this);
    before_fences_ = std::make_shared<const Clock>(std::move(now));
  }
  void Observe(const Shared& before_fences) { Join(observed_, before_fences); }
  // Whether this knows all that `other` knows.
  bool Covers(const Clock& other) const {
    return AtLeast(agents_, other.agents_) &&
           operations_.AtLeast(other.operations_);
  }

 private:
  void JoinEvents(const Clock& other) {
    Max(agents_, other.agents_);
    operations_.Max(other.operations_);
  }
  static void Join(Shared& to, const Shared& from) {
    if (!from || to == from || (to && to->Covers(*from))) return;
    if (!to || from->Covers(*to)) {
      to = from;
      return;
    }
    Clock both = *to;
    both.JoinEvents(*from);
    to = std::make_shared<const Clock>(std::move(both));
  }

  using Agents = std::vector<uint32_t>;
  static void Max(Agents& to, const Agents& from) {
    if (to.empty()) {
      to = from;
      return;
    }
    if (to.size() < from.size()) to.resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
  }

  static void Min(Agents& to, const Agents& from) {
    to.resize(std::min(to.size(), from.size()));
    for (size_t i = 0; i < to.size(); ++i) to[i] = std::min(to[i], from[i]);
  }

  static bool AtLeast(const Agents& a, const Agents& b) {
    for (size_t i = 0; i < b.size(); ++i) {
      if (b[i] > (i < a.size() ? a[i] : 0)) return false;
    }
    return true;
  }

  Agents agents_;
  Milestones operations_;
  Shared before_fences_, observed_;
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_CLOCK_H_
