#include "sim/timing/event_queue.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {

// Schedules and pops at random, up to a given distance ahead, and compares with
// a list that is searched.
void CompareWithList(TiePolicy ties, Cycle furthest) {
  std::mt19937 random(1);
  EventQueue queue(ties);
  std::vector<Event> list;  // in the order of scheduling
  Cycle now = 0;
  bool last_first = ties == TiePolicy::kLastScheduledFirst;
  for (int32_t id = 0; id < 20000; ++id) {
    // Cycles are few so that ties are many.
    Cycle step = std::max<Cycle>(furthest / 16, 1);
    Event event{now + static_cast<Cycle>(random() % 17) * step, id, 0,
                Event::Kind::kStrand};
    queue.Push(event);
    list.insert(last_first ? list.begin() : list.end(), event);
    while (!list.empty() && random() % 100 < 52) {
      auto first = std::min_element(
          list.begin(), list.end(),
          [](const Event& a, const Event& b) { return a.at < b.at; });
      ASSERT_EQ(queue.next(), first->at);
      Event popped = queue.Pop();
      ASSERT_EQ(popped.at, first->at);
      ASSERT_EQ(popped.id, first->id);
      now = first->at;
      list.erase(first);
    }
    ASSERT_EQ(queue.empty(), list.empty());
  }
}

TEST(EventQueue, KeepsOrderNearAndFar) {
  for (Cycle furthest : {0, 16, 1000, 4095, 4096, 50000, 1000000}) {
    CompareWithList(TiePolicy::kFirstScheduledFirst, furthest);
    CompareWithList(TiePolicy::kLastScheduledFirst, furthest);
  }
}

TEST(EventQueueDeathTest, ThePastCannotBeScheduled) {
  EventQueue queue(TiePolicy::kFirstScheduledFirst);
  queue.Push({10, 0, 0, Event::Kind::kLaunch});
  queue.Pop();
  EXPECT_DEATH(queue.Push({9, 0, 0, Event::Kind::kLaunch}), "");
}

}  // namespace
}  // namespace tilesim::timing
