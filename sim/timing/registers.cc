#include "sim/timing/registers.h"

#include <algorithm>
#include <span>
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
  std::vector<std::vector<Tile>> tiles;  // by DeclId, and place in its array
  std::vector<Range> copied;             // by DeclId: where cp.async fills it
  std::vector<Range> loops;              // inner ones first
  int ops = 0;

  void Read(const ir::Block& block) {
    for (const ir::Stmt& s : block) {
      const int first = ops;
      if (s.kind == ir::Stmt::Kind::kDecl) {
        for (Tile& tile : tiles[static_cast<size_t>(s.decl_id)])
          tile.declared = ops;
      }
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
      if (i == 0 && op.info->kind == ir::OpKind::kCpAsync) {
        Range& copied_here = copied[static_cast<size_t>(o.ref.decl)];
        if (copied_here.first < 0) copied_here.first = ops;
        copied_here.last = ops;
      }
      for (Tile& tile : Named(o.ref)) {
        if (tile.named.first < 0) {
          tile.named.first = ops;
          tile.accumulates = product && i == 0;
        }
        tile.named.last = ops;
      }
    }
    ++ops;
  }

  // One of an array where a number says which: else it may be any.
  std::span<Tile> Named(const ir::Ref& ref) {
    std::vector<Tile>& all = tiles[static_cast<size_t>(ref.decl)];
    const bool one = all.size() > 1 && !ref.groups.empty() &&
                     ref.groups[0].size() == 1 &&
                     ref.groups[0][0].kind == ir::Subscript::Kind::kIndex &&
                     ref.groups[0][0].start.kind == ir::ExprKind::kInt;
    if (!one) return all;
    const auto which = static_cast<size_t>(ref.groups[0][0].start.value);
    if (which >= all.size()) return all;
    return std::span<Tile>(all).subspan(which, 1);
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

// Of one of its array.
int64_t WordsOf(const ir::BoundDecl& d, const ir::BoundKernel& kernel) {
  const int64_t threads = d.fragment.threads > 0
                              ? d.fragment.threads
                              : std::max<int64_t>(kernel.block, 1);
  return d.object_bytes / 4 / threads;
}

// Threads that copy keep an address of global memory and one of shared memory
// for each 16 bytes of theirs, from turn to turn of the loop.
int64_t WordsOfAddresses(const ir::BoundDecl& d,
                         const ir::BoundKernel& kernel) {
  constexpr int64_t kVectorBytes = 16, kWords = 3;
  return kWords * d.object_bytes / kVectorBytes /
         std::max<int64_t>(kernel.block, 1);
}

Range LoopAround(const Range& range, const std::vector<Range>& loops) {
  for (const Range& loop : loops)
    if (loop.Holds(range)) return {loop.first, loop.last + 1};
  return {range.first, range.last + 1};
}

int64_t NeededRegisters(const ir::BoundKernel& kernel) {
  Text text;
  for (const ir::BoundDecl& d : kernel.decls)
    text.tiles.emplace_back(
        static_cast<size_t>(std::max<int64_t>(d.objects, 1)));
  text.copied.resize(kernel.decls.size());
  text.Read(kernel.kernel->body);
  std::vector<int64_t> live(static_cast<size_t>(text.ops) + 1);
  for (size_t i = 0; i < kernel.decls.size(); ++i) {
    if (text.copied[i].first >= 0) {
      const Range range = LoopAround(text.copied[i], text.loops);
      for (int op = range.first; op < range.last; ++op)
        live[static_cast<size_t>(op)] +=
            WordsOfAddresses(kernel.decls[i], kernel);
    }
    if (kernel.decls[i].space != ir::Space::kReg) continue;
    for (const Tile& tile : text.tiles[i]) {
      if (tile.named.first < 0) continue;
      const Range range = LiveRange(tile, text.loops);
      for (int op = range.first; op < range.last; ++op)
        live[static_cast<size_t>(op)] += WordsOf(kernel.decls[i], kernel);
    }
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
