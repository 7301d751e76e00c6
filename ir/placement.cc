#include "ir/placement.h"

#include "ir/cat.h"
#include "ir/ops/cp_async.h"
#include "ir/ops/tcgen05.h"
#include "ir/tmem.h"

namespace tilesim::ir {
namespace {

constexpr int64_t kLaneGroup = 32;

int64_t Remainder(int64_t n, int64_t of) { return (n % of + of) % of; }

// Elements, or rows, from a start to the next one, by dimension.
using Steps = std::array<int64_t, kMaxRank>;

// From the object's start to the box's, in units of `unit`, as a remainder by
// `of`. nullopt: a start that is not known has a say in it.
std::optional<int64_t> StartBy(const PlacedBox& box, const Steps& steps,
                               int dims, int64_t unit, int64_t of) {
  int64_t sum = 0;
  for (int d = 0; d < dims; ++d) {
    int64_t step = Remainder(Remainder(steps[d], of) * unit, of);
    if (step == 0) continue;
    if (!box.start[d]) return std::nullopt;
    sum = (sum + Remainder(*box.start[d], of) * step) % of;
  }
  return sum;
}

// In elements: as the tensor says, or row by row.
Steps ElementSteps(const BoundDecl& d) {
  if (d.space == Space::kGlobal) return d.strides;
  Steps out{};
  int64_t step = 1;
  for (int i = d.rank - 1; i >= 0; --i) {
    out[i] = step;
    step *= d.shape[i];
  }
  return out;
}

// In rows of the matrix, of all dimensions but the last.
Steps RowSteps(const BoundDecl& d) {
  Steps out{};
  int64_t step = 1;
  for (int i = d.rank - 2; i >= 0; --i) {
    out[i] = step;
    step *= d.shape[i];
  }
  return out;
}

std::optional<int64_t> RowBy(const PlacedBox& box, int64_t of) {
  return StartBy(box, RowSteps(*box.decl), box.decl->rank - 1, 1, of);
}

std::optional<int64_t> ColumnBy(const PlacedBox& box, int64_t of) {
  if (box.decl->rank == 0) return 0;
  const auto& start = box.start[box.decl->rank - 1];
  return start ? std::optional(Remainder(*start, of)) : std::nullopt;
}

// Where the object itself starts, in shared memory. Tensors are aligned to
// more than anybody asks for.
std::optional<int64_t> BaseBy(const PlacedBox& box, int64_t bytes) {
  const BoundDecl& d = *box.decl;
  if (d.space != Space::kShared) return 0;
  if (d.object_bytes % bytes == 0) return Remainder(d.place, bytes);
  if (!box.index) return std::nullopt;
  return Remainder(d.place + *box.index * d.object_bytes, bytes);
}

std::optional<Misplaced> Unaligned(const PlacedBox& box, int64_t bytes) {
  const BoundDecl& d = *box.decl;
  std::optional<int64_t> base = BaseBy(box, bytes);
  auto bits =
      StartBy(box, ElementSteps(d), d.rank, values::BitsOf(d.dtype), 8 * bytes);
  if (!base || !bits || (*base * 8 + *bits) % (8 * bytes) == 0)
    return std::nullopt;
  int64_t past = (*base + *bits / 8) % bytes;
  return Misplaced{"layout/alignment", Cat(box.name, " starts ", past,
                                           past == 1 ? " byte" : " bytes",
                                           " past a multiple of ", bytes)};
}

// Each row of the box, as well as the first.
std::optional<Misplaced> UnalignedRows(const PlacedBox& box, int64_t bytes) {
  const BoundDecl& d = *box.decl;
  bool swizzled =
      d.space == Space::kShared && d.layout.swizzle != Swizzle::kNone;
  // Rows that are no whole vectors: shape/vector.
  bool whole =
      d.rank == 0 ||
      box.extent[d.rank - 1] * values::BitsOf(d.dtype) % (8 * bytes) == 0;
  Steps steps = ElementSteps(d);
  for (int i = 0; i + 1 < d.rank && !swizzled && whole; ++i) {
    if (box.extent[i] == 1) continue;
    int64_t past =
        Remainder(Remainder(steps[i], 8 * bytes) * values::BitsOf(d.dtype),
                  8 * bytes) /
        8;
    if (past == 0) continue;
    return Misplaced{
        "layout/alignment",
        Cat("rows of ", box.name, " are ", past, past == 1 ? " byte" : " bytes",
            " more than a multiple of ", bytes, " apart")};
  }
  return std::nullopt;
}

std::optional<Misplaced> OffVector(const PlacedBox& box, int64_t bytes) {
  if (auto rows = UnalignedRows(box, bytes)) return rows;
  bool swizzled = box.decl->space == Space::kShared &&
                  box.decl->layout.swizzle != Swizzle::kNone;
  if (!swizzled) return Unaligned(box, bytes);
  // Chunks of 16 bytes stay together, wherever they go.
  int64_t bits = values::BitsOf(box.decl->dtype);
  auto column = ColumnBy(box, 8 * bytes);
  if (!column || *column * bits % (8 * bytes) == 0) return std::nullopt;
  return Misplaced{"layout/alignment",
                   Cat(box.name, " starts ", *column * bits / 8 % bytes,
                       " bytes past a multiple of ", bytes, " in its rows")};
}

// The factors of a row that an instruction takes lie in one word, and begin
// where a word is divided by as many (PTX 9.7.16.10.7.2, 9.7.16.10.7.3).
std::optional<Misplaced> OffFactors(const PlacedBox& box, int64_t factors) {
  auto column = ColumnBy(box, kFactorsOfColumn);
  if (!column || factors < 1 || *column % factors == 0) return std::nullopt;
  return Misplaced{"layout/alignment",
                   Cat(box.name, " starts at byte ", *column,
                       " of a word; an instruction takes ", factors,
                       " factors of a row, from a multiple of ", factors)};
}

std::optional<Misplaced> OffRows(const PlacedBox& box) {
  auto row = RowBy(box, kSwizzleRows);
  if (!row || *row == 0) return std::nullopt;
  return Misplaced{"layout/slice",
                   Cat(box.name, " starts ", *row, *row == 1 ? " row" : " rows",
                       " past a multiple of ", kSwizzleRows,
                       ", after which the swizzle repeats")};
}

// At a panel, and where the swizzle's pattern begins.
std::optional<Misplaced> OffPattern(const PlacedBox& box) {
  int64_t panel = box.decl->layout.panel_cols();
  auto column = ColumnBy(box, panel);
  if (!column || *column == 0) return OffRows(box);
  return Misplaced{"layout/slice", Cat(box.name, " starts at column ", *column,
                                       " of a panel; panels of the tile are ",
                                       panel, " columns wide")};
}

// The innermost coordinate, whatever the swizzle: an H200 takes others for an
// illegal instruction (docs/h200-readings.md 3.4). PTX does not say so.
std::optional<Misplaced> OffCoordinates(const PlacedBox& box) {
  const int64_t bits = values::BitsOf(box.decl->dtype);
  const auto column = ColumnBy(box, 8 * kRawAlignment);
  if (!column || *column * bits % (8 * kRawAlignment) == 0) return std::nullopt;
  const int64_t past = *column * bits / 8 % kRawAlignment;
  return Misplaced{
      "layout/alignment",
      Cat(box.name, " starts ", past, past == 1 ? " byte" : " bytes",
          " past a multiple of ", kRawAlignment,
          " in its rows, where a tensor copy cannot")};
}

std::optional<Misplaced> OffBox(const PlacedBox& box) {
  return box.decl->layout.swizzle == Swizzle::kNone
             ? Unaligned(box, kTmaAlignment)
             : OffPattern(box);
}

// Where a descriptor may start: along K at what an instruction takes.
std::optional<Misplaced> OffMatrix(const PlacedBox& box) {
  // In tensor memory there is none; without a swizzle it has no form.
  bool described = box.decl->space == Space::kShared &&
                   box.decl->layout.swizzle != Swizzle::kNone;
  if (!described) return std::nullopt;
  if (box.transposed) return OffPattern(box);
  if (auto rows = OffRows(box)) return rows;
  int64_t k = int64_t{kMmaBytes} * 8 / values::BitsOf(box.decl->dtype);
  auto column = ColumnBy(box, k);
  if (!column || *column == 0) return std::nullopt;
  return Misplaced{"layout/slice", Cat(box.name, " starts at column ", *column,
                                       " inside an instruction's ", k)};
}

// In tensor memory elements of less than 32 bits lie several to a column, and
// an address counts columns. (Accumulators have a column an element.)
std::optional<Misplaced> OffColumn(const PlacedBox& box) {
  const BoundDecl& d = *box.decl;
  const int64_t bits = values::BitsOf(d.dtype);
  if (d.rank == 0 || bits >= kColumnBits ||
      d.columns * kColumnBits >= 2 * bits * d.shape[d.rank - 1])
    return std::nullopt;
  const int64_t of_column = kColumnBits / bits;
  const auto& start = box.start[d.rank - 1];
  const int64_t extent = box.extent[d.rank - 1];
  const bool to_the_end = start && *start + extent == d.shape[d.rank - 1];
  if (extent % of_column != 0 && !to_the_end)
    return Misplaced{"layout/slice",
                     Cat(box.name,
                         " ends inside a column of tensor memory, "
                         "which has ",
                         of_column, " of its elements")};
  auto column = ColumnBy(box, of_column);
  if (!column || *column == 0) return std::nullopt;
  return Misplaced{"layout/slice",
                   Cat(box.name,
                       " starts inside a column of tensor memory, "
                       "which has ",
                       of_column, " of its elements")};
}

std::optional<Misplaced> OffLanes(const PlacedBox& box) {
  if (auto column = OffColumn(box)) return column;
  auto lane = RowBy(box, kLaneGroup);
  if (!lane || *lane == 0) return std::nullopt;
  return Misplaced{"tcgen05/lanes", Cat(box.name, " starts at lane ", *lane,
                                        " of a group of ", kLaneGroup)};
}

// What an instruction takes at a time lies side by side: in the last dimension.
std::optional<Misplaced> Apart(const PlacedBox& box, int64_t bytes) {
  const BoundDecl& d = *box.decl;
  if (d.rank == 0) return std::nullopt;
  const int64_t side_by_side = box.extent[d.rank - 1];
  int64_t elements = 1;
  for (int i = 0; i < d.rank; ++i) elements *= box.extent[i];
  const int64_t bits = values::BitsOf(d.dtype);
  const bool whole = side_by_side == d.shape[d.rank - 1];
  if (whole || elements * bits < 8 * bytes ||
      side_by_side * bits % (8 * bytes) == 0)
    return std::nullopt;
  return Misplaced{"layout/slice",
                   Cat(box.name, " has ", side_by_side,
                       side_by_side == 1 ? " element" : " elements",
                       " side by side in memory, where an instruction takes ",
                       bytes, " bytes")};
}

// Rows of a matrix are all dimensions but the last: those of the box follow
// each other in memory.
std::optional<Misplaced> RowsApart(const PlacedBox& box) {
  const BoundDecl& d = *box.decl;
  bool several = false;
  for (int i = 0; i + 1 < d.rank; ++i) {
    if (several && box.extent[i] != d.shape[i])
      return Misplaced{
          "layout/slice",
          Cat("the rows of ", box.name, " do not follow each other in memory")};
    several |= box.extent[i] > 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Misplaced> MisplacedOf(const PlacedBox& box, StartRule rule,
                                     int64_t vector) {
  switch (rule) {
    case StartRule::kAnywhere:
      if (box.decl->space == Space::kTmem) return OffColumn(box);
      return std::nullopt;
    case StartRule::kRaw:
      if (auto apart = Apart(box, kRawAlignment)) return apart;
      return Unaligned(box, kRawAlignment);
    case StartRule::kVector:
      if (box.decl->space == Space::kTmem) return OffFactors(box, vector);
      // Others are no instruction's: shape/vector.
      if (vector != 4 && vector != 8 && vector != 16) return std::nullopt;
      // Rows that are no whole vectors: shape/vector.
      if (box.decl->rank > 0 && box.extent[box.decl->rank - 1] == 1) {
        if (auto apart = Apart(box, vector)) return apart;
      }
      return OffVector(box, vector);
    case StartRule::kBox:
      if (auto apart = RowsApart(box)) return apart;
      return OffBox(box);
    case StartRule::kCoordinates:
      return OffCoordinates(box);
    case StartRule::kMatrix:
      if (box.decl->space == Space::kShared) {
        if (auto apart = RowsApart(box)) return apart;
      }
      return OffMatrix(box);
    case StartRule::kLanes:
      return OffLanes(box);
  }
  return std::nullopt;
}

std::optional<Misplaced> MisplacedOf(const BoundKernel& kernel,
                                     const ConcreteOp& op, int operand) {
  StartRule rule = op.info().operands[operand].start;
  if (!op.is_tile(operand)) return std::nullopt;
  const TileValue& t = op.tile(operand);
  if (rule == StartRule::kAnywhere && t.space != Space::kTmem)
    return std::nullopt;
  PlacedBox box;
  box.decl = &kernel.decls[t.decl];
  box.index = t.index;
  box.transposed = t.transposed;
  for (int d = 0; d < t.rank; ++d) {
    box.start[d] = t.start[d];
    box.extent[d] = t.extent[d];
  }
  const int64_t vector = VectorOf(op, operand);
  // Asked of each execution of an op: a name is made where it is told.
  if (!MisplacedOf(box, rule, vector)) return std::nullopt;
  const std::string name = Cat("`", kernel.kernel->decls[t.decl].name, "`");
  box.name = name;
  return MisplacedOf(box, rule, vector);
}

int64_t FactorsOfInstruction(DType a, int64_t k, int64_t factors) {
  // Of e2m1, two lie in a byte; 6-bit elements take a byte each.
  int64_t along_k = kMmaBytes * (a == DType::kE2M1 ? 2 : 1);
  return k == 0 ? 0 : along_k * factors / k;
}

int64_t VectorOf(const ConcreteOp& op, int operand) {
  using Scaled = ops::Tcgen05MmaBlockScale;
  if (op.info().kind == OpKind::kTcgen05MmaBlockScale && op.is_tile(operand)) {
    const TileValue& a = op.tile(Scaled::kA);
    return FactorsOfInstruction(a.dtype, a.transposed ? a.rows() : a.cols(),
                                op.tile(operand).cols());
  }
  return op.info().async == AsyncUnit::kCpAsync
             ? op.number_or(ops::CpAsync::kVec, kRawAlignment)
             : kRawAlignment;
}

}  // namespace tilesim::ir
