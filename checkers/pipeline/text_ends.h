// Between which ends a number of the text lies, whatever the sizes are: of
// sums, products and quotients (`/`, `cdiv`) of natural numbers.
#ifndef TILESIM_CHECKERS_PIPELINE_TEXT_ENDS_H_
#define TILESIM_CHECKERS_PIPELINE_TEXT_ENDS_H_

#include <cstdint>
#include <optional>

#include "checkers/sizes/partition/known_numbers.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

class TextEnds {
 public:
  // Both outlive it.
  TextEnds(const ir::Kernel& kernel,
           const sizes::partition::KnownNumbers& known)
      : kernel_(kernel), known_(known) {}

  // At most that, and below 2^31; `small`: parameters without an upper end are
  // taken to be so. nullopt: not shown.
  std::optional<int64_t> MostOf(const ir::Expr& e, bool small) const;
  // At least that. nullopt: not shown.
  std::optional<int64_t> LeastOf(const ir::Expr& e) const;

 private:
  bool IsRoundedUp(const ir::Expr& e) const;
  std::optional<int64_t> MostOfName(const ir::Expr& e, bool small) const;

  const ir::Kernel& kernel_;
  const sizes::partition::KnownNumbers& known_;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_TEXT_ENDS_H_
