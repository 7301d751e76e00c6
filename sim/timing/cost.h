// What an op costs the strand that executes it, and when an asynchronous one
// reaches its milestones. One small function an op or an asynchronous unit.
#ifndef TILESIM_SIM_TIMING_COST_H_
#define TILESIM_SIM_TIMING_COST_H_

#include <optional>

#include "ir/concrete.h"
#include "ir/effect.h"
#include "sim/arch/arch.h"
#include "sim/machine/code.h"
#include "sim/machine/machine.h"
#include "sim/timing/units.h"

namespace tilesim::timing {

struct CostContext {
  const arch::Arch& arch;
  const ir::BoundKernel& bound;
  const ir::ConcreteOp& op;
  SmUnits& sm;
  SmUnits* partner;  // SM of the other CTA of a cta_group::2; else null
  GpcUnits& gpc;
  ChipUnits& chip;
  const std::vector<uint64_t>& tensors;  // of each declaration: keys in L2
  double now;
  int32_t group_threads;  // of the scope that the op stands in
  // What is computed before it: AddressesOf.
  int addresses = 0;
  // An instruction of compiled code: others follow it while it is under way.
  bool compiled = false;
  int slot = 0;  // of the CTA, among those of the SM
  // Ops that take register tiles word by word: when the last of what it reads
  // is there.
  double ready = 0;

  int warps() const { return op.threads.warps; }
  // The one that the op begins in, among those of the SM.
  int warpgroup() const {
    constexpr int kWarpsOfGroup = 4, kGroupsOfCta = 8;
    return slot * kGroupsOfCta + op.threads.first_warp / kWarpsOfGroup;
  }
  // The part of a tile that falls to the executing threads: a strand may hold
  // only some of those that share it, or several sets that hold one each.
  double Share(int operand) const {
    int32_t owners = group_threads;
    if (op.is_tile(operand)) {
      const ir::FragmentLayout& f = bound.decls[op.tile(operand).decl].fragment;
      if (f.fragment != ir::Fragment::kNone && f.threads > 0)
        owners = f.threads;
    }
    return owners > 0 ? static_cast<double>(op.threads.threads()) / owners : 1;
  }
};

// Time the strand itself spends. A register tile it wrote may be used `latency`
// later than that (0: at once); what it did to barriers is seen `seen` after
// its issue.
struct Cost {
  double busy = 0;
  Cause cause = Cause::kIssue;
  double latency = 0;
  double seen = 0;
  // Register arithmetic that follows goes on meanwhile, as far as it needs no
  // such result.
  bool goes_on = false;
  SubCores::Work work = {};  // what its end depends on
  // The words of the tile come one by one, the first one so much later.
  std::optional<double> first = {};
  // Cycles of the banks of shared memory, and what they would be if no two
  // lanes asked a bank for different words.
  double bank_cycles = 0, least_bank_cycles = 0;
};
bool IsArithmetic(ir::OpKind kind);
// Whether it begins with the first words of register tiles: ptxas puts what it
// does with each behind what makes that.
bool TakesWords(ir::OpKind kind);
Cost CostOf(const CostContext& context);
// Cycles of instructions of compiled code that the threads of the context's op
// pass. Only who they are is asked of the op.
double CostOfPassed(const CostContext& context, const machine::Passed& passed);
// About how many instructions a thread has for it, and how many of them access
// memory.
double InstructionsOf(const CostContext& context);
double AccessesOf(const CostContext& context);
inline double InstructionsOf(const machine::Passed& p) {
  return p.integer + p.fp32 + p.half_rate + p.special + p.products + p.shuffles;
}

// When an operation in flight has read its sources and is done, and what the
// time in between went to.
struct Schedule {
  double read = 0;
  double done = 0;
  double asked = 0;      // TMA load: when L2 is asked for its bytes
  double available = 0;  // when they are in L2
  double leaves = 0;     // and when they have passed the port of the GPC
  // What was asked of a port that is shared in turns, and how long after it
  // this is done.
  FairPort* port = nullptr;
  int32_t request = 0;
  double after = 0;
  double read_before = 0;  // a store: how long before it its source is read
  Chain chain;
};
// `destination` is the cluster rank a multicast agent serves, -1 for others;
// `context.sm` is then that rank's SM. `earlier` is the schedule of the first
// destination of the same operation, which fetched for all; null for it.
Schedule ScheduleOf(const CostContext& context, int destination,
                    const Schedule* earlier);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_COST_H_
