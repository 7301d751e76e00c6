// Which threads of a CTA execute a statement, as far as the text says.
#ifndef TILESIM_FRONTEND_THREADS_H_
#define TILESIM_FRONTEND_THREADS_H_

#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "ir/warp.h"

namespace tilesim::frontend {

// A set of threads: lanes of each warp. When the text does not decide, the set
// is the largest one possible and the flags say what is not known.
struct Threads {
  std::array<uint32_t, ir::kMaxWarps> lanes{};
  bool exact = true;         // false: a subset of these, whole warps of it
  bool lanes_known = true;   // false: maybe only some lanes of each warp
  bool groups_known = true;  // false: maybe only some warps of a warpgroup
  bool one_warp = false;     // one of these warps, which one is not known
  bool counted = true;       // false: of these it is not known how many
  // Of each warp in which `elect` takes one: the lanes that it chooses among.
  // `lanes` has one of them, though it may be any other.
  std::array<uint32_t, ir::kMaxWarps> elected_of{};

  static Threads Of(int64_t block);

  bool empty() const;
  int warps() const;
  int count() const;
  bool WholeWarps() const;       // or that is not known
  bool WholeWarpgroups() const;  // likewise
  void KeepWarps(int64_t low, int64_t high);
  void KeepThreads(int64_t low, int64_t high);
  void KeepLanes(int64_t low, int64_t high);
  void KeepFirstLane();
  void Elect();
  void KeepAllBut(int warp);
  void MaybeNotElected();  // some lanes were selected, which is not known
  // Whether a scope that kept `after` of these holds the elected lane of some
  // warp or not, depending on which it is.
  bool MayLoseElected(const Threads& after) const;
  void Add(const Threads& other);  // of a scope united with that of this
  bool Neighbours() const;         // no warp between them is missing

  // "1 lane of warp 4", "warps 0..4"
  std::string Describe() const;
  // The same; of one whole warp its numbers too: "warp 4, threads 128..160"
  std::string Numbered() const;

  friend bool operator==(const Threads&, const Threads&) = default;
};

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_THREADS_H_
