// Numbers that are the same all through a launch, in all threads of a cluster,
// as the text says what they are: sizes, the place of the cluster in the grid,
// elements of inputs that nobody writes, and what is made of these.
//
//   let m = cta.x * 64
//   ld n, Len[cta.z]          // `n` is Len[cta.z]
//
// Two of which the same is written are one number.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_LAUNCH_VALUES_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_LAUNCH_VALUES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/sizes/partition/positive.h"
#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Of a kernel that outlives it.
class LaunchValues {
 public:
  // `inputs`: declarations that nobody writes.
  LaunchValues(const ir::Overrides& defines, const std::set<int32_t>& inputs,
               const ir::Kernel& kernel);

  const Positive& positive() const { return positive_; }

  // By slot, what scalars are that have one value, as far as it can be written.
  using Known = std::map<int32_t, ir::Expr>;
  // At the statement at hand; of a loop, what none of its iterations changes.
  Known& known() { return known_; }
  // Calls `visit` for each statement, outer ones first, with what was known
  // before it.
  using Visit = std::function<void(ir::Stmt&, const Known& before)>;
  void Walk(ir::Block& block, const Visit& visit) { Walk(block, {}, visit); }

  // With lets and variables written out and `counter` as kCounter; nullopt: it
  // may be another number in another iteration of a loop around this one, in
  // another thread, or in another CTA of the cluster; or it may be none, as it
  // divides by 0. `moving`: lets that are set anew as the counter goes on.
  // Others have what it was when they were set.
  std::optional<ir::Expr> Written(const ir::Expr& e, int32_t counter = -1,
                                  const std::set<int32_t>& moving = {}) const;
  // Likewise, an element of an input: a name that is kept nowhere, with the
  // indices as arguments.
  std::optional<ir::Expr> Element(const ir::Ref& ref, int32_t counter = -1,
                                  const std::set<int32_t>& moving = {}) const;

 private:
  void Walk(ir::Block& block, Known known, const Visit& visit);
  std::optional<std::pair<int32_t, ir::Expr>> ValueSet(const ir::Stmt& s,
                                                       const Known& before);
  std::optional<ir::Expr> WrittenName(const ir::Expr& e, int32_t counter,
                                      const std::set<int32_t>& moving) const;
  bool SameInCluster(ir::Builtin which) const;
  bool IsPlaceOfCluster(const ir::Expr& e) const;
  bool IsANumber(const ir::Expr& e) const;

  std::set<int32_t> inputs_;
  Positive positive_;
  std::vector<int64_t> cluster_;  // its extents; 0: not known
  Known known_;
};

// Of what is written: a name with that slot is part of it.
bool Mentions(const ir::Expr& e, int32_t slot);
// The cluster's place in the grid, or how large that is, or an input has a say
// in it.
bool AsksForPlace(const ir::Expr& e);

// A variable that another statement than these assigns has any value.
bool Assigns(const ir::Stmt& s, int32_t slot);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_LAUNCH_VALUES_H_
