// The critical path: of each strand and each operation in flight, the steps of
// the longest chain that led to it. Who is released by an event goes on from
// the event's path, so that the last event's path takes the whole run, step
// after step without a hole.
//
//   PathPool pool;
//   Path path(&pool);
//   path.Add({0, op, Cause::kIssue}, cta, /*until=*/now + busy);
//   Path waiter = path;                      released by it: shares its steps
//   for (const PathStep& s : path.Steps()) ...
//
// Steps are shared and counted. What lies far back is kept as sums alone, so
// that memory is bounded: Sums() is of all, Steps() begins at `from` of its
// first step. Who shows no steps keeps few (`PathPool::kFew`): of a GEMM of
// 8192 cubed that is half of the memory of a run.
#ifndef TILESIM_SIM_TIMING_PATH_H_
#define TILESIM_SIM_TIMING_PATH_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "sim/timing/cause.h"

namespace tilesim::timing {

// What time went to: an op of a kernel (-1: its launch) and the cause.
struct PathKey {
  int16_t kernel = 0;
  int16_t op = -1;
  Cause cause = Cause::kLaunch;
  auto operator<=>(const PathKey&) const = default;
};

struct PathStep {
  PathKey key;
  int32_t cta = -1;  // number of its launch (RunStats::ctas_run)
  Cycle from = 0, to = 0;
};

using PathSums = std::map<PathKey, Cycle>;

class PathPool {
 public:
  static constexpr int32_t kMany = 1 << 15, kFew = 24;
  // A path has at most so many steps in full; what came before is summed up.
  explicit PathPool(int32_t longest = kMany) : longest_(longest) {}
  PathPool(const PathPool&) = delete;
  PathPool& operator=(const PathPool&) = delete;

 private:
  friend class Path;
  static constexpr int32_t kNone = -1;
  struct Node {
    int32_t before = kNone;
    int32_t uses = 0;
    int32_t steps = 1;  // to the first one
    int32_t cta = -1;
    PathKey key;
    bool summed = false;  // it stands for itself and all before it
    Cycle until = 0;
  };
  using Sums = std::vector<std::pair<PathKey, Cycle>>;

  Cycle Begin(const Node& n) const;
  int32_t New(Node node);
  void Release(int32_t at);
  void Sum(int32_t at);
  Sums SumsOf(int32_t at);
  void Count(const PathKey& key, Cycle cycles, Sums& sums);
  int32_t& PlaceOf(const PathKey& key);

  const int32_t longest_;
  std::vector<Node> nodes_;
  std::vector<int32_t> free_;
  absl::flat_hash_map<int32_t, Sums> sums_;  // of nodes that are `summed`
  // Where SumsOf has the sum of a key, one more: by kernel, op and cause.
  std::vector<std::vector<int32_t>> place_;
};

class Path {
 public:
  Path() = default;
  explicit Path(PathPool* pool) : pool_(pool) {}
  Path(const Path& other) : pool_(other.pool_), last_(other.last_) {
    if (last_ != PathPool::kNone) ++pool_->nodes_[last_].uses;
  }
  Path(Path&& other) noexcept
      : pool_(other.pool_),
        last_(std::exchange(other.last_, PathPool::kNone)) {}
  Path& operator=(Path other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(last_, other.last_);
    return *this;
  }
  ~Path() {
    if (last_ != PathPool::kNone) pool_->Release(last_);
  }

  // When its last step ends; 0: it has none.
  Cycle until() const {
    return last_ == PathPool::kNone ? 0 : pool_->nodes_[last_].until;
  }
  // Goes on to `until`; nothing if it is there.
  void Add(PathKey key, int32_t cta, Cycle until);

  // In the order of time, as far back as they are kept.
  std::vector<PathStep> Steps() const;
  // Cycles of all of it by what they went to: adds up to until().
  PathSums Sums() const;

 private:
  PathPool* pool_ = nullptr;
  int32_t last_ = PathPool::kNone;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_PATH_H_
