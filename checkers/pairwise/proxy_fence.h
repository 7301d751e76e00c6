// proxy-fence/*: a generic access, then an asynchronous one to the same bytes,
// in order but without the fence.proxy.async that the change of proxy needs
// (hardware.md A.6). A missing fence after a read is only a warning: CUTLASS's
// pipelines do without. So is one by the thread that issues the asynchronous
// access alone, after a barrier: PTX's causality wants it where the generic
// access was (8.9.5), kernels have both.
#ifndef TILESIM_CHECKERS_PAIRWISE_PROXY_FENCE_H_
#define TILESIM_CHECKERS_PAIRWISE_PROXY_FENCE_H_

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class ProxyFenceCheck : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnConflict(const Context& context, const Conflict& conflict) override;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_PROXY_FENCE_H_
