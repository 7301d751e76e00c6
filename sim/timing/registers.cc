#include "sim/timing/registers.h"

#include <algorithm>
#include <vector>

#include "ir/occupancy.h"
#include "ir/walk.h"

namespace tilesim::timing {
namespace {

// Of a kernel that exists as sizes only and does not say.
constexpr int64_t kUnsaidRegisters = 128;
// For addresses, counters and masks: beside the tiles ptxas takes 26 in kernels
// that TMA feeds, more where threads have addresses of their own.
constexpr int64_t kAddresses = 26;

// Ops in the order of the text, counted from 0: `first` to `last`.
struct Range {
  int first = -1, last = -1;

  bool Holds(int op) const { return first <= op && op <= last; }
  bool Holds(const Range& r) const { return Holds(r.first) && Holds(r.last); }
};

struct Tile {
  Range named;
  int declared = 0;          // before this op
  bool accumulates = false;  // where it is first named: asm reads it as well
};

// Where each register tile is named, and where loops are.
struct Text {
  std::vector<Tile> tiles;   // by DeclId
  std::vector<Range> loops;  // inner ones first
  int ops = 0;

  void Read(const ir::Block& block) {
    for (const ir::Stmt& s : block) {
      const int first = ops;
      if (s.kind == ir::Stmt::Kind::kDecl)
        tiles[static_cast<size_t>(s.decl_id)].declared = ops;
      if (s.op) Read(*s.op);
      Read(s.body);
      Read(s.orelse);
      const bool loop =
          s.kind == ir::Stmt::Kind::kFor || s.kind == ir::Stmt::Kind::kWhile;
      if (loop && ops > first) loops.push_back({first, ops - 1});
    }
  }

  void Read(const ir::Op& op) {
    const bool product = op.info->kind == ir::OpKind::kWgmmaMmaAsync ||
                         op.info->kind == ir::OpKind::kMmaSync;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const ir::Operand& o = op.operands[i];
      if (o.kind != ir::Operand::Kind::kRef || o.ref.decl < 0) continue;
      Tile& tile = tiles[static_cast<size_t>(o.ref.decl)];
      if (tile.named.first < 0) {
        tile.named.first = ops;
        tile.accumulates = product && i == 0;
      }
      tile.named.last = ops;
    }
    ++ops;
  }
};

// A tile lives from where it is first named, and written, up to the op that
// names it last, whose results may take its registers. It lives through a loop
// of which it is named inside and outside, since the next turn may need it; a
// sum that is declared outside of a loop too, for the product reads it.
Range LiveRange(const Tile& tile, const std::vector<Range>& loops) {
  Range live = tile.named;
  for (const Range& loop : loops) {
    const bool carried = tile.accumulates && loop.Holds(tile.named) &&
                         tile.declared <= loop.first;
    if (!carried && loop.Holds(live.first) == loop.Holds(live.last)) continue;
    live.first = std::min(live.first, loop.first);
    live.last = std::max(live.last, loop.last + 1);
  }
  return live;
}

int64_t WordsOf(const ir::BoundDecl& d, const ir::BoundKernel& kernel) {
  const int64_t threads = d.fragment.threads > 0
                              ? d.fragment.threads
                              : std::max<int64_t>(kernel.block, 1);
  return d.objects * d.object_bytes / 4 / threads;
}

int64_t NeededRegisters(const ir::BoundKernel& kernel) {
  Text text;
  text.tiles.resize(kernel.decls.size());
  text.Read(kernel.kernel->body);
  std::vector<int64_t> live(static_cast<size_t>(text.ops) + 1);
  for (size_t i = 0; i < kernel.decls.size(); ++i) {
    if (kernel.decls[i].space != ir::Space::kReg ||
        text.tiles[i].named.first < 0)
      continue;
    const Range range = LiveRange(text.tiles[i], text.loops);
    for (int op = range.first; op < range.last; ++op)
      live[static_cast<size_t>(op)] += WordsOf(kernel.decls[i], kernel);
  }
  return kAddresses + *std::max_element(live.begin(), live.end());
}

}  // namespace

int64_t RegistersOf(const ir::BoundKernel& kernel) {
  if (kernel.needs > 0) return kernel.needs;
  const bool said = kernel.regs > 0;
  if (kernel.kernel == nullptr)
    return said ? ir::RegistersAtLaunch(kernel)
                : std::min(kUnsaidRegisters, ir::MostRegisters(kernel.block));
  const int64_t most =
      said ? ir::RegistersAtLaunch(kernel) : ir::MostRegisters(kernel.block);
  if (said && ir::UsesSetmaxnreg(kernel.kernel->body)) return most;
  return std::min(most, NeededRegisters(kernel));
}

int64_t CtasPerSm(const ir::BoundKernel& kernel) {
  ir::BoundKernel taken = kernel;
  taken.regs = RegistersOf(kernel);
  return ir::CtasPerSm(taken);
}

}  // namespace tilesim::timing
