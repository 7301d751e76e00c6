#include "checkers/sizes/partition/sized_code.h"

#include <utility>

#include "checkers/plan/sm_count.h"

namespace tilesim::checkers::sizes::partition {
using plan::kSmCounts;

const SizedCode::Codes& SizedCode::At(const ir::Overrides& sizes) {
  if (!last_ || last_->sizes != sizes)
    last_ = Codes{sizes, Compiled(sizes, machine::Params::kFolded),
                  Compiled(sizes, machine::Params::kKept)};
  return *last_;
}

bool SizedCode::Permitted(const ir::Overrides& sizes) const {
  return Compiled(sizes, machine::Params::kFolded).has_value();
}

std::optional<machine::Code> SizedCode::Compiled(const ir::Overrides& sizes,
                                                 machine::Params params) const {
  // Sizes are permitted if they are on some GPU: `require` may name sm.count.
  ir::Diagnostics ignored;
  for (int64_t sms : kSmCounts) {
    auto bound =
        ir::Bind(kernel_, sizes, sm_count_ != 0 ? sm_count_ : sms, ignored);
    if (bound) return machine::Compile(std::move(*bound), ignored, params);
  }
  return std::nullopt;
}

}  // namespace tilesim::checkers::sizes::partition
