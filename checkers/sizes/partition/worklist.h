// The cells that are still to be checked. At first all sizes are one, and
// whenever it turns out that parameters had better be taken otherwise.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_WORKLIST_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_WORKLIST_H_

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/sizes/induction/division_hint.h"
#include "checkers/sizes/partition/divide.h"
#include "checkers/sizes/partition/representative.h"

namespace tilesim::checkers::sizes::partition {

class Worklist {
 public:
  // `known`: facts about parameters of the kernel, by their steps (kSteps).
  // `required`: what `requires` says of their values (permitted.h).
  Worklist(const ir::Kernel& kernel, const Varied& varied,
           const std::vector<algebra::Polynomial>& known,
           std::vector<algebra::Polynomial> required)
      : kernel_(kernel),
        varied_(varied),
        known_(known),
        required_(std::move(required)),
        never_merge_(!known.empty()) {}

  // All sizes, as one cell; the cells that there were are forgotten. To be
  // called after each of the following that changed something.
  void BeginAnew();
  // The first is checked first.
  void Add(SizeCells cells);
  bool empty() const { return todo_.empty(); }
  SizeCell Next();

  // Two parameters whose product alone decides are one: the cells are those of
  // the product. The first parameter takes its steps, the second is at its
  // lowest value. False: they cannot be.
  bool Merge(const std::pair<algebra::Symbol, algebra::Symbol>& product);
  // Something else of them decides as well.
  void Unmerge();
  const Factors& merged() const { return merged_; }
  const Tiles& tiles() const { return tiles_; }

  // A parameter that decides by how many tiles of so many steps it takes, the
  // last of which may be a part of one, is that number, less what the last
  // lacks: 8 + 8 n is 256 (n + 1) - 8 r, with r from 0 to 31. False: it is
  // taken so already, or is none of those.
  bool CountInTiles(const induction::Stride& tile);
  // All of them as they are, from here on; false: they are.
  bool CountInSteps();

  // Cluster launch control hands out any number of clusters. How many there are
  // in the grid is the only thing that its parameters decide then. False: it
  // hands out none, or the cell says how many already.
  bool Loosen(const SizeCell& cell, const machine::Code& kept);
  // Back to each cluster of a fixed grid with those that it may be handed.
  // False: so it is.
  bool EachByItself();

 private:
  SizeCell AllSizes() const;
  void AddParam(SizeCell& cell, size_t i) const;
  void AddRest(SizeCell& cell, size_t i, int64_t steps) const;
  void AddRequired(SizeCell& cell) const;
  algebra::Polynomial OfCell(algebra::Polynomial fact) const;
  std::vector<algebra::Polynomial> GridNumbers(const SizeCell& cell,
                                               const machine::Code& kept) const;

  const ir::Kernel& kernel_;
  const Varied& varied_;
  const std::vector<algebra::Polynomial>& known_;
  const std::vector<algebra::Polynomial> required_;
  bool never_merge_;
  bool never_in_tiles_ = false;
  Factors merged_;
  Tiles tiles_;
  std::set<size_t> loose_;  // parameters (SizeCell)
  // Clusters of a grid of no parameter, any number of which may be handed out.
  std::optional<int64_t> fixed_grid_;
  bool each_by_itself_ = false;
  SizeCells todo_;  // the last first
};

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_WORKLIST_H_
