// The grid of a sweep: what its -D say, and its points by number.
//
//   absl::StatusOr<Grid> grid =
//       Grid::Of({"STAGES=2..7", "BN=128,256", "M=4096"}, steps, 100'000);
//   grid->size()     12
//   grid->ValuesAt(5)    {4, 256, 4096}      the last axis turns fastest
//
// NAME=VALUES, or M,N,K=VALUES of names that share their value: numbers and
// ranges with commas between. A range is `A..B`, both inclusive, or `A..B step
// S`; blanks do not count. Without `step` a range of a parameter goes by the
// parameter's own step, any other by 1.
#ifndef TILESIM_CLI_SWEEP_GRID_H_
#define TILESIM_CLI_SWEEP_GRID_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/bind.h"

namespace tilesim::cli {

// One name, or several that have the same value at every point: "M,N,K".
struct Axis {
  std::string name;
  std::vector<int64_t> values;
  // A `param`, what the program is asked for; else a `const`, a choice.
  bool is_size = false;

  std::vector<std::string> names() const;
  friend bool operator==(const Axis&, const Axis&) = default;
};

// Part `index` of `count`, from 1: the points whose number leaves the rest
// index - 1.
struct Shard {
  int64_t index = 1;
  int64_t count = 1;

  bool Has(int64_t point) const { return point % count == index - 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

// "I/N". Errors: what is wrong with it, for people.
absl::StatusOr<Shard> ParseShard(std::string_view text);

class Grid {
 public:
  using StepOf = std::function<int64_t(const std::string& name)>;

  // Errors, for people: what is no NAME=VALUES, an empty range, a name or a
  // value that is there twice, more than `most` points.
  static absl::StatusOr<Grid> Of(const std::vector<std::string>& texts,
                                 const StepOf& step_of, int64_t most);
  // Of axes that are known to be good.
  explicit Grid(std::vector<Axis> axes);

  const std::vector<Axis>& axes() const { return axes_; }
  // Indices of the axes with more than one value.
  std::vector<size_t> varied() const;
  int64_t size() const { return size_; }
  std::vector<int64_t> ValuesAt(int64_t point) const;
  ir::Overrides DefinesAt(int64_t point) const;
  // The place of a point on an axis, and the point at another place of it.
  int64_t PlaceOn(size_t axis, int64_t point) const;
  int64_t Moved(int64_t point, size_t axis, int64_t place) const;
  // The point whose values are nearest to these; those of other names stay at
  // the first value.
  int64_t Nearest(const ir::Overrides& values) const;
  // The point with exactly these values, if there is one.
  std::optional<int64_t> Find(const ir::Overrides& values) const;

 private:
  std::vector<Axis> axes_;
  std::vector<int64_t> strides_;
  int64_t size_ = 1;
};

// 1234567 as "1,234,567".
std::string Grouped(int64_t number);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SWEEP_GRID_H_
