// Loads of tensor memory of compiled code whose numbers stores have: such a
// store cannot be executed before the load has read.
#ifndef TILESIM_SIM_MACHINE_STORED_LOADS_H_
#define TILESIM_SIM_MACHINE_STORED_LOADS_H_

#include <bitset>
#include <cstdint>
#include <vector>

#include "sim/machine/code.h"

namespace tilesim::machine {

// Registers of a tcgen05.ld, of which a thread has up to 128.
using LoadedRegisters = std::bitset<128>;

class StoredLoads {
 public:
  struct Part {
    int32_t load = 0;  // its op
    LoadedRegisters registers;
  };

  virtual ~StoredLoads() = default;
  // What the store has of each load, as that was executed last.
  virtual const std::vector<Part>& StoredOf(const CompiledOp& op) const = 0;
  // Registers of the load that something reads.
  virtual LoadedRegisters ReadOf(const CompiledOp& op) const = 0;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_STORED_LOADS_H_
