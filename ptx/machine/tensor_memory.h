// Tensor memory: what allocations get, and where an address leads.
//
// A pool is what one tcgen05.alloc allocates. Which columns hardware gives it,
// programs cannot know; here each pool has addresses of its own, a whole
// tensor memory apart, so that what lies outside of it is seen to. The first
// begins at 0.
#ifndef TILESIM_PTX_MACHINE_TENSOR_MEMORY_H_
#define TILESIM_PTX_MACHINE_TENSOR_MEMORY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "ir/tmem.h"

namespace tilesim::ptx {

struct Pool {
  int32_t op = -1;   // the tcgen05.alloc
  int64_t slot = 0;  // where it stores its address, in shared memory
  int64_t columns = 0;
  // .cta_group::2: the op of each CTA of the pair, which may stand on lines of
  // their own; -1: it has not come there. Of others one op is that of both.
  std::array<int32_t, 2> by = {-1, -1};

  bool IsBy(int32_t alloc) const {
    return op == alloc || by[0] == alloc || by[1] == alloc;
  }
};

// In the order in which they were first seen. Runs find them; what was found
// stays.
class Pools {
 public:
  explicit Pools(int32_t most) : most_(most) {}
  // -1: there are more than can be followed.
  int32_t Of(const Pool& pool);
  // By CTA `in_pair` of a pair: the one that the other CTA has allocated with
  // the same word and columns, if this one has not on another line.
  int32_t OfPair(const Pool& pool, size_t in_pair);
  const std::vector<Pool>& all() const { return all_; }
  void Close() { most_ = static_cast<int32_t>(all_.size()); }

  static uint32_t AddressOf(int32_t pool) {
    return static_cast<uint32_t>(pool) * ir::kTmemColumns;
  }
  // A byte of a lane from the first column of the first pool on, as checkers
  // number those of tensor memory: a pool's columns follow those of the pools
  // before it.
  int64_t FirstByte(int32_t pool) const;

 private:
  int32_t Add(const Pool& pool);

  int32_t most_;
  std::vector<Pool> all_;
};

// PTX 9.7.16.1: lane and column.
struct TensorAddress {
  int32_t pool = 0;
  int64_t lane = 0, column = 0;  // of the pool

  explicit TensorAddress(uint64_t address)
      : pool(static_cast<int32_t>((address & 0xffff) / ir::kTmemColumns)),
        lane(static_cast<int64_t>(address >> 16 & 0xffff)),
        column(static_cast<int64_t>(address & 0xffff) % ir::kTmemColumns) {}

  // Lanes of the first quarter are, for a load or a store of another warp,
  // those of its own: hardware does not look at the bits that say the quarter,
  // as DeepGEMM relies on. Whether it was so.
  bool TakeOwnQuarter(int64_t warp, int64_t lanes) {
    const int64_t first = ir::FirstLaneOf(warp);
    if (first == 0 || lane + lanes > ir::kQuarterLanes) return false;
    lane += first;
    return true;
  }
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_TENSOR_MEMORY_H_
