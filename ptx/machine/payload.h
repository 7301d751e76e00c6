// What executes payload beside a guide: every instruction, on the bits of each
// thread. The guide says who comes to which instruction, in which order; what
// memory returns and decides, it asks for. Without one, as in `check`, payload
// is not executed.
#ifndef TILESIM_PTX_MACHINE_PAYLOAD_H_
#define TILESIM_PTX_MACHINE_PAYLOAD_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "ir/concrete.h"
#include "sim/machine/state.h"

namespace tilesim::ptx {

class Payload {
 public:
  virtual ~Payload() = default;
  // The lanes of the strand come to an instruction, a node of the graph.
  // Whether each of them executes it, its guard says.
  virtual void Execute(const machine::State& state,
                       const machine::Strand& strand, int32_t node) = 0;
  // A register of the graph, in a thread of the strand.
  virtual uint64_t Register(const machine::Strand& strand, size_t thread,
                            int32_t reg) = 0;
  // In all lanes of the strand: what the machine has said.
  virtual void SetRegister(const machine::Strand& strand, int32_t reg,
                           uint64_t value) = 0;
  // The answer of cluster launch control to the op, which `cta` has executed.
  virtual void Answered(const machine::State& state, int32_t cta,
                        const ir::ConcreteOp& concrete, bool canceled,
                        const std::array<int32_t, 3>& first_cta) = 0;
  // False: values can no longer be told, and the run is to end.
  virtual bool ok() const = 0;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_PAYLOAD_H_
