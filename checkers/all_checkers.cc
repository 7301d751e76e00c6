#include "checkers/all_checkers.h"

#include "checkers/checks/bounds.h"
#include "checkers/checks/clobbered.h"
#include "checkers/checks/init_fence.h"
#include "checkers/checks/proxy_fence.h"
#include "checkers/checks/race.h"
#include "checkers/checks/tensor_memory.h"
#include "checkers/checks/uninitialised.h"
#include "checkers/checks/wgmma_fence.h"
#include "checkers/checks/wgmma_wait.h"

namespace tilesim::checkers {

std::vector<std::unique_ptr<Checker>> AllCheckers() {
  std::vector<std::unique_ptr<Checker>> all;
  all.push_back(std::make_unique<WgmmaWait>());
  all.push_back(std::make_unique<WgmmaFence>());
  all.push_back(std::make_unique<Race>());
  all.push_back(std::make_unique<ProxyFenceCheck>());
  all.push_back(std::make_unique<InitFence>());
  all.push_back(std::make_unique<TensorMemory>());
  all.push_back(std::make_unique<Uninitialised>());
  all.push_back(std::make_unique<Clobbered>());
  all.push_back(std::make_unique<Bounds>());
  return all;
}

}  // namespace tilesim::checkers
