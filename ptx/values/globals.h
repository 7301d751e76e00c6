// The buffers of a launch: what their bytes are. Their addresses are those of
// machine/memory.h, the same for all kernels of the file.
//
// A buffer starts as the launch says: zeros, the array of a file, nothing
// (poison), else values that its seed and name decide, as those of a global of
// `.tile` text. Pages are filled when they are first touched.
#ifndef TILESIM_PTX_VALUES_GLOBALS_H_
#define TILESIM_PTX_VALUES_GLOBALS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/values/tensor.h"
#include "ptx/launch/launch.h"
#include "ptx/machine/memory.h"
#include "sim/machine/data/budget.h"
#include "sim/machine/data/globals.h"

namespace tilesim::ptx {

class GlobalBytes {
 public:
  // ResourceExhausted, with how much is needed, before memory is taken.
  // InvalidArgument: an array that does not fit its buffer.
  static absl::StatusOr<std::unique_ptr<GlobalBytes>> Create(
      const LaunchFile& file, const Memory& memory, uint64_t seed);

  enum class For : uint8_t { kReading, kWriting };
  // Bytes from that address on; null: no buffer has them all. Those that are
  // taken for writing count as written.
  uint8_t* At(uint64_t address, int64_t bytes, For what);
  // Likewise, from the start of a buffer.
  uint8_t* Of(size_t buffer, int64_t offset, int64_t bytes, For what);
  // Whether some buffer was both read and written: what CTAs leave may then
  // depend on others.
  bool ReadAndWritten() const;
  // Whether any of an element was written.
  bool Written(size_t buffer, int64_t element) const;
  const machine::GlobalTensor& Tensor(size_t buffer) const {
    return *ranges_[buffer].tensor;
  }
  // The buffer as it is now.
  values::Tensor Copy(size_t buffer);

 private:
  struct Range {
    uint64_t address = 0, bytes = 0;
    bool read = false, written = false;
    values::Tensor given;
    std::unique_ptr<machine::GlobalTensor> tensor;
  };

  machine::Budget budget_;
  std::vector<Range> ranges_;  // by buffer
  std::vector<size_t> by_address_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_VALUES_GLOBALS_H_
