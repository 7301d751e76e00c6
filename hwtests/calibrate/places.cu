// Which SM gets which CTA of a launch: how often CTAs that follow each other at a
// distance share a GPC, an SM or the two SMs of a TPC.
#include <algorithm>

#include "hwtests/calibrate/topology.cuh"

namespace calibrate {
namespace {

constexpr int kDistances[] = {1, 2, 4, 8, 16, 32}, kMostCtas = 8 * kSms;

__global__ void where_am_i(uint32_t* sm_of) {
  if (threadIdx.x == 0) sm_of[blockIdx.x] = sm_index();
  spin(20000);  // until all CTAs of the launch have an SM
}

struct Bench {
  Report& report;
  std::vector<int> gpc_of = std::vector<int>(kSms);
  Buffer<uint32_t> sm_of{kMostCtas};

  void Measure(int per_sm, int cluster, int asked = kMostCtas) {
    const int ctas = std::min(asked, kSms * per_sm / cluster * cluster);
    const int room = (224 << 10) / per_sm;  // so many fit
    std::map<int, Samples> gpc, tpc, sm;
    for (int repeat = 0; repeat < 5; ++repeat) {
      Run(where_am_i, ctas, cluster, 32, room, sm_of.get());
      const std::vector<uint32_t> at = sm_of.Read(ctas);
      if (repeat == 0) Show(per_sm, cluster, at);
      for (int d : kDistances) {
        if (d >= ctas) break;
        double same_gpc = 0, same_sm = 0, same_tpc = 0;
        for (int i = 0; i + d < ctas; ++i) {
          same_gpc += gpc_of[at[i]] == gpc_of[at[i + d]];
          same_tpc += at[i] / 2 == at[i + d] / 2;
          same_sm += at[i] == at[i + d];
        }
        gpc[d].push_back(same_gpc / (ctas - d));
        tpc[d].push_back(same_tpc / (ctas - d));
        sm[d].push_back(same_sm / (ctas - d));
      }
    }
    Add("gpc", ctas, per_sm, cluster, gpc);
    Add("tpc", ctas, per_sm, cluster, tpc);
    Add("sm", ctas, per_sm, cluster, sm);
  }

  void Add(const char* share, int ctas, int per_sm, int cluster,
           const std::map<int, Samples>& by_distance) {
    for (const auto& [distance, together] : by_distance) {
      report.Add("launch.together",
                 {{"share", share},
                  {"ctas", ctas},
                  {"cluster", cluster},
                  {"ctas_of_sm", per_sm},
                  {"distance", distance}},
                 "fraction", together);
    }
  }

  void Show(int per_sm, int cluster, const std::vector<uint32_t>& at) {
    std::printf("clusters of %d, %d CTAs an SM: gpc.sm of each CTA\n", cluster,
                per_sm);
    for (uint32_t sm : at) std::printf(" %d.%u", gpc_of[sm], sm);
    std::printf("\n");
  }
};

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before places");
  Bench bench{report};
  const auto gpcs = Gpcs();
  for (size_t g = 0; g < gpcs.size(); ++g) {
    for (int sm : gpcs[g]) bench.gpc_of[sm] = static_cast<int>(g);
  }
  for (int per_sm : {1, 2, 4, 8}) bench.Measure(per_sm, 1);
  for (int cluster : {2, 4}) bench.Measure(1, cluster);
  bench.Measure(2, 2);
  for (int ctas : {8, 16, 32, 64, 96}) {
    bench.Measure(1, 1, ctas);
    bench.Measure(2, 1, ctas);
    bench.Measure(1, 2, ctas);
  }
  ReportClock(report, "after places");
}
