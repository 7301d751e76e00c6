// mbarriers of a kernel, as operations name them.
#ifndef TILESIM_PTX_MACHINE_BARRIERS_H_
#define TILESIM_PTX_MACHINE_BARRIERS_H_

#include <cstdint>
#include <map>
#include <vector>

namespace tilesim::ptx {

// mbarriers by their place in shared memory, in the order in which they were
// first seen. Runs find them; what was found stays.
class Barriers {
 public:
  explicit Barriers(int32_t most) : most_(most) {}
  // -1: there are more than can be followed.
  int32_t Of(int64_t offset);
  const std::vector<int64_t>& offsets() const { return offsets_; }
  // No more are taken.
  void Close() { most_ = static_cast<int32_t>(offsets_.size()); }

 private:
  int32_t most_;
  std::vector<int64_t> offsets_;
  std::map<int64_t, int32_t> numbers_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_BARRIERS_H_
