// Where boxes begin and end, of all CTAs: those without values too.
#ifndef TILESIM_SIM_MACHINE_DATA_STARTS_H_
#define TILESIM_SIM_MACHINE_DATA_STARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "sim/machine/code.h"

namespace tilesim::machine {

struct BoxFault {
  ir::Code code;  // bounds/*, layout/*, tcgen05/lanes
  std::string message;
  std::string help;
};

// What is wrong with the operand's box: it is not there, or the op cannot
// start at it.
std::optional<BoxFault> WrongBox(const ir::BoundKernel& kernel,
                                 const ir::ConcreteOp& op, int operand);

// Which operands of an op are to be looked at (WrongBox): those that may
// lie outside their object, or begin where the op cannot start. What is the
// same in each execution is looked at in the first one.
class Starts {
 public:
  using Operands = absl::InlinedVector<int8_t, 4>;

  // The codes must outlive this.
  explicit Starts(const std::vector<const Code*>& codes);

  const Operands& ToLookAt(int kernel, const CompiledOp& op) {
    const Code& code = *codes_[kernel];
    OfOp& of = ops_[kernel][&op - code.ops.data()];
    if (of.met) return of.varying;
    of.met = true;
    return of.all;
  }

 private:
  struct OfOp {
    Operands all, varying;
    bool met = false;
  };

  std::vector<const Code*> codes_;
  std::vector<std::vector<OfOp>> ops_;  // by kernel, then by op
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_STARTS_H_
