// The conditions of a certificate (docs/certificate.md 3), by number: which
// function proves one, and which test shows that it is needed, is found by its
// name.
#ifndef TILESIM_CHECKERS_ORDER_CONDITION_H_
#define TILESIM_CHECKERS_ORDER_CONDITION_H_

#include <cstdint>

namespace tilesim::checkers::order {

enum class Condition : uint8_t {
  kLives,          // 3.0
  kContributions,  // 3.1
  kWaits,          // 3.2
  kExpectations,   // 3.3
  kCounts,         // 3.4
  kBarriers,       // 3.5
  kPools,          // 3.6
};

// For tests alone, no part of what `check` is asked: as long as one lives, the
// condition is neither judged nor told. A program that is then called clean
// shows that the condition is needed (tests/agree/conditions_test.cc). One at
// a time.
class Weakened {
 public:
  explicit Weakened(Condition condition);
  ~Weakened();
  Weakened(const Weakened&) = delete;
  Weakened& operator=(const Weakened&) = delete;
};

// Whether the condition is to be judged: always, but for Weakened.
bool IsJudged(Condition condition);

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_CONDITION_H_
