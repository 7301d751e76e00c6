// Where threads of compiled code have stored all that they use of what a
// tcgen05.ld brings them: it has read by then, though no tcgen05.wait::ld says
// so.
#ifndef TILESIM_CHECKERS_ORDER_STORED_LOADS_H_
#define TILESIM_CHECKERS_ORDER_STORED_LOADS_H_

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "checkers/order/clock.h"
#include "checkers/run/log.h"
#include "sim/machine/stored_loads.h"

namespace tilesim::checkers::order {

class StoredLoads {
 public:
  explicit StoredLoads(const run::Log& log);
  // An agent has executed it, as the last that it has done.
  void Add(const run::Event& e, Mark mark);
  // Where issuing agents have stored their parts of an operation.
  std::span<const Mark> Of(int32_t operation) const;

 private:
  struct Load {
    int32_t operation = -1;
    machine::LoadedRegisters to_come;
  };

  const run::Log* log_;
  const machine::StoredLoads* guide_;  // null: it is no compiled code
  std::map<std::pair<int32_t, int32_t>, Load> last_;  // by agent and op
  std::map<int32_t, std::vector<Mark>> stored_;       // by operation
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_STORED_LOADS_H_
