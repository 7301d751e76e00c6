// An op about to execute: its operands evaluated to numbers, tiles and
// barriers. Plain data without pointers into anything that changes, so that an
// operation in flight can be kept in the machine's state.
#ifndef TILESIM_IR_CONCRETE_H_
#define TILESIM_IR_CONCRETE_H_

#include <array>
#include <cstdint>

#include "ir/op.h"
#include "ir/types.h"
#include "ir/warp.h"

namespace tilesim::ir {

inline constexpr int kMaxRank = 5;      // TMA's limit, and ours
inline constexpr int kMaxOperands = 8;  // of any op
inline constexpr int8_t kOwnCta = -1;

// A box inside one declared object.
struct TileValue {
  std::array<int64_t, kMaxRank> start{};   // elements, outermost first
  std::array<int32_t, kMaxRank> extent{};  // elements
  int32_t index = 0;                       // which object of the array
  int16_t decl = -1;
  Space space = Space::kGlobal;
  DType dtype = DType::kF32;
  int8_t rank = 0;
  int8_t cta = kOwnCta;     // cluster rank whose copy it is
  bool transposed = false;  // used as its transpose

  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= extent[i];
    return n;
  }
  int64_t bytes() const { return (elements() * values::BitsOf(dtype) + 7) / 8; }
  // The last two dimensions of size above 1 are the matrix; rows counts
  // everything before the columns.
  int32_t cols() const { return rank == 0 ? 1 : extent[rank - 1]; }
  int32_t rows() const {
    return cols() == 0 ? 0 : static_cast<int32_t>(elements() / cols());
  }

  friend bool operator==(const TileValue&, const TileValue&) = default;
};

struct BarrierValue {
  int32_t index = 0;  // among all mbarriers of the CTA
  int16_t decl = -1;
  int8_t cta = kOwnCta;

  friend bool operator==(const BarrierValue&, const BarrierValue&) = default;
};

struct OperandValue {
  enum class Kind : uint8_t { kNone, kInt, kFloat, kVar, kTile, kBarrier };
  Kind kind = Kind::kNone;
  int16_t slot = -1;     // kVar
  BarrierValue barrier;  // kBarrier
  int64_t number = 0;    // kInt
  double real = 0;       // kFloat, and kInt as a float
  TileValue tile;        // kTile, and a pool

  friend bool operator==(const OperandValue&, const OperandValue&) = default;
};

// A set of threads of one CTA: the same lanes of neighbouring warps.
struct ThreadSet {
  uint16_t first_warp = 0;
  uint16_t warps = 0;
  uint32_t lanes = kAllLanes;
  // Of `elect`: among whom. Any of them may be the one (PTX 9.7.13.14); `lanes`
  // then is the lowest, which stands for it.
  uint32_t electors = 0;

  int lanes_per_warp() const { return __builtin_popcount(lanes); }
  int threads() const { return warps * lanes_per_warp(); }
  bool whole_warps() const { return lanes == kAllLanes; }
  int first_lane() const { return __builtin_ctz(lanes | 0x80000000u); }
  int first_thread() const { return first_warp * kWarpThreads + first_lane(); }

  friend bool operator==(const ThreadSet&, const ThreadSet&) = default;
};

struct ConcreteOp {
  const Op* op = nullptr;  // of the program, which outlives the run
  std::array<OperandValue, kMaxOperands> operands;
  ThreadSet threads;  // who executes it
  uint8_t cluster_rank = 0;

  const OpInfo& info() const { return *op->info; }
  bool has(int i) const {
    return operands[i].kind != OperandValue::Kind::kNone;
  }
  int64_t number(int i) const { return operands[i].number; }
  int64_t number_or(int i, int64_t absent) const {
    return has(i) ? operands[i].number : absent;
  }
  double real(int i) const { return operands[i].real; }
  const TileValue& tile(int i) const { return operands[i].tile; }
  const BarrierValue& barrier(int i) const { return operands[i].barrier; }
  // What a modifier stands for (Op::choice).
  template <class OpT, class M>
  ValueOf<M> choice() const {
    return op->choice<OpT, M>();
  }
  bool is_tile(int i) const {
    return operands[i].kind == OperandValue::Kind::kTile;
  }
};

}  // namespace tilesim::ir

#endif  // TILESIM_IR_CONCRETE_H_
