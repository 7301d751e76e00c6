// Register tiles: an array of words of each thread that holds one.
#ifndef TILESIM_HWTESTS_EMIT_REGISTER_TILES_H_
#define TILESIM_HWTESTS_EMIT_REGISTER_TILES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hwtests/emit/frame.h"
#include "hwtests/emit/kernel_context.h"

namespace tilesim::hwtests {

class RegisterTiles {
 public:
  explicit RegisterTiles(KernelContext& context);

  // `threads`: of the scope that declares it.
  void Declare(int32_t decl, const ThreadsHere& threads) {
    threads_[decl] = threads;
  }
  const ThreadsHere& Threads(int32_t decl) { return threads_[decl]; }

  // Words a thread holds of one tile; "[2][64]" of the array; 0 where it is not
  // known how many threads hold it.
  int64_t Words(int32_t decl);
  std::string Extents(int32_t decl);
  std::string_view Type(int32_t decl) const;

  // `expr` picks a register: loops whose counter it depends on must be
  // unrolled.
  void MustUnroll(const ir::Expr& expr, const ir::Span& span);
  bool IsUnrolled(int32_t counter) const { return unrolled_.contains(counter); }

  // Those that asynchronous operations read or write and that are visible in a
  // function.
  std::vector<int32_t> Asynchronous(const Frame& frame) const;

 private:
  void FindAsynchronous(const ir::Block& block);

  KernelContext& context_;
  std::map<int32_t, ThreadsHere> threads_;
  std::set<int32_t> unrolled_;      // loop counters
  std::set<int32_t> asynchronous_;  // declarations
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_REGISTER_TILES_H_
