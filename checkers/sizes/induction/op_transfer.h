// How ops act on the symbolic state: the transfer functions of the run as an
// abstract interpretation. Control instructions have theirs in the symbolic
// state itself.
//
//   stores to shared memory   leave an integer in a word
//   loads of such a word      set a scalar to it
//   draws, and polls          set a scalar to the family's number, the flag's
//                             value
//   queries of an answer      set a scalar to whether there is a cluster
//   whatever else             sets its scalars to unknown
//
// A scalar is unknown where the op's result may depend on anything that is not
// followed, so what is concluded of the others holds whatever that is.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_OP_TRANSFER_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_OP_TRANSFER_H_

#include <memory>
#include <vector>

#include "checkers/sizes/induction/executed_op.h"
#include "checkers/sizes/protocol/answers.h"
#include "checkers/sizes/protocol/grid_flags.h"
#include "checkers/sizes/state/shared_words.h"
#include "checkers/sizes/state/symbolic_state.h"
#include "checkers/sizes/state/text_multiple.h"

namespace tilesim::checkers::sizes::induction {

class OpTransfer {
 public:
  OpTransfer(const machine::Code& code, const state::Family& family)
      : code_(code),
        multiples_(std::make_shared<state::Multiples>(code)),
        flags_(family.flags) {}

  // `again`: the op is in a loop that larger members turn more often.
  void Execute(const ExecutedOp& op, state::SymbolicState& symbolic,
               bool again);

  // Nothing is known any more of what words of shared memory hold.
  void ForgetWords() { words_.Forget(); }
  const protocol::Answers& answers() const { return answers_; }
  void SetAnswers(protocol::Answers answers) { answers_ = std::move(answers); }
  void Replace(algebra::Symbol symbol, const algebra::Polynomial& value) {
    answers_.Replace(symbol, value);
  }
  // What the CTAs have done to flags in a run that is over.
  protocol::GridFlags FlagsAfter(const state::SymbolicState& run) const;
  // Whether a word was read that holds what was stored to it if parameters are
  // below 2^31.
  bool small_sizes() const { return small_sizes_; }

 private:
  void StoreWords(const ExecutedOp& op, state::SymbolicState& symbolic);
  enum class Fits : uint8_t { kNot, kIfSmall, kAlways };
  static Fits FitsWord(const algebra::Polynomial& number,
                       state::SymbolicState& symbolic);
  void GuardThere(const ExecutedOp& op, state::SymbolicState& symbolic) const;
  void GuardStarts(const ExecutedOp& op, state::SymbolicState& symbolic) const;
  void GuardCoordinate(const ExecutedOp& op, int operand,
                       state::SymbolicState& symbolic) const;
  void GuardAddress(const ExecutedOp& op, int operand,
                    state::SymbolicState& symbolic) const;
  void GuardPlace(const ExecutedOp& op, int operand,
                  state::SymbolicState& symbolic) const;
  void GuardNumbers(const ExecutedOp& op, state::SymbolicState& symbolic) const;
  void GuardPutBack(const ExecutedOp& op, state::SymbolicState& symbolic) const;
  void SignalFlags(const ExecutedOp& op, state::SymbolicState& symbolic,
                   bool again);
  void SetScalars(const ExecutedOp& op, state::SymbolicState& symbolic);
  void QueryAnswers(const ExecutedOp& op, state::SymbolicState& symbolic) const;
  std::optional<algebra::Polynomial> AddersOf(
      const ExecutedOp& op, int operand,
      const state::SymbolicState& symbolic) const;
  algebra::Symbolic Found(const ExecutedOp& op,
                          const state::SymbolicState& symbolic);

  const machine::Code& code_;
  std::shared_ptr<const state::Multiples> multiples_;
  state::SharedWords words_;
  protocol::Answers answers_;
  protocol::GridFlags flags_;
  std::optional<machine::Who> last_;  // whoever executed an op last
  bool small_sizes_ = false;
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_OP_TRANSFER_H_
