// cluster/lifetime among what memory tells: whether a CTA has ended when a peer
// reaches into its shared memory. The certificate judges what holds in every
// schedule (order/lifetimes.h); here is the run at hand: a word that the CTA
// polled until its peer set it tells it that the peer came so far, one lane of
// a warp does not speak for another, and a relaxed signal not for what its
// thread did before it, be that weak, strong or another signal
// (docs/hardware.md A.9).
#ifndef TILESIM_CHECKERS_PAIRWISE_LIFETIME_H_
#define TILESIM_CHECKERS_PAIRWISE_LIFETIME_H_

#include <cstdint>
#include <map>
#include <vector>

#include "checkers/order/lifetimes.h"
#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class Lifetime : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnEvent(const Context& context, int32_t event) override;
  void OnEnd(const Context& context) override;

 private:
  bool HasSeen(const run::Log& log, const order::Reach& reach) const;
  static void Report(const Context& context, const order::Reach& reach,
                     std::string_view what);

  std::vector<order::Reach> all_;
  // The last phase that threads of its CTA have waited for.
  std::map<run::BarrierLife, int64_t> seen_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_LIFETIME_H_
