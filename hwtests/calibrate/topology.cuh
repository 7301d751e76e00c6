// Which SMs share a GPC: CTAs of a cluster do.
#ifndef TILESIM_HWTESTS_CALIBRATE_TOPOLOGY_CUH_
#define TILESIM_HWTESTS_CALIBRATE_TOPOLOGY_CUH_

#include <map>
#include <vector>

#include "hwtests/calibrate/harness.cuh"

namespace calibrate {

// A set of SMs, for kernels of which only some CTAs take part.
struct SmSet {
  uint32_t words[(kSms + 31) / 32];
  __host__ __device__ bool has(uint32_t sm) const {
    return (words[sm / 32] >> (sm % 32) & 1) != 0;
  }
  __host__ __device__ int before(uint32_t sm) const {
    int count = 0;
    for (uint32_t s = 0; s < sm; ++s) count += has(s);
    return count;
  }
  int size() const { return before(kSms); }
};

inline SmSet SetOf(const std::vector<int>& sms) {
  SmSet set = {};
  for (int sm : sms) set.words[sm / 32] |= 1u << (sm % 32);
  return set;
}

__global__ void name_sm(uint32_t* sm_of) {
  if (threadIdx.x == 0) sm_of[blockIdx.x] = sm_index();
  spin(20000);  // until all CTAs of the launch have an SM
}

// The SMs of each GPC, largest first.
inline std::vector<std::vector<int>> Gpcs() {
  std::vector<int> group(kSms);
  for (int i = 0; i < kSms; ++i) group[i] = i;
  // Sizes and numbers that differ join what one of them leaves apart.
  for (int size : {2, 3, 4, 5, 6, 7, 8, 12, 16}) {
    for (int ctas : {128, 256, 512, 1024, 1500}) {
      const int grid = ctas / size * size;
      Buffer<uint32_t> sm_of(grid);
      Run(name_sm, grid, size, 32, 0, sm_of.get());
      const std::vector<uint32_t> sms = sm_of.Read();
      for (int i = 0; i < grid; ++i) {
        const int from = group[sms[i]], to = group[sms[i / size * size]];
        for (int& g : group) g = g == from ? to : g;
      }
    }
  }
  std::map<int, std::vector<int>> members;
  for (int sm = 0; sm < kSms; ++sm) members[group[sm]].push_back(sm);
  std::vector<std::vector<int>> gpcs;
  for (auto& [_, sms] : members) gpcs.push_back(sms);
  std::sort(gpcs.begin(), gpcs.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return gpcs;
}

}  // namespace calibrate

#endif  // TILESIM_HWTESTS_CALIBRATE_TOPOLOGY_CUH_
