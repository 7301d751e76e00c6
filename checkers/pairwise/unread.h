// Bytes of shared memory that a run writes and never reads: what TMA loads
// there is loaded for the L2 cache.
#ifndef TILESIM_CHECKERS_PAIRWISE_UNREAD_H_
#define TILESIM_CHECKERS_PAIRWISE_UNREAD_H_

#include <map>
#include <optional>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class Unread {
 public:
  // Whether both of a conflict are copies to shared memory, of bytes that no op
  // of the whole run reads, before or after: which of the two is last, nobody
  // knows. Only where the run was followed to its end.
  bool Has(const Context& context, const Conflict& conflict);

 private:
  using Reads = std::map<footprint::Place, footprint::IntervalSet>;

  std::optional<Reads> reads_;  // once somebody has asked
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_UNREAD_H_
