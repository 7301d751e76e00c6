// One op at its data milestone, and the ways to its operands. Ops read boxes
// into dense arrays, compute, and write boxes back:
//
//   void Compute(ir::ops::TmaLoad, Job& job) {
//     job.WriteShared(kDst, job.ReadGlobal(kSrc), job.destination());
//   }
//
// Boxes outside their object and reads of what nobody wrote become findings,
// one of a code an op; such a box reads as zero and is not written.
#ifndef TILESIM_SIM_MACHINE_DATA_JOB_H_
#define TILESIM_SIM_MACHINE_DATA_JOB_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "sim/machine/data/cta_memory.h"
#include "sim/machine/data/dense.h"
#include "sim/machine/data/memory.h"
#include "sim/machine/data/threads.h"

namespace tilesim::machine {

// What payload needs to know of the machine at the time of the op: the machine
// may have gone on when it is done (data/aside.h).
struct Site {
  const State* state = nullptr;  // nullptr: it has gone on
  int32_t cta = 0;               // by index into State::ctas
  int16_t kernel = 0;
  int64_t linear = 0;                     // of the CTA, in the grid
  absl::InlinedVector<int32_t, 4> peers;  // CTAs of the cluster, by rank
  bool all_have_values = false;           // all CTAs that were launched so far
};

class Job {
 public:
  static constexpr int kOwn = -1;

  Job(Memory& memory, const Site& site, const CompiledOp& compiled,
      const ir::ConcreteOp& op, int destination, int64_t* slots)
      : memory_(memory),
        site_(site),
        compiled_(compiled),
        op_(op),
        destination_(destination),
        slots_(slots) {}

  const ir::ConcreteOp& op() const { return op_; }
  const ir::TileValue& tile(int operand) const { return op_.tile(operand); }
  const ir::BoundKernel& bound() const {
    return memory_.code(site_.kernel).bound;
  }
  const ir::BoundDecl& decl(int operand) const {
    return bound().decls[tile(operand).decl];
  }
  std::string_view name(int operand) const;
  const Site& site() const { return site_; }
  MmaTally& tally() { return memory_.tally(); }
  // The rank a multicast serves, or kOwn.
  int destination() const { return destination_; }
  // Threads that do the op, each for itself.
  int threads() const { return op_.threads.threads(); }

  // The operand's var, if the strand is there to have it.
  void SetVar(int operand, int64_t value) {
    int slot = op_.operands[operand].slot;
    if (slots_ != nullptr && slot >= 0) slots_[slot] = value;
  }

  void Fault(ir::Code code, std::string message, std::string help = "");

  // The CTA of cluster rank `rank`, or of this op; nullptr: it has no memory.
  CtaMemory* Peer(int rank);

  // --- global: outside the tensor zeros are read and writes are dropped.
  Dense ReadGlobal(int operand);
  void WriteGlobal(int operand, const Dense& box, const Mask& mask = {});
  GlobalTensor& Global(int operand);
  // Linear index of the first element of the box; -1 (and a finding) if it is
  // outside the tensor.
  int64_t GlobalElement(int operand);

  // --- shared. `rank` overrides the operand's own `@ cta`.
  Dense ReadShared(int operand, int rank = kOwn, const Mask& mask = {});
  void WriteShared(int operand, const Dense& box, int rank = kOwn,
                   const Mask& mask = {});

  // Global or shared, whichever the operand is.
  Dense ReadMemory(int operand, const Mask& mask = {});
  void WriteMemory(int operand, const Dense& box, const Mask& mask = {});

  // All threads of the scope around the op.
  Unit Scope() const { return ScopeUnit(compiled_, op_.threads); }

  // --- registers, one unit of threads at a time.
  Units UnitsOf(int operand) const;
  // Elements of the operand's box that executing threads of the unit hold.
  Mask MaskOf(int operand, const Unit& unit) const;
  Dense ReadReg(int operand, const Unit& unit, const Mask& mask = {});
  void WriteReg(int operand, const Dense& box, const Unit& unit,
                const Mask& mask = {});

  // --- tensor memory: bytes of a lane.
  // Byte of the first element of the operand's box, in its lane.
  int64_t TmemByte(int operand);
  // Likewise of scale factors, whose boxes start at whole fours of columns.
  int64_t ScaleByte(int operand);
  // `count` elements of the operand's tile from `byte` on, as it has them in a
  // lane (an accumulator's take a column each), from and to packed ones.
  void ReadTmemRow(CtaMemory& cta, int operand, int64_t lane, int64_t byte,
                   int64_t count, uint8_t* out);
  void WriteTmemRow(CtaMemory& cta, int operand, int64_t lane, int64_t byte,
                    int64_t count, const uint8_t* in);
  void ReadTmem(CtaMemory& cta, int64_t lane, int64_t byte, int64_t count,
                void* out);
  void WriteTmem(CtaMemory& cta, int64_t lane, int64_t byte, int64_t count,
                 const void* in);

 private:
  // Else a finding.
  bool InBounds(int operand);
  void CheckAddress(int operand);
  CtaMemory* SharedOwner(int operand, int rank);
  bool CheckTmem(CtaMemory& cta, int64_t lane, int64_t byte, int64_t count);
  int32_t HolderOf(int operand, const Unit& unit) const;
  ir::FragmentLayout LayoutOf(int operand, const Unit& unit) const;
  RegTile* RegOf(int operand, const Unit& unit);

  Memory& memory_;
  const Site& site_;
  const CompiledOp& compiled_;
  const ir::ConcreteOp& op_;
  int destination_;
  int64_t* slots_;
  absl::InlinedVector<ir::Code, 2> said_;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_JOB_H_
