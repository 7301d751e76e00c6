// The code of a kernel at given sizes.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_SIZED_CODE_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_SIZED_CODE_H_

#include <cstdint>
#include <optional>

#include "ir/bind.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::partition {

class SizedCode {
 public:
  // `sm_count` 0: of the smallest GPU on which sizes are permitted.
  SizedCode(const ir::Kernel& kernel, int64_t sm_count)
      : kernel_(kernel), sm_count_(sm_count) {}

  struct Codes {
    ir::Overrides sizes;
    std::optional<machine::Code> folded;  // to be judged; absent: not permitted
    std::optional<machine::Code> kept;    // to be followed for a family
  };
  // Those of the last sizes are kept: a cell that is divided has the sizes of
  // one of its parts.
  const Codes& At(const ir::Overrides& sizes);
  bool Permitted(const ir::Overrides& sizes) const;

 private:
  std::optional<machine::Code> Compiled(const ir::Overrides& sizes,
                                        machine::Params params) const;

  const ir::Kernel& kernel_;
  int64_t sm_count_;
  std::optional<Codes> last_;
};

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_SIZED_CODE_H_
