// cluster/scope: CTAs of a cluster synchronise by an mbarrier whose arrival or
// wait is of .cta scope, which orders nothing between them (PTX 8.7, morally
// strong). What an asynchronous operation completes it releases at cluster
// scope: a wait for that of a peer is of no use with .cta either.
// Where the scope is written it is an error on an arrival, which is never meant
// for its own CTA; on a wait a race tells it, if there is one. Where it is not
// it is a warning: that is how kernels are compiled, and order takes them at
// what they mean.
#ifndef TILESIM_CHECKERS_PAIRWISE_CLUSTER_SCOPE_H_
#define TILESIM_CHECKERS_PAIRWISE_CLUSTER_SCOPE_H_

#include <cstdint>
#include <map>
#include <utility>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class ClusterScope : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnEvent(const Context& context, int32_t event) override;
  void OnOp(const Context& context, int32_t event) override;

 private:
  using Phase = std::pair<run::BarrierLife, int64_t>;

  void Arrives(const Context& context, int32_t event,
               const run::BarrierUse& use);
  void Waits(const Context& context, int32_t event, const run::BarrierUse& use);

  // The first that counted there, as an event: an arrival, or the end of an
  // operation.
  std::map<Phase, int32_t> by_peers_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_CLUSTER_SCOPE_H_
