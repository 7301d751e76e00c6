// Whether the operands of ops mean the same in all members of a family, but for
// what rings are turned further in each.
//
// The machine does with its operands what it does in the run if each is the
// same or turns with its ring: so an operand that names an object of an array
// must follow that ring, a parity the phase of the barrier before it, and every
// other number must be known, unless it decides nothing but data. Where in
// global memory an op works may be anything: no state of the machine depends on
// it.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_RING_OPERANDS_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_RING_OPERANDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "checkers/sizes/induction/accumulators.h"
#include "checkers/sizes/induction/executed_op.h"
#include "checkers/sizes/induction/ring_following.h"
#include "checkers/sizes/state/symbolic_state.h"

namespace tilesim::checkers::sizes::induction {

// Of one op.
class RingOperands {
 public:
  // `turned`: by how much each ring is turned further than in the run.
  RingOperands(const machine::Code& code,
               const std::vector<algebra::Polynomial>& turned,
               const Accumulators& accumulators, const ExecutedOp& op,
               state::SymbolicState& symbolic)
      : code_(code),
        turned_(turned),
        accumulators_(accumulators),
        op_(op),
        symbolic_(symbolic) {}

  bool Follow();
  // What is out of step with its ring, if that is why they do not.
  const std::optional<Unfit>& unfit() const { return unfit_; }

 private:
  bool Follows(int operand);
  bool NameFollows(int operand);
  bool ParityFollows(int operand);
  bool DecidesOnlyData(int operand) const;
  bool Known(const machine::CompiledExpr& expr);
  std::optional<algebra::Symbolic> IndexOf(const machine::CompiledOperand& c);
  absl::InlinedVector<int32_t, 2> RingsMeant(int operand) const;
  TurnedRing RingAt(int32_t ring) const;
  bool Holds(const Following& following);

  const machine::Code& code_;
  const std::vector<algebra::Polynomial>& turned_;
  const Accumulators& accumulators_;
  const ExecutedOp& op_;
  state::SymbolicState& symbolic_;
  // The operand before, if it names a slot: what a parity is of.
  algebra::Symbolic slot_ = algebra::Symbolic::Number(0);
  int barrier_ = -1;
  std::optional<Unfit> unfit_;
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_RING_OPERANDS_H_
