// Scopes of `.tile` text: which threads of a strand are inside.
#include <algorithm>
#include <bit>
#include <optional>

#include "sim/machine/machine.h"
#include "sim/machine/tile_guide.h"

namespace tilesim::machine {
namespace {

// The part of a strand's threads inside scopes: a set of warps, of the CTA, and
// lanes of each.
struct Part {
  uint32_t warps;
  uint32_t lanes;
  uint32_t electors;
};

uint32_t WarpRange(int64_t low, int64_t high) {
  low = std::clamp<int64_t>(low, 0, ir::kMaxWarps);
  high = std::clamp<int64_t>(high, low, ir::kMaxWarps);
  return static_cast<uint32_t>((uint64_t{1} << high) - (uint64_t{1} << low));
}

uint32_t LaneRange(int64_t low, int64_t high) {
  low = std::clamp<int64_t>(low, 0, ir::kWarpThreads);
  high = std::clamp<int64_t>(high, 0, ir::kWarpThreads);
  if (high <= low) return 0;
  uint64_t upto = (uint64_t{1} << high) - 1;
  return static_cast<uint32_t>(upto & ~((uint64_t{1} << low) - 1));
}

// False: the scope cuts through several warps differently; divide them first.
bool NarrowLanes(ir::Scope::Kind kind, int64_t low, int64_t high, Part& part) {
  if (kind == ir::Scope::Kind::kLanes) part.lanes &= LaneRange(low, high);
  if (kind == ir::Scope::Kind::kElect) {
    // One of one is known.
    if ((part.lanes & (part.lanes - 1)) != 0) part.electors = part.lanes;
    part.lanes &= -part.lanes;
  }
  if (kind != ir::Scope::Kind::kThreads || part.warps == 0) return true;
  std::optional<uint32_t> lanes;
  for (int w = 0; w < ir::kMaxWarps; ++w) {
    if ((part.warps >> w & 1) == 0) continue;
    uint32_t here = LaneRange(low - int64_t{w} * ir::kWarpThreads,
                              high - int64_t{w} * ir::kWarpThreads);
    if (lanes && here != *lanes) return false;
    lanes = here;
  }
  part.lanes &= *lanes;
  return true;
}

}  // namespace

uint32_t WarpsOf(ir::Scope::Kind kind, int64_t low, int64_t high) {
  constexpr int64_t kWarps = ir::kWarpgroupWarps;
  switch (kind) {
    case ir::Scope::Kind::kWarps:
      return WarpRange(low, high);
    case ir::Scope::Kind::kWarpgroups:
      return WarpRange(low * kWarps, high * kWarps);
    case ir::Scope::Kind::kThreads:
      return WarpRange(low / ir::kWarpThreads, ir::WarpsOf(high));
    case ir::Scope::Kind::kLanes:
    case ir::Scope::Kind::kElect:
      break;
  }
  return WarpRange(0, ir::kMaxWarps);
}

void TileGuide::Narrow(Machine& machine, State& state, int32_t strand,
                       const Instr& instr, StepResult& result) const {
  Strand& s = state.strands[strand];
  Who who = machine.WhoIs(state, s);
  const int first = s.threads.first_warp, end = first + s.threads.warps;
  Part part{WarpRange(first, end), s.threads.lanes, s.threads.electors};
  for (int k = 0; k < instr.count;) {
    uint32_t united = 0;
    do {
      const CompiledScope& scope = code_.scopes[instr.a + k];
      int64_t low = Evaluate(code_, scope.low, s.slots.data(), who).value_or(0);
      int64_t high =
          Evaluate(code_, scope.high, s.slots.data(), who).value_or(0);
      high = EndOf(scope, low, high);
      const uint32_t warps = part.warps & WarpsOf(scope.kind, low, high);
      Part alone{warps, part.lanes, part.electors};
      if (!NarrowLanes(scope.kind, low, high, alone)) {
        machine.SplitForVaries(state, strand, Varies::kWarp, result);
        return;  // the same instruction again, one warp at a time
      }
      united |= warps;
      part.lanes = alone.lanes;  // of united warps all
      part.electors = alone.electors;
    } while (++k < instr.count && code_.scopes[instr.a + k].also);
    part.warps = united;
  }
  if (part.warps == 0 || part.lanes == 0) {
    s.pc = instr.b;
    return;
  }
  // The first neighbours that are inside go on. Those behind them execute the
  // same instruction again, if some are inside.
  const int in = std::countr_zero(part.warps);
  const int out = in + std::countr_one(part.warps >> in);
  const int32_t here = s.pc;
  if (in > first)
    machine.SplitOff(state, strand, first, in - first, instr.b, result);
  if (end > out) {
    bool more = (part.warps & ~WarpRange(0, out)) != 0;
    machine.SplitOff(state, strand, out, end - out, more ? here : instr.b,
                     result);
  }
  Strand& self = state.strands[strand];
  self.frames.push_back({self.threads.lanes, self.threads.electors, self.role});
  self.threads.lanes = part.lanes;
  self.threads.electors = part.electors;
  if (instr.role >= 0) self.role = static_cast<int16_t>(instr.role);
  ++self.pc;
}

}  // namespace tilesim::machine
