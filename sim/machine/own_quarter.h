// Accesses of compiled code to tensor memory whose addresses name other lanes
// than those that their warp reaches.
#ifndef TILESIM_SIM_MACHINE_OWN_QUARTER_H_
#define TILESIM_SIM_MACHINE_OWN_QUARTER_H_

#include <optional>
#include <string>

#include "sim/machine/code.h"

namespace tilesim::machine {

class OwnQuarter {
 public:
  virtual ~OwnQuarter() = default;
  // Lanes that the op has named in some run, of which it was taken for one of
  // its warp's own instead; nullopt: it named these.
  virtual std::optional<std::string> NamesOtherLanes(
      const CompiledOp& op) const = 0;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_OWN_QUARTER_H_
