// Accesses that data decide, of compiled code: whether there are data for which
// two threads execute both.
#ifndef TILESIM_SIM_MACHINE_CHOSEN_H_
#define TILESIM_SIM_MACHINE_CHOSEN_H_

#include <cstdint>

#include "sim/machine/code.h"

namespace tilesim::machine {

// Guides of compiled code are these, too.
class Chosen {
 public:
  // kMay: for some data; what is not chosen is always executed. kNotShown: the
  // guide has noted it, so that the verdict says so.
  enum class Both : uint8_t { kMay, kNever, kNotShown };
  // How far apart the two threads are.
  enum class Apart : uint8_t { kLanes, kWarps, kCtas };
  virtual Both Together(const CompiledOp& a, const CompiledOp& b,
                        Apart apart) const = 0;

 protected:
  ~Chosen() = default;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_CHOSEN_H_
