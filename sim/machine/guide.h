// What steps a strand through control code: which op comes next, with which
// operands, and what of its scalars still matters. Everything else the machine
// does alike for every kernel. There is one guide a Code: of `.tile` text the
// TileGuide, of PTX ptx::PtxGuide.
//
// A guide changes the strand that it is given and of others what is said below,
// or by what Machine has for guides. What it remembers besides must not change
// what it answers.
#ifndef TILESIM_SIM_MACHINE_GUIDE_H_
#define TILESIM_SIM_MACHINE_GUIDE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/bind.h"
#include "ir/concrete.h"
#include "sim/machine/state.h"

namespace tilesim::machine {

struct CompiledOp;
struct StepResult;
class DataPort;
class Machine;

// What the clock takes ops of compiled code for: ops with the operands that
// `.tile` text would give them, tiles of declared shapes.
class Prices {
 public:
  virtual ~Prices() = default;
  // Where those tiles are declared.
  virtual const ir::BoundKernel& kernel() const = 0;
  // It may be overwritten by the next call.
  virtual const ir::ConcreteOp& Of(int32_t op,
                                   const ir::ConcreteOp& executed) = 0;
  // Whether the op has a price; false: it takes no time but its issue.
  virtual bool Has(int32_t op) const = 0;
  // Bytes of globals that the ops write, by declaration.
  virtual std::vector<bool> Written() const = 0;
  // Descriptors that are made for a batch of wgmma which begins with the op.
  virtual int Addresses(int32_t op) const = 0;
};

class Guide {
 public:
  virtual ~Guide() = default;

  // Null: ops are priced as they are.
  virtual Prices* prices() const { return nullptr; }

  // Runs the strand up to an op that all its threads execute now. False: it has
  // ended or cannot go on, and `result` says so; there, too, is what the way
  // costs (StepResult::control, tests, divisions).
  virtual bool Advance(Machine& machine, State& state, int32_t strand,
                       StepResult& result) const = 0;

  // Writes what varies of the operands of the op at which the strand stands,
  // and who executes it; the rest of `out` is there already. -1: done. Else the
  // operand that names nothing or has no value.
  virtual int Operands(const Machine& machine, const State& state,
                       const Strand& strand, const CompiledOp& op,
                       ir::ConcreteOp& out) const = 0;
  // Reports that Operands could not write that one.
  virtual void ReportOperand(Machine& machine, const State& state,
                             const Strand& strand, const CompiledOp& op,
                             int operand) const = 0;

  // The op returns a number to each of its threads (mbarrier.test_wait).
  virtual void Returned(Strand& strand, const ir::ConcreteOp& concrete,
                        int operand, int64_t value) const = 0;
  // The op at which the strand stands arrives at an mbarrier that is in this
  // phase, counted from its init: what a token of PTX tells. Every schedule
  // has the same phase there, or the arrival is a finding or not proved
  // (docs/certificate.md 4.2).
  virtual void Arrived(Strand& /*strand*/, uint32_t /*phase*/) const {}

  // The strand has executed the op at which it stands still. Of guarded code
  // (Code::guarded) alone. `data`: values of globals that decide control; null:
  // none do.
  virtual void Executed(State& /*state*/, int32_t /*strand*/,
                        const ir::ConcreteOp& /*concrete*/,
                        DataPort* /*data*/) const {}

  // Whether other lanes of the strand's warps execute the same instruction
  // next, which an op was a part of that the strand has just executed. Of
  // guarded code alone.
  virtual bool PartsLeft(const Strand& /*strand*/) const { return false; }

  // The answer of cluster launch control to the op, which `cta` has executed:
  // of guarded code alone.
  virtual void Answered(State& /*state*/, int32_t /*cta*/,
                        const ir::ConcreteOp& /*concrete*/, bool /*canceled*/,
                        const std::array<int32_t, 3>& /*first_cta*/) const {}

  // Numbers on which the future of one warp of the strand depends.
  virtual void AppendLive(const Strand& strand, int warp,
                          std::vector<int64_t>& out) const = 0;

  // Whether scalars keep two strands at one place from being one.
  virtual bool MayJoin(const Strand& a, const Strand& b) const = 0;
  // `other`, which lies beside it, is about to end inside `strand`; `forced`:
  // an op of the warpgroup needs both. What of the scalars is lost is a limit.
  virtual void Join(Machine& machine, const State& state, Strand& strand,
                    const Strand& other, bool forced) const = 0;
  // Two were one until now: each has the scalars of both, and its threads.
  virtual void Divide(Strand& strand, Strand& other) const = 0;

  // Where control may take the strand to next from an instruction, whatever
  // happens.
  virtual void WaysOn(const Machine& machine, const State& state,
                      const Strand& strand, int32_t pc,
                      std::vector<int32_t>& out) const = 0;
  // Whether an operand of the op may be an object of this declaration.
  virtual bool MayName(const CompiledOp& op, int operand,
                       int32_t decl) const = 0;

  // Whether the op stores the same numbers whoever executes it, so that it does
  // not matter who of several is last.
  virtual bool StoresSame(const CompiledOp& /*op*/) const { return false; }

  // What threads stored that wrote the same bytes in one execution of the op,
  // as runs have shown.
  enum class Meeting : uint8_t { kSame, kNotKnown, kDiffers };
  virtual Meeting StoredWhereThreadsMeet(const CompiledOp& /*op*/) const {
    return Meeting::kNotKnown;
  }

  // Whether lanes of a warp hand each other what the op loads (shfl.sync), so
  // that all have loaded by then.
  virtual bool IsShuffled(const CompiledOp& /*op*/) const { return false; }

  // Whether the op takes what it loads for read-only as long as the kernel runs
  // (ld.global.nc), so that nothing orders it after a write.
  virtual bool TakesForReadOnly(const CompiledOp& /*op*/) const {
    return false;
  }

  // How people are told of a tile, and what a warp does; "": as of text.
  virtual std::string NameOf(const ir::TileValue& /*tile*/) const { return ""; }
  virtual std::string WarpDoes(int /*warp*/) const { return ""; }

  // What `.tile` text says by itself of words that CTAs talk by
  // (checkers/run/flags.h, checkers/run/ticket.h), asked of code that has a
  // guide of its own. Whether the op, which reads a word, is all there is in a
  // loop that goes on while the word is 0 and ends with `value`.
  virtual bool AsksUntil(const CompiledOp& /*op*/, int64_t /*value*/) const {
    return false;
  }
  // Tests of mbarriers whose answers decide nothing but whether waits are
  // passed over, and those waits: ops, by the number of what they have in
  // common (checkers/run/peeks.h).
  struct PassedOver {
    std::map<int32_t, int32_t> tests, waits;
  };
  virtual const PassedOver* WaitsPassedOver() const { return nullptr; }
  // The strand has executed that test: the answer becomes no. Whether it was
  // yes.
  virtual bool TakeAsNo(Strand& /*strand*/, int32_t /*op*/) const {
    return false;
  }
  // The one element that the op accesses in that CTA of the grid, as runs have
  // shown; nullopt: none, or several.
  virtual std::optional<int64_t> ElementOf(const CompiledOp& /*op*/,
                                           int64_t /*cta*/) const {
    return std::nullopt;
  }
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_GUIDE_H_
