// Accesses to tensor memory that are not in order:
//
//   tcgen05/order  issued one after the other, but not a pair that runs so. A
//                  warning where a read comes first: kernels rely on the
//                  tensor core reading before a later operation writes
//                  (--strict tensor-war makes it an error)
//   tcgen05/fence  in order but for tcgen05.fence::before/after_thread_sync
//   tcgen05/wait   after a tcgen05.ld or .st that nobody waited for
//   tmem/*         before the allocation is known, or around the deallocation;
//                  one that is larger than one before it (a warning); the
//                  permit, given up in no order with it
//   race/*         nothing orders them at all
//
// (PTX 9.7.16.6; hardware.md A.8.)
#ifndef TILESIM_CHECKERS_PAIRWISE_TENSOR_MEMORY_H_
#define TILESIM_CHECKERS_PAIRWISE_TENSOR_MEMORY_H_

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "checkers/order/stored_loads.h"
#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class TensorMemory : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnOp(const Context& context, int32_t event) override;
  void OnConflict(const Context& context, const Conflict& conflict) override;

 private:
  struct Allocation {
    int32_t event;
    absl::InlinedVector<order::Mark, 2> marks;
    // At the barrier of the cluster behind it: where its warp has arrived
    // first, and who of the CTA has waited since.
    absl::InlinedVector<order::Mark, 2> arrived;
    std::set<int32_t> waited;
  };
  void Meet(const Context& context, const run::Event& event);
  static bool KnownAt(const Context& context, int32_t event,
                      const Allocation& before);
  bool KnownAsStored(const Context& context, const Conflict& conflict);
  bool KnowsOfPair(const Context& context, const Conflict& conflict);
  bool ComesBehind(const Context& context, const Conflict& conflict);
  bool FreedBehind(const Context& context, const Conflict& conflict);
  static void Relinquishes(const Context& context, int32_t event,
                           const std::vector<Allocation>& before);
  static void Growing(const Context& context, const run::Event& event,
                      const std::vector<Allocation>& before);

  std::map<int32_t, std::vector<Allocation>> allocations_;  // by CTA
  // Agents that have waited for nothing since a barrier of the cluster.
  std::set<int32_t> met_;
  std::optional<order::StoredLoads> stored_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_TENSOR_MEMORY_H_
