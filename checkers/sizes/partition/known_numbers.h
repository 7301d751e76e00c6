// Numbers of a kernel that are the same whatever its sizes are.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_KNOWN_NUMBERS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_KNOWN_NUMBERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/bind.h"
#include "ir/eval.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Constants, with `defines` in their place, and what is made of them.
class KnownNumbers {
 public:
  KnownNumbers(const ir::Overrides& defines, const ir::Kernel& kernel);

  std::optional<int64_t> Of(const ir::Expr& e) const;
  // Where slots have these values besides.
  std::optional<int64_t> Of(const ir::Expr& e,
                            const std::map<int32_t, int64_t>& values);

 private:
  std::optional<ir::Value> ValueOf(const ir::Expr& e) const;

  std::vector<std::optional<ir::Value>> slots_;
};

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_KNOWN_NUMBERS_H_
