#include "sim/timing/event_queue.h"

#include <bit>
#include <cstdlib>

namespace tilesim::timing {

void EventQueue::Push(const Event& event) {
  if (event.at < start_) std::abort();
  ++size_;
  if (event.at - start_ < kCycles) return PushNear(event);
  far_.push({event, scheduled_++});
}

int32_t EventQueue::TakeNode() {
  if (free_ == kNone) {
    nodes_.emplace_back();
    return static_cast<int32_t>(nodes_.size()) - 1;
  }
  int32_t n = free_;
  free_ = nodes_[n].next;
  return n;
}

void EventQueue::PushNear(const Event& event) {
  size_t slot = SlotOf(event.at);
  List& list = ring_[slot];
  int32_t n = TakeNode();
  nodes_[n] = {event, kNone};
  if (list.first == kNone) {
    list.first = list.last = n;
    busy_[slot / kWordBits] |= uint64_t{1} << slot % kWordBits;
    busy_words_ |= uint64_t{1} << slot / kWordBits;
  } else if (ties_ == TiePolicy::kFirstScheduledFirst) {
    nodes_[list.last].next = n;
    list.last = n;
  } else {
    nodes_[n].next = list.first;
    list.first = n;
  }
}

Cycle EventQueue::next() const {
  if (busy_words_ == 0) return far_.top().event.at;
  size_t from = SlotOf(start_), word = from / kWordBits;
  uint64_t bits = busy_[word] & ~uint64_t{0} << from % kWordBits;
  if (bits == 0) {
    // The next word that has any; the first again, for its lower bits, last.
    size_t ahead = word + 1;
    word = (ahead + std::countr_zero(std::rotr(
                        busy_words_, static_cast<int>(ahead % kWordBits)))) %
           kWordBits;
    bits = busy_[word];
  }
  size_t slot = word * kWordBits + std::countr_zero(bits);
  return start_ + static_cast<Cycle>((slot - from) % kCycles);
}

void EventQueue::Advance(Cycle at) {
  start_ = at;
  while (!far_.empty() && far_.top().event.at - start_ < kCycles) {
    PushNear(far_.top().event);
    far_.pop();
  }
}

Event EventQueue::Pop() {
  Cycle at = next();
  --size_;
  if (at != start_) Advance(at);
  size_t slot = SlotOf(at);
  List& list = ring_[slot];
  int32_t n = list.first;
  list.first = nodes_[n].next;
  if (list.first == kNone) {
    uint64_t& word = busy_[slot / kWordBits];
    word &= ~(uint64_t{1} << slot % kWordBits);
    if (word == 0) busy_words_ &= ~(uint64_t{1} << slot / kWordBits);
  }
  nodes_[n].next = free_;
  free_ = n;
  return nodes_[n].event;
}

}  // namespace tilesim::timing
