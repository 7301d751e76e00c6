#include "checkers/pairwise/all_checkers.h"

#include "checkers/pairwise/address.h"
#include "checkers/pairwise/barrier_lanes.h"
#include "checkers/pairwise/bounds.h"
#include "checkers/pairwise/clobbered.h"
#include "checkers/pairwise/cluster_scope.h"
#include "checkers/pairwise/init_fence.h"
#include "checkers/pairwise/lifetime.h"
#include "checkers/pairwise/one_box.h"
#include "checkers/pairwise/one_instruction.h"
#include "checkers/pairwise/proxy_fence.h"
#include "checkers/pairwise/race.h"
#include "checkers/pairwise/register_counts.h"
#include "checkers/pairwise/registers_in_flight.h"
#include "checkers/pairwise/tensor_memory.h"
#include "checkers/pairwise/uninitialised.h"
#include "checkers/pairwise/wgmma_fence.h"

namespace tilesim::checkers::pairwise {

std::vector<std::unique_ptr<Checker>> AllCheckers() {
  std::vector<std::unique_ptr<Checker>> all;
  all.push_back(std::make_unique<RegistersInFlight>());
  all.push_back(std::make_unique<WgmmaFence>());
  all.push_back(std::make_unique<Race>());
  all.push_back(std::make_unique<OneBox>());
  all.push_back(std::make_unique<OneInstruction>());
  all.push_back(std::make_unique<ProxyFenceCheck>());
  all.push_back(std::make_unique<InitFence>());
  all.push_back(std::make_unique<BarrierLanes>());
  all.push_back(std::make_unique<ClusterScope>());
  all.push_back(std::make_unique<Lifetime>());
  all.push_back(std::make_unique<TensorMemory>());
  all.push_back(std::make_unique<Uninitialised>());
  all.push_back(std::make_unique<Clobbered>());
  all.push_back(std::make_unique<Address>());
  all.push_back(std::make_unique<Bounds>());
  all.push_back(std::make_unique<RegisterCounts>());
  return all;
}

}  // namespace tilesim::checkers::pairwise
