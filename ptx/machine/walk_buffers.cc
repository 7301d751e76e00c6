// Accesses whose threads address several buffers, as by `p = x ? a : b`: an
// operation is of one buffer, so that those of another come to it by
// themselves. Nothing orders lanes of one instruction, and checkers take none
// of them to come first.
#include <algorithm>
#include <vector>

#include "ptx/machine/memory.h"
#include "ptx/machine/walk.h"

namespace tilesim::ptx {
namespace {

// Where the buffer begins of which that is a byte. Pieces of one are one here:
// an access of several of them is not cut (Filling::InOnePiece). Of shared
// memory each CTA of the cluster has one.
constexpr uint64_t kNone = 0;
uint64_t BufferOf(const Memory& memory, uint64_t address, const Step& step) {
  const bool shared = step.window == SharedWindow::kCluster;
  if (shared || (step.generic && IsIn(address, kSharedWindow)))
    return kSharedWindow +
           (uint64_t{static_cast<uint32_t>(address)} >> kRankShift);
  const Memory::Global* g = memory.GlobalAt(address);
  return g == nullptr ? kNone : g->address - g->before;
}

}  // namespace

// Lanes of which each warp has the same when it returns.
uint32_t Walk::OfOneBuffer(const Step& step) {
  const Terms::Handled handled(guide_.terms());
  const Source& source = step.sources[static_cast<size_t>(step.buffers_by)];
  const Lanes& lanes = guide_.lanes();
  const Memory& memory = program_.memory;
  const Value v = guide_.Of(source, who());
  if (v.unknown() || v.uniform()) return strand().threads.lanes;
  const auto [least, most] = lanes.Reach(v);
  const uint64_t from = v.base + static_cast<uint64_t>(least);
  const Memory::Global* g = memory.GlobalAt(from);
  if (g != nullptr &&
      v.base + static_cast<uint64_t>(most) < g->address + g->bytes)
    return strand().threads.lanes;
  // Those whose address lies in no buffer go along with the first of the
  // others, and so do those of whom cp.async reads nothing.
  const bool may_read_nothing = step.buffers_by == 1 && step.sources.size() > 2;
  const Value bytes =
      may_read_nothing ? guide_.Of(step.sources[2], who()) : Value{1};
  std::vector<uint64_t> buffers(who().threads(), kNone);
  uint64_t first = kNone;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const bool here =
        (strand().threads.lanes >> (i % ir::kWarpThreads) & 1) != 0;
    if (!here || (!bytes.unknown() && lanes.At(bytes, i) == 0)) continue;
    buffers[i] = BufferOf(memory, lanes.At(v, i), step);
    if (first == kNone) first = buffers[i];
  }
  std::replace(buffers.begin(), buffers.end(), kNone, first);
  const Value which = guide_.lanes().Of(buffers);
  if (which.uniform()) return strand().threads.lanes;
  // In another cluster they may be others.
  if ((v.term != 0 || bytes.term != 0) && guide_.terms() != nullptr)
    guide_.terms()->Lose();
  if (SplitWhere(which)) return OfOneBuffer(step);
  const auto lane = static_cast<size_t>(strand().threads.first_lane());
  uint32_t same = strand().threads.lanes;
  for (size_t l = 0; l < ir::kWarpThreads; ++l) {
    if (lanes.At(which, l) != lanes.At(which, lane))
      same &= ~(uint32_t{1} << l);
  }
  return same;
}

}  // namespace tilesim::ptx
