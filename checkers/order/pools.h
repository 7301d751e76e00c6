// Condition 6 of the certificate: registers and tensor memory never run out in
// another way than in this run.
#ifndef TILESIM_CHECKERS_ORDER_POOLS_H_
#define TILESIM_CHECKERS_ORDER_POOLS_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "checkers/order/order.h"

namespace tilesim::checkers::order {

class Pools {
 public:
  explicit Pools(const Order& order) : order_(order) {}

  // After the order has finished the event.
  void After(int32_t event);
  bool Hold() const;

 private:
  enum class Kind : uint8_t { kRegisters, kTmem };
  struct Change {
    int64_t amount = 0;  // taken; negative: given back
    Mark mark;
    Clock clock;
  };
  using Pool = std::vector<Change>;

  void Registers(const run::Event& e, int64_t value);
  void Tmem(const run::Event& e, const ir::Effect& effect);
  void Add(Kind kind, const run::Event& e, int64_t amount);
  using Changes = std::vector<const Change*>;
  static bool Holds(Pool pool, int64_t capacity);
  static bool MayWait(const Pool& pool, const Change& request,
                      int64_t capacity);
  static bool EndsWaiting(const Pool& pool, const Changes& waiting,
                          const Change& request, int64_t capacity);
  static bool Hopeless(const Pool& pool, const Change& request,
                       int64_t capacity);

  const Order& order_;
  std::map<std::pair<Kind, int32_t>, Pool> pools_;            // by CTA
  std::map<std::pair<int32_t, int32_t>, int64_t> registers_;  // of a warpgroup
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_POOLS_H_
