// Scopes of `.tile` text: which threads of a strand are inside.
#include <algorithm>
#include <bit>
#include <optional>

#include "sim/machine/machine.h"
#include "sim/machine/tile_guide.h"

namespace tilesim::machine {
namespace {

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
  if (kind == ir::Scope::Kind::kElect) return WarpRange(0, ir::kMaxWarps);
  if (low >= high) return 0;
  switch (kind) {
    case ir::Scope::Kind::kWarps:
      return WarpRange(low, high);
    case ir::Scope::Kind::kWarpgroups:
      return WarpRange(low * kWarps, high * kWarps);
    case ir::Scope::Kind::kThreads:
      return WarpRange(low / ir::kWarpThreads, ir::WarpsOf(high));
    default:
      return LaneRange(low, high) == 0 ? 0 : WarpRange(0, ir::kMaxWarps);
  }
}

std::optional<Part> Narrowed(ir::Scope::Kind kind, int64_t low, int64_t high,
                             Part part) {
  part.warps &= WarpsOf(kind, low, high);
  if (!NarrowLanes(kind, low, high, part)) return std::nullopt;
  return part;
}

void TileGuide::Narrow(Machine& machine, State& state, int32_t strand,
                       const Instr& instr, StepResult& result) const {
  Strand& s = state.strands[strand];
  Who who = machine.WhoIs(state, s);
  const int first = s.threads.first_warp, end = first + s.threads.warps;
  const std::optional<Part> narrowed =
      Narrowed(code_, instr,
               {WarpRange(first, end), s.threads.lanes, s.threads.electors},
               [&](const CompiledExpr& e) {
                 return Evaluate(code_, e, s.slots.data(), who).value_or(0);
               });
  if (!narrowed) {
    machine.SplitForVaries(state, strand, Varies::kWarp, result);
    return;  // the same instruction again, one warp at a time
  }
  const Part part = *narrowed;
  if (part.none()) {
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
