// Which numbers that a tcgen05.ld returns an instruction stores.
#ifndef TILESIM_PTX_MACHINE_STORED_LOADS_H_
#define TILESIM_PTX_MACHINE_STORED_LOADS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/flow/graph.h"
#include "ptx/machine/program.h"
#include "sim/machine/stored_loads.h"

namespace tilesim::ptx {

struct LoadsStored {
  struct Part {
    int32_t load = 0;  // a node
    machine::LoadedRegisters registers;
  };
  std::map<int32_t, std::vector<Part>> stores;       // by node
  std::map<int32_t, machine::LoadedRegisters> read;  // by node of the load
};

// Followed are registers that one instruction alone writes: what such a one
// holds was made of what the instructions that it comes from returned last.
LoadsStored LoadsStoredIn(const Graph& graph);

// The same by the ops of a program.
class LoadsOfOps {
 public:
  using Part = machine::StoredLoads::Part;
  explicit LoadsOfOps(const Program& program);
  const std::vector<Part>& StoredOf(int32_t op) const;
  machine::LoadedRegisters ReadOf(int32_t op) const;

 private:
  std::map<int32_t, std::vector<Part>> stored_;
  std::map<int32_t, machine::LoadedRegisters> read_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_STORED_LOADS_H_
