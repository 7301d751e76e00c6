// Loads of compiled code by which control goes if what they return is known.
#ifndef TILESIM_SIM_MACHINE_KNOWN_LOADS_H_
#define TILESIM_SIM_MACHINE_KNOWN_LOADS_H_

#include "sim/machine/code.h"

namespace tilesim::machine {

class KnownLoads {
 public:
  virtual ~KnownLoads() = default;
  // Whether what the load returned was never known, in any run. What depends on
  // it has then been executed, or not followed, as for any number: so it does
  // not matter which number another schedule has there.
  virtual bool IsNeverKnown(const CompiledOp& op) const = 0;
  // Whether nothing takes what the load returns, where it is executed as that
  // op.
  virtual bool IsInVain(const CompiledOp& op) const = 0;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_KNOWN_LOADS_H_
