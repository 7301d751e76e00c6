// Operands in tensor memory.
#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/tensor_tiles.h"
#include "sim/machine/tensor_bytes.h"

namespace tilesim::ptx {
using ir::OperandValue;
using machine::ByteSets;

namespace {

void Whole(int32_t decl, OperandValue& out) {
  out.kind = OperandValue::Kind::kTile;
  out.tile = ir::TileValue();
  out.tile.space = ir::Space::kTmem;
  out.tile.dtype = ir::DType::kU8;
  out.tile.decl = static_cast<int16_t>(decl);
}

}  // namespace

bool Filling::NewPool(const Pool& pool, bool of_pair, OperandValue& out) {
  Pools& pools = guide_.pools();
  const int32_t number =
      of_pair ? pools.OfPair(pool, who_.cta.rank % 2) : pools.Of(pool);
  if (number < 0)
    return Open(
        "there are more allocations of tensor memory than are followed");
  const int32_t decl = guide_.decls().PoolDecl(number);
  if (who_.cta.tmem[static_cast<size_t>(decl)] ==
      machine::TmemStatus::kAllocated)
    return Open("it allocates again before it frees: that is not followed");
  Whole(decl, out);
  return true;
}

bool Filling::PoolAt(const TensorAddress& at, uint64_t address) {
  if (at.pool < static_cast<int32_t>(guide_.pools().all().size())) return true;
  return Bad("tmem/use-after-free",
             fmt::format("nothing has allocated the address {:#x} of tensor "
                         "memory",
                         address));
}

bool Filling::WholePool(const Source& source, int64_t columns,
                        OperandValue& out) {
  int64_t address = 0;
  if (!Number(source, &address)) return false;
  const TensorAddress at(static_cast<uint64_t>(address));
  if (!PoolAt(at, static_cast<uint64_t>(address))) return false;
  const Pool& pool = guide_.pools().all()[static_cast<size_t>(at.pool)];
  if (at.lane != 0 || at.column != 0 || columns != pool.columns)
    return Bad("tmem/capacity",
               fmt::format("{} columns are freed from lane {}, column {} of an "
                           "allocation of {}",
                           columns, at.lane, at.column, pool.columns),
               "free what was allocated, as a whole");
  Whole(guide_.decls().PoolDecl(at.pool), out);
  return true;
}

// Bytes [first, end) of lanes [lane, lane + lanes), past an address.
bool Filling::TensorRuns(const TensorAddress& at, int64_t lane, int64_t lanes,
                         int64_t first, int64_t end,
                         std::vector<ByteSets::Run>& out) {
  const Pool& pool = guide_.pools().all()[static_cast<size_t>(at.pool)];
  const int64_t column = at.column * ir::kColumnBytes;
  if (column + end > pool.columns * ir::kColumnBytes ||
      at.lane + lane + lanes > ir::kTmemLanes)
    return Bad("bounds/tmem",
               fmt::format("it reaches column {} and lane {} of an allocation "
                           "of {} columns",
                           (column + end - 1) / ir::kColumnBytes,
                           at.lane + lane + lanes - 1, pool.columns));
  const int64_t start = guide_.pools().FirstByte(at.pool) + column;
  for (int64_t l = at.lane + lane; l < at.lane + lane + lanes; ++l) {
    const int64_t here = l * machine::kLaneStride + start;
    out.push_back({here + first, here + end});
  }
  return true;
}

bool Filling::Tensor(const Source& source, const TensorTile& tile,
                     OperandValue& out) {
  int64_t address = 0;
  if (!Number(source, &address)) return false;
  const TensorAddress at(static_cast<uint64_t>(address));
  if (!PoolAt(at, static_cast<uint64_t>(address))) return false;
  ByteSets::Part all{0, ir::kMaxWarps, ir::kAllLanes, {}};
  for (const TensorTile::Part& p : tile.parts) {
    if (!TensorRuns(at, p.lane, p.lanes, p.first, p.end, all.runs))
      return false;
  }
  std::sort(all.runs.begin(), all.runs.end());
  Listed(ir::Space::kTmem, guide_.decls().PoolDecl(at.pool), {std::move(all)},
         out);
  return true;
}

// A warp reaches the lanes of its quarter (PTX 9.7.16.8).
bool Filling::Reaches(int warp, TensorAddress& at, int64_t lanes) {
  const int64_t first = ir::FirstLaneOf(warp);
  if (at.lane >= first && at.lane + lanes <= first + ir::kQuarterLanes)
    return true;
  std::string says = fmt::format(
      "warp {} reaches lanes {} to {} of tensor memory, not {} to {}", warp,
      first, first + ir::kQuarterLanes - 1, at.lane, at.lane + lanes - 1);
  if (!at.TakeOwnQuarter(warp, lanes))
    return Bad("tcgen05/lanes", std::move(says));
  guide_.NoteOtherLanes(step_.op, std::move(says));
  return true;
}

bool Filling::TensorByWarps(const Source& source, int64_t lanes,
                            int64_t columns, int64_t second,
                            OperandValue& out) {
  Value v = Of(source);
  if (v.unknown()) return NotKnown(v);
  const ir::ThreadSet& t = who_.strand.threads;
  ByteSets::Parts parts;
  int32_t pool = -1;
  for (int w = 0; w < t.warps; ++w) {
    const uint64_t address =
        guide_.lanes().At(v, static_cast<size_t>(w) * ir::kWarpThreads);
    TensorAddress at(address);
    const bool halves = second >= 0;
    if (!PoolAt(at, address) ||
        !Reaches(t.first_warp + w, at, halves ? 2 * lanes : lanes))
      return false;
    if (pool >= 0 && pool != at.pool)
      return Open("its warps touch several allocations");
    pool = at.pool;
    ByteSets::Part& part = parts.emplace_back();
    part = {t.first_warp + w, 1, ir::kAllLanes, {}};
    const int64_t bytes = columns * ir::kColumnBytes;
    const int64_t behind = second * ir::kColumnBytes;
    if (!TensorRuns(at, 0, lanes, 0, bytes, part.runs) ||
        (halves &&
         !TensorRuns(at, lanes, lanes, behind, behind + bytes, part.runs)))
      return false;
  }
  Listed(ir::Space::kTmem, guide_.decls().PoolDecl(pool), std::move(parts),
         out);
  return true;
}

std::optional<std::string> PtxGuide::NamesOtherLanes(
    const machine::CompiledOp& op) const {
  auto found = other_lanes_.find(op.number);
  if (found == other_lanes_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tilesim::ptx
