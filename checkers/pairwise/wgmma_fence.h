// wgmma/fence: registers that other instructions have touched go into a wgmma
// without a wgmma.fence between (hardware.md A.7), or a warp's first wgmma has
// none at all.
#ifndef TILESIM_CHECKERS_PAIRWISE_WGMMA_FENCE_H_
#define TILESIM_CHECKERS_PAIRWISE_WGMMA_FENCE_H_

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class WgmmaFence : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnOp(const Context& context, int32_t event) override;

 private:
  using Warp = std::pair<int32_t, int32_t>;  // CTA, warp
  struct Touch {
    int32_t event = 0;
    int8_t operand = 0;
    footprint::IntervalSet elements;
  };

  void Start(const machine::Code& code);
  void Issued(const Context& context, int32_t event);
  void Touched(const Context& context, int32_t event);
  void Report(const Context& context, int32_t event, int operand,
              const Touch* touch);

  bool multiplies_ = false;       // some op is a wgmma
  std::vector<bool> multiplied_;  // declarations that some wgmma has
  std::map<footprint::Place, std::vector<Touch>>
      touched_;  // since the last fence
  std::set<Warp> fenced_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_WGMMA_FENCE_H_
