// The scalars of a run, followed for a family of sizes at once: whatever holds
// of them holds for every value of the symbols, or the run stops at the first
// thread whose way depends on one.
//
//   SymbolicState symbolic(code, family);     // K is 512 + 64 n
//   RunCluster(code, {.observer = ...});      // calls Control, Divided ...
//   if (symbolic.undecided()) ... `i < TILES` on line 45 ...
//
// A strand of the run is one of every member, as each guard so far has had one
// outcome for all of them: so its scalars are what the same instructions make
// of polynomials. `code` keeps its parameters (machine::Params::kKept).
#ifndef TILESIM_CHECKERS_SIZES_STATE_SYMBOLIC_STATE_H_
#define TILESIM_CHECKERS_SIZES_STATE_SYMBOLIC_STATE_H_

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/sizes/state/family_arithmetic.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::sizes::state {

class SymbolicState {
 public:
  using Slots = std::vector<algebra::Symbolic>;

  SymbolicState(const machine::Code& code, Family family)
      : code_(code), arithmetic_(std::move(family)) {}

  void Control(const machine::State& state, int32_t strand,
               const machine::Instr& instr, const machine::Who& who);
  // An op's index of an element, of so many: a guard as well. `is`: it is
  // there, in this run. Natural: only that it is no negative one.
  void Inside(const machine::State& state, int32_t strand, ir::Span span,
              const algebra::Symbolic& index, const algebra::Symbolic& extent,
              bool is);
  void Natural(const machine::State& state, int32_t strand, ir::Span span,
               const algebra::Symbolic& index, bool is);
  // That what an op's operand starts at leaves the same remainder: likewise.
  void SameRemainder(const machine::State& state, int32_t strand, ir::Span span,
                     const algebra::Symbolic& start, int64_t by);
  // What an op hands on in memory, if a comparison decides it: likewise.
  void Stored(const machine::State& state, int32_t strand, ir::Span span,
              const algebra::Symbolic& value);
  void Divided(int32_t strand, int32_t other);
  void Absorbed(int32_t strand, int32_t other);

  algebra::Symbolic Evaluate(const machine::CompiledExpr& expr, int32_t strand,
                             const machine::Who& who);

  // A guard that is the same for the whole family was not that in this run.
  bool mistaken() const { return mistaken_; }
  // The first guard that is not the same for the whole family.
  const std::optional<Guard>& undecided() const {
    return arithmetic_.undecided();
  }
  void OnGuard(std::function<void(const Guard&)> f) {
    on_guard_ = std::move(f);
  }
  void OnUnsaid(FamilyArithmetic::Unsaid f) {
    arithmetic_.OnUnsaid(std::move(f));
  }

  const Family& family() const { return arithmetic_.family(); }
  FamilyArithmetic& arithmetic() { return arithmetic_; }
  std::optional<bool> AtLeast0(const algebra::Polynomial& number) const {
    return arithmetic_.AtLeast0(number);
  }
  const Slots& slots(int32_t strand) { return Of(strand); }
  void SetSlot(int32_t strand, int32_t slot, algebra::Symbolic value) {
    Of(strand)[slot] = std::move(value);
  }
  // In every scalar.
  void Replace(algebra::Symbol symbol, const algebra::Polynomial& value);

 private:
  Slots& Of(int32_t strand);
  algebra::Symbolic Builtin(int32_t which, const machine::Who& who) const;
  // Of instructions of an expression.
  algebra::Symbolic Evaluate(int32_t begin, int32_t end, int32_t strand,
                             const machine::Who& who);
  std::optional<algebra::Symbolic> Either(int32_t jump,
                                          const algebra::Symbolic& bit,
                                          int32_t strand,
                                          const machine::Who& who);
  algebra::Polynomial StepOf(int32_t strand, const machine::Instr& test,
                             const machine::Who& who);
  void ForTest(const machine::State& state, int32_t strand,
               const machine::Instr& instr, const machine::Who& who);
  void Narrow(const machine::State& state, int32_t strand,
              const machine::Instr& instr, const machine::Who& who);
  // `is`: what it is in this run.
  void Test(int32_t strand, const machine::State& state,
            const machine::Instr& instr, const algebra::Symbolic& value,
            std::optional<int64_t> is,
            const algebra::Polynomial& step = algebra::Polynomial(1));
  void Test(Guard guard, const algebra::Symbolic& value,
            std::optional<int64_t> is);
  // Of what an op names.
  void TestName(const machine::State& state, int32_t strand, ir::Span span,
                const algebra::Symbolic& value, std::optional<int64_t> is);

  const machine::Code& code_;
  FamilyArithmetic arithmetic_;
  std::vector<Slots> strands_;
  bool mistaken_ = false;
  std::function<void(const Guard&)> on_guard_;
};

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_SYMBOLIC_STATE_H_
