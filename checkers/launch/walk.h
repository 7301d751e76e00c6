// Walks the code of a CTA as far as an outline goes: who touches which boxes of
// global tensors. Nothing is executed but scalars and jumps; where memory
// decides, both ways are walked.
#ifndef TILESIM_CHECKERS_LAUNCH_WALK_H_
#define TILESIM_CHECKERS_LAUNCH_WALK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "checkers/launch/outline.h"
#include "ir/concrete.h"
#include "sim/machine/code.h"
#include "sim/machine/state.h"

namespace tilesim::checkers::launch {

// Warps [first_warp, first_warp + warps) of a CTA execute an op.
struct Visit {
  const machine::Cta& cta;
  const machine::CompiledOp& op;
  const grid::Touch& touch;
  const ir::TileValue& box;
  int first_warp = 0;
  int warps = 0;
  bool may = false;  // memory decides whether
};

class Walker {
 public:
  class Visitor {
   public:
    virtual ~Visitor() = default;
    virtual void Touches(const Visit& visit) = 0;
    // A scalar has no value.
    virtual void Fails(const machine::Cta& cta, ir::Span span) = 0;
  };

  // All must outlive it. `steps`: instructions that may still be executed.
  Walker(const machine::Code& code, const Outline& outline, int64_t& steps,
         Visitor& visitor);

  void Walk(const machine::Cta& cta);

 private:
  // Scopes that a party has entered, and the lanes that it had before.
  struct Inside {
    int32_t begin = 0, end = 0;
    uint32_t lanes = ~0u;
  };

  // Warps that are at one place of the code, which is left at `end`, or by a
  // jump to before `begin`.
  struct Party {
    int32_t pc = 0, begin = 0, end = 0;
    int first = 0, count = 0;
    std::vector<int64_t> slots;
    uint32_t lanes = ~0u;  // of each warp
    std::vector<Inside> inside{};
  };

  void Go(Party party);
  bool Step(Party& p);
  bool Scalar(Party& p, const machine::Instr& i);
  void Enter(Party& p, const machine::Instr& i);
  static void Leave(Party& p);
  void BothWays(Party& p);
  void Visits(const Party& p, const machine::CompiledOp& op);
  void Divide(Party& p, machine::Varies varies);
  // Some of its warps go on at `pc` by themselves.
  void Split(const Party& p, int first, int count, int32_t pc);
  machine::Who WhoIs(const Party& p) const;

  const machine::Code& code_;
  const Outline& outline_;
  int64_t& steps_;
  Visitor& visitor_;
  const machine::Cta* cta_ = nullptr;
  std::vector<Party> waiting_;
};

}  // namespace tilesim::checkers::launch

#endif  // TILESIM_CHECKERS_LAUNCH_WALK_H_
