// What happens next: events come out by their cycle, those of one cycle in the
// order in which they were scheduled, or the last one first (`TiePolicy`).
//
// Nearly all are scheduled for one of the next few thousand cycles. Those lie
// in a ring with a list a cycle, where nothing has to be compared; the others
// wait in a heap until the ring has come near them.
#ifndef TILESIM_SIM_TIMING_EVENT_QUEUE_H_
#define TILESIM_SIM_TIMING_EVENT_QUEUE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/timing/cause.h"

namespace tilesim::timing {

enum class TiePolicy { kFirstScheduledFirst, kLastScheduledFirst };

struct Event {
  enum class Kind : uint8_t { kStrand, kRead, kDone, kLaunch };
  Cycle at;
  int32_t id;
  uint32_t version;
  Kind kind;
};

class EventQueue {
 public:
  explicit EventQueue(TiePolicy ties) : ties_(ties) {}

  // Never before the event popped last: that is a bug of ours, and aborts.
  void Push(const Event& event);
  bool empty() const { return size_ == 0; }
  int64_t size() const { return size_; }
  // When the first event is due; there must be one, here and in Pop.
  Cycle next() const;
  Event Pop();

 private:
  static constexpr int kWordBits = 64;
  static constexpr Cycle kCycles = kWordBits * kWordBits;  // of the ring
  static constexpr int32_t kNone = -1;

  struct Node {
    Event event;
    int32_t next;
  };
  struct List {
    int32_t first = kNone, last = kNone;
  };
  struct Far {
    Event event;
    uint64_t order;
    bool operator>(const Far& o) const {
      return std::tie(event.at, order) > std::tie(o.event.at, o.order);
    }
  };

  static size_t SlotOf(Cycle at) { return static_cast<size_t>(at) % kCycles; }
  void PushNear(const Event& event);
  int32_t TakeNode();
  // The ring starts at `at` from now on; what it now reaches comes into it
  // before anything is scheduled there directly, so that ties keep their order.
  void Advance(Cycle at);

  TiePolicy ties_;
  Cycle start_ = 0;  // the ring holds [start_, start_ + kCycles)
  std::array<List, kCycles> ring_;
  // Which lists are not empty, and which of these words are not 0.
  std::array<uint64_t, kWordBits> busy_{};
  uint64_t busy_words_ = 0;
  std::vector<Node> nodes_;
  int32_t free_ = kNone;
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
  uint64_t scheduled_ = 0;
  int64_t size_ = 0;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_EVENT_QUEUE_H_
