// What threads store on the two ways of a branch that data decide: where each
// stores the same bytes on both, every execution has stored them.
#ifndef TILESIM_PTX_MACHINE_WAYS_H_
#define TILESIM_PTX_MACHINE_WAYS_H_

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tilesim::ptx {

// Of a run that takes one way of each.
class Ways {
 public:
  // A branch (node) whose both ways execute accesses; `again`: it is executed
  // more than once, so that it is not told which time which way was taken.
  void Note(int32_t node, bool again) {
    any_ = true;
    known_ = known_ && !again;
    nodes_.insert(node);
  }
  // By which thread of the grid, on the way that is taken.
  void Stored(int32_t node, int64_t thread, uint64_t address, uint64_t bytes);
  // A store there whose address is not known.
  void StoredSomewhere() { known_ = false; }
  bool any() const { return any_; }

  // Whether it is shown that each thread stores the same on the ways that are
  // taken in one run and in the other.
  friend bool StoreTheSame(const Ways& a, const Ways& b);

 private:
  bool any_ = false, known_ = true;
  std::set<int32_t> nodes_;
  // First bytes and ends, apart.
  using Bytes = std::map<uint64_t, uint64_t>;
  std::map<std::pair<int32_t, int64_t>, Bytes> stored_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_WAYS_H_
