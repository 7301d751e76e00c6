// The guide of `.tile` text: its control is Code::instrs, its scalars have one
// number for all threads of a strand.
//
// tile_guide.cc   assignments, loops, branches; what is live
// tile_scopes.cc  who is inside a scope
// operands.cc     operands
#ifndef TILESIM_SIM_MACHINE_TILE_GUIDE_H_
#define TILESIM_SIM_MACHINE_TILE_GUIDE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/code.h"
#include "sim/machine/guide.h"

namespace tilesim::machine {

// The warps of a CTA that a scope has, a bit each; of lanes and `elect`: all,
// if there is such a lane.
uint32_t WarpsOf(ir::Scope::Kind kind, int64_t low, int64_t high);
// The end of a scope that begins at `low`; `high`: the value of its high.
inline int64_t EndOf(const CompiledScope& scope, int64_t low, int64_t high) {
  return scope.one ? low + 1 : high;
}

// Warps that are at one place, a bit each, and lanes of each of them; electors
// as in ThreadSet.
struct Part {
  uint32_t warps = 0;
  uint32_t lanes = ~0u;
  uint32_t electors = 0;

  bool none() const { return warps == 0 || lanes == 0; }
};

// What lets pass the scopes of a kNarrow. nullopt: they cut through several
// warps differently; divide them first. `value`: of an expression, for these
// threads.
template <typename F>
std::optional<Part> Narrowed(const Code& code, const Instr& narrow, Part part,
                             F value);
// Of one scope, from low up to high.
std::optional<Part> Narrowed(ir::Scope::Kind kind, int64_t low, int64_t high,
                             Part part);

template <typename F>
std::optional<Part> Narrowed(const Code& code, const Instr& narrow, Part part,
                             F value) {
  for (int k = 0; k < narrow.count;) {
    uint32_t united = 0;
    do {
      const CompiledScope& scope = code.scopes[narrow.a + k];
      const int64_t low = value(scope.low);
      const std::optional<Part> alone =
          Narrowed(scope.kind, low, EndOf(scope, low, value(scope.high)), part);
      if (!alone) return std::nullopt;
      united |= alone->warps;
      part.lanes = alone->lanes;  // of united warps all
      part.electors = alone->electors;
    } while (++k < narrow.count && code.scopes[narrow.a + k].also);
    part.warps = united;
  }
  return part;
}

class TileGuide : public Guide {
 public:
  // The code must outlive it.
  explicit TileGuide(const Code& code) : code_(code) {}

  bool Advance(Machine& machine, State& state, int32_t strand,
               StepResult& result) const override;
  int Operands(const Machine& machine, const State& state, const Strand& strand,
               const CompiledOp& op, ir::ConcreteOp& out) const override;
  void ReportOperand(Machine& machine, const State& state, const Strand& strand,
                     const CompiledOp& op, int operand) const override;
  void Returned(Strand& strand, const ir::ConcreteOp& concrete, int operand,
                int64_t value) const override;
  void AppendLive(const Strand& strand, int warp,
                  std::vector<int64_t>& out) const override;
  bool MayJoin(const Strand& a, const Strand& b) const override;
  void Join(Machine& machine, const State& state, Strand& strand,
            const Strand& other, bool forced) const override;
  void Divide(Strand&, Strand&) const override {}
  void WaysOn(const Machine& machine, const State& state, const Strand& strand,
              int32_t pc, std::vector<int32_t>& out) const override;
  bool MayName(const CompiledOp& op, int operand, int32_t decl) const override;

 private:
  ir::Span SpanOfLoop(int32_t pc) const;
  bool RunScalar(const Instr& instr, const Who& who, Strand& strand) const;
  void Narrow(Machine& machine, State& state, int32_t strand,
              const Instr& instr, StepResult& result) const;
  void ReportNoNumber(Machine& machine, const State& state, int32_t strand,
                      const Instr& instr) const;

  const Code& code_;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_TILE_GUIDE_H_
