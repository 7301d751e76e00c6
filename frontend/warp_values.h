// What is known of scalars, for each warp of a CTA: enough to follow
// `warp 4`, `let w = warp - 4` and `if w == 0`.
#ifndef TILESIM_FRONTEND_WARP_VALUES_H_
#define TILESIM_FRONTEND_WARP_VALUES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "frontend/threads.h"
#include "ir/bind.h"
#include "ir/eval.h"

namespace tilesim::frontend {

class WarpValues {
 public:
  // Constants are known, parameters and what depends on them are not.
  explicit WarpValues(const ir::BoundKernel& bound);

  std::optional<int64_t> Evaluate(const ir::Expr& e, int warp) const;
  // The same for every warp of the set, and known.
  std::optional<int64_t> Uniform(const ir::Expr& e,
                                 const Threads& threads) const;
  // May differ from warp to warp.
  bool Varies(const ir::Expr& e) const;
  // A let.
  void Let(int32_t slot, const ir::Expr& value);
  // A scalar that is not known, and perhaps not the same for all warps.
  void Unknown(int32_t slot, bool varies);

 private:
  std::optional<int64_t> BytesOf(std::string_view name) const;

  std::map<std::string_view, int64_t> bytes_;  // of what is not global
  std::vector<std::vector<std::optional<ir::Value>>> slots_;  // by warp
  std::set<int32_t> varying_;
};

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_WARP_VALUES_H_
