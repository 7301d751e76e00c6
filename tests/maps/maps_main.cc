// maps_oracle FIRST COUNT: judges random index maps by seed; results.md to
// stdout, wrong verdicts to stderr. With MAPS_VERBOSE, what was not decided,
// too.
#include <cstdlib>

#include "fmt/core.h"
#include "tests/maps/judge.h"

int main(int argc, char** argv) {
  using tilesim::checkers::maps::MapJudge;
  if (argc != 3) {
    fmt::print(stderr, "maps_oracle FIRST COUNT\n");
    return 2;
  }
  const int64_t first = std::atoll(argv[1]), count = std::atoll(argv[2]);
  MapJudge judge;
  for (int64_t seed = first; seed < first + count; ++seed) {
    const std::string wrong = judge.Judge(seed);
    if (!wrong.empty()) fmt::print(stderr, "seed {}: {}\n", seed, wrong);
    if (!judge.open().empty() && std::getenv("MAPS_VERBOSE") != nullptr)
      fmt::print(stderr, "open, seed {}: {}\n", seed, judge.open());
  }
  fmt::print("{}", judge.Page(first));
  return judge.All().wrong == 0 ? 0 : 1;
}
