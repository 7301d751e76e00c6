// The scalars of a run, followed for a family of sizes at once: whatever holds
// of them holds for every value of the symbols, or the run stops at the first
// thread whose way depends on one.
//
//   SymbolicState shadow(code, family);              // K is 512 + 64 n
//   RunCluster(code, {.observer = ...});       // calls Control, Divided ...
//   if (shadow.undecided()) ... `i < TILES` on line 45 ...
//
// `code` keeps its parameters (machine::Params::kKept).
#ifndef TILESIM_CHECKERS_SIZES_SYMBOLIC_STATE_H_
#define TILESIM_CHECKERS_SIZES_SYMBOLIC_STATE_H_

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "checkers/run/flags.h"
#include "checkers/run/ticket.h"
#include "checkers/sizes/facts.h"
#include "checkers/sizes/symbolic.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::sizes {

// A comparison that decides where a thread goes; or whether what an op names is
// there, or a number can be divided by another.
struct Guard {
  int32_t cta = -1;  // whose: its slot, its first warp
  int32_t warp = -1;
  int32_t pc = -1;
  ir::Span span;
  // True where this is at least 0; absent: no comparison of numbers.
  std::optional<Polynomial> number;
  Polynomial because;  // what makes it undecided
  int64_t by = 1;      // where that should be a multiple of it
  int64_t step = 1;    // of the loop that it ends, if that is known
  bool loop = true;    // it may be what ends one
  std::string_view asks = "what is decided";
};

// `of` and `by` are the same number.
struct Rewrite {
  Polynomial of;  // without a base
  Polynomial by;
};

// Clusters in grids of many sizes: those whose parameters, by slot, and whose
// position are these, for all values of the symbols in them that are known to
// be possible.
struct Family {
  std::map<int32_t, Polynomial> params;
  std::array<Polynomial, 3> cta;  // added to a CTA's position in the grid
  std::array<Symbolic, 3> grid;   // CTAs (GridOf)
  std::vector<Rewrite> known;
  std::set<Symbol> positive;  // at least 1
  // Clusters that cluster launch control hands out to the one that runs.
  std::optional<Polynomial> handed_out;
  // What the CTA draws in the run, and the number that is in all of them.
  std::optional<run::Ticket> ticket;
  Polynomial number;
  std::vector<run::Flags> flags;  // that the CTA finds set when it asks
  // Extents of the tensors of which ops name elements (ShapesOf).
  std::map<int32_t, std::vector<Symbolic>> shapes;
  Facts facts;
};

// What the kernel's text says of the grid; looks at no `grid` itself.
std::array<Symbolic, 3> GridOf(const machine::Code& code, Family family);

// Likewise of the global tensors of which ops name elements.
std::map<int32_t, std::vector<Symbolic>> ShapesOf(const machine::Code& code,
                                                  Family family);

// A global tensor's element, which must be there.
bool NamesElement(const machine::Code& code, const machine::CompiledOp& op,
                  size_t operand);

class SymbolicState {
 public:
  using Slots = std::vector<Symbolic>;

  SymbolicState(const machine::Code& code, Family family);

  void Control(const machine::State& state, int32_t strand,
               const machine::Instr& instr, const machine::Who& who);
  // An op's index of an element, of so many: a guard as well. `is`: it is
  // there, in this run.
  void Inside(const machine::State& state, int32_t strand, ir::Span span,
              const Symbolic& index, const Symbolic& extent, bool is);
  void Divided(int32_t strand, int32_t other);
  void Absorbed(int32_t strand, int32_t other);

  Symbolic Evaluate(const machine::CompiledExpr& expr, int32_t strand,
                    const machine::Who& who);

  // The kernel's lets, which come first.
  void SetLets();
  // Of sizes, constants and those.
  Symbolic Evaluate(const ir::Expr& text);

  // A guard that is the same for the whole family was not that in this run.
  bool mistaken() const { return mistaken_; }
  // The first guard that is not the same for the whole family.
  const std::optional<Guard>& undecided() const { return undecided_; }
  void OnGuard(std::function<void(const Guard&)> f) {
    on_guard_ = std::move(f);
  }

  // What takes the place of a number that cannot be said, made by an operator
  // or a function (else -1).
  using Unsaid = std::function<Symbolic(ir::ExprOp op, int32_t function,
                                        const Symbolic& a, const Symbolic& b)>;
  void OnUnsaid(Unsaid f) { unsaid_ = std::move(f); }

  const Family& family() const { return family_; }
  void Know(const Facts& facts) { family_.facts = facts; }
  const Slots& slots(int32_t strand) { return Of(strand); }
  void SetSlot(int32_t strand, int32_t slot, Symbolic value) {
    Of(strand)[slot] = std::move(value);
  }
  // Where the next expressions are, to tell of them.
  void At(ir::Span span) { at_ = span; }
  // In every scalar.
  void Replace(Symbol symbol, const Polynomial& value);
  // Whether a number that was compared is at least 0.
  std::optional<bool> AtLeast0(const Polynomial& number) const;
  void Push(Rewrite rewrite) { rewrites_.push_back(std::move(rewrite)); }
  void Pop() { rewrites_.pop_back(); }

 private:
  Slots& Of(int32_t strand);
  Symbolic Builtin(int32_t which, const machine::Who& who) const;
  Symbolic Compute(ir::ExprOp op, const Symbolic& a, const Symbolic& b);
  bool NeverZero(const Polynomial& p) const;
  void DividesBy(const Symbolic& b);
  bool Divides(int32_t begin, int32_t end) const;
  void Undecided(const Polynomial& because, int64_t by);
  std::optional<Symbolic> Divided(ir::ExprOp op, const Symbolic& a,
                                  const Symbolic& b) const;
  Symbolic Unary(ir::ExprOp op, const Symbolic& a);
  Symbolic Truth(const Symbolic& condition);
  Symbolic Call(int32_t function, const Symbolic& a, const Symbolic& b);
  Symbolic Natural(const Symbolic& index);
  Symbolic Below(const Symbolic& index, const Symbolic& extent);
  int64_t StepOf(int32_t strand, const machine::Instr& test,
                 const machine::Who& who);
  // `is`: what it is in this run.
  void Test(int32_t strand, const machine::State& state,
            const machine::Instr& instr, const Symbolic& value,
            std::optional<int64_t> is, int64_t step = 1);
  void Test(Guard guard, const Symbolic& value, std::optional<int64_t> is);

  const machine::Code& code_;
  Family family_;
  std::vector<Slots> strands_;
  std::vector<Rewrite> rewrites_;
  std::optional<Polynomial> compared_;  // by the last comparison
  ir::Span at_;
  std::optional<Guard> undecided_;
  bool mistaken_ = false;
  std::function<void(const Guard&)> on_guard_;
  Unsaid unsaid_;
};

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_SYMBOLIC_STATE_H_
