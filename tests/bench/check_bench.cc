// What `check` costs: a ring of warps that hand a token on, as its warps, its
// slots and its turns get more, and every example for all sizes. Run from the
// repository's root; compare the ratios within one run.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "checkers/check.h"
#include "fmt/format.h"
#include "frontend/parse.h"

namespace tilesim {

namespace {

std::optional<ir::Program> Parsed(const std::string& name,
                                  const std::string& text) {
  ir::Source source{name, text};
  ir::Diagnostics diagnostics;
  return frontend::Parse(source, diagnostics);
}

// Warp w waits for its predecessor and releases its successor, `turns` times
// around, through `stages` slots.
std::string RingOfWarps(int64_t warps, int64_t stages) {
  return fmt::format(R"(kernel ring target sm_90a {{
  param N : 1.. = 32
  const W = {}, S = {}
  grid (1)
  block 32 * W
  mbarrier go[W, S]
  warp 0, elect {{
    for w in 0..W {{
      for s in 0..S {{
        mbarrier.init go[w, s], 1
      }}
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role hands_on = warps 0..W, elect {{
    for k in 0..N {{
      let s = k % S
      mbarrier.wait go[warp, s], parity = (k / S + (warp == 0 ? 1 : 0)) & 1
      mbarrier.arrive go[(warp + 1) % W, s]
    }}
  }}
}}
)",
                     warps, stages);
}

void Check(benchmark::State& bench, const ir::Program& program,
           const checkers::CheckOptions& options) {
  checkers::CheckReport report;
  for (auto _ : bench) report = checkers::Check(program, options);
  bench.SetLabel(std::string(Name(report.verdict)));
  bench.counters["clusters"] = static_cast<double>(report.scope.clusters);
}

void Ring(benchmark::State& bench, int64_t warps, int64_t stages,
          int64_t turns) {
  auto program = Parsed("ring.tile", RingOfWarps(warps, stages));
  if (!program) return bench.SkipWithError("the ring does not parse");
  checkers::CheckOptions options;
  options.defines = {{"N", turns}};
  Check(bench, *program, options);
}

void GrowsWithRoles(benchmark::State& bench) {
  Ring(bench, bench.range(0), 4, 32);
}
void GrowsWithStages(benchmark::State& bench) {
  Ring(bench, 16, bench.range(0), 32);
}
void GrowsWithTurns(benchmark::State& bench) {
  Ring(bench, 16, 4, bench.range(0));
}

BENCHMARK(GrowsWithRoles)->DenseRange(4, 32, 4)->Unit(benchmark::kMillisecond);
BENCHMARK(GrowsWithStages)->DenseRange(2, 16, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(GrowsWithTurns)
    ->DenseRange(16, 128, 16)
    ->Unit(benchmark::kMillisecond);

void Example(benchmark::State& bench, const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  auto program = Parsed(path, text.str());
  if (!program) return bench.SkipWithError("does not parse");
  Check(bench, *program, {});
}

// One benchmark an example, in the order of their names.
const bool kExamplesAreThere = [] {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  std::error_code none;
  for (fs::recursive_directory_iterator at("examples", none), end; at != end;
       at.increment(none)) {
    if (at->path().extension() == ".tile") paths.push_back(at->path().string());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    benchmark::RegisterBenchmark(
        ("AllSizes/" + path).c_str(),
        [path](benchmark::State& bench) { Example(bench, path); })
        ->Unit(benchmark::kMillisecond);
  }
  return !paths.empty();
}();

}  // namespace
}  // namespace tilesim
