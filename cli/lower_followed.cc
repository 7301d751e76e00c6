#include "cli/lower_followed.h"

#include "checkers/pipeline/run_some.h"

namespace tilesim::cli {
namespace {

// Each follows one store or load more of what goes through memory, at least.
constexpr int kMostAttempts = 12;
// From this one on, loads that are made alike are followed with one of them.
constexpr int kAttemptsOneByOne = 4;

}  // namespace

std::optional<ptx::Lowered> LowerFollowed(
    const ptx::Module& module, const ptx::LaunchFile& launches, size_t at,
    ptx::Purpose purpose, int64_t max_events,
    const std::shared_ptr<machine::ByteSets>& sets, ptx::Followed& followed,
    ir::Diagnostics& diagnostics, const Attempted& attempted) {
  std::optional<ptx::Lowered> kernel;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    kernel =
        ptx::Lower(module, launches, at, followed, sets, diagnostics, purpose);
    if (!kernel) return std::nullopt;
    checkers::pipeline::RunSome(*kernel->code, !followed.words.empty(),
                                max_events);
    if (attempted) attempted(*kernel->guide);
    if (!kernel->guide->Grow(followed, attempt >= kAttemptsOneByOne)) break;
  }
  ptx::NameFound(*kernel);
  return kernel;
}

}  // namespace tilesim::cli
