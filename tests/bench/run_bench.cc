// How the cost of a timed run grows: with K, with tiles, with SMs. One event
// is one step of the clock; compare the ratios within one run.
#include <fstream>
#include <sstream>
#include <string>

#include "benchmark/benchmark.h"
#include "frontend/parse.h"
#include "sim/timing/engine.h"

namespace tilesim {
namespace {

// Timing only, of examples/hopper/hgemm_v08.tile; run from the repository.
void Gemm(benchmark::State& bench, int64_t m, int64_t k, int64_t sms) {
  std::ifstream in("examples/hopper/hgemm_v08.tile");
  std::ostringstream text;
  text << in.rdbuf();
  ir::Source source{"examples/hopper/hgemm_v08.tile", text.str()};
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse(source, diagnostics);
  if (!program) return bench.SkipWithError("run from the repository's root");
  arch::Arch gpu = *arch::FindArch("h200");
  if (sms < 132) {  // a smaller chip: GPCs of 16
    gpu.sms = static_cast<double>(sms);
    double left = gpu.sms;
    for (double* gpc :
         {&gpu.gpc_sms_0, &gpu.gpc_sms_1, &gpu.gpc_sms_2, &gpu.gpc_sms_3,
          &gpu.gpc_sms_4, &gpu.gpc_sms_5, &gpu.gpc_sms_6, &gpu.gpc_sms_7}) {
      *gpc = std::min(left, 16.0);
      left -= *gpc;
    }
  }
  auto bound = ir::Bind(program->kernels[0], {{"M", m}, {"N", m}, {"K", k}},
                        static_cast<int64_t>(gpu.sms), diagnostics);
  auto code = machine::Compile(*bound, diagnostics);
  int64_t events = 0;
  for (auto _ : bench) {
    machine::Machine machine({&*code});
    timing::Engine engine(machine, gpu, {});
    events += engine.Run().events;
  }
  bench.counters["events"] = static_cast<double>(events);
  bench.counters["events/s"] = benchmark::Counter(static_cast<double>(events),
                                                  benchmark::Counter::kIsRate);
}

void GrowsWithK(benchmark::State& bench) {
  Gemm(bench, 2048, bench.range(0), 132);
}
void GrowsWithTiles(benchmark::State& bench) {
  Gemm(bench, bench.range(0), 1024, 132);
}
void GrowsWithSms(benchmark::State& bench) {
  Gemm(bench, 4096, 1024, bench.range(0));
}

BENCHMARK(GrowsWithK)
    ->RangeMultiplier(2)
    ->Range(512, 8192)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(GrowsWithTiles)
    ->RangeMultiplier(2)
    ->Range(1024, 8192)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(GrowsWithSms)
    ->Arg(16)
    ->Arg(32)
    ->Arg(64)
    ->Arg(128)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilesim
