// A launch of PTX as code of the machine, with what goes through memory and
// decides: attempts find it (ptx/machine/followed.h).
#ifndef TILESIM_CLI_LOWER_FOLLOWED_H_
#define TILESIM_CLI_LOWER_FOLLOWED_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "ir/diagnostic.h"
#include "ptx/launch/launch.h"
#include "ptx/machine/lower.h"
#include "ptx/text/module.h"
#include "sim/machine/byte_sets.h"

namespace tilesim::cli {

// What a cluster asks for that was not run before is followed in another round:
// so many, at most.
inline constexpr int kMostRounds = 4;

// Told after each attempt of what it has seen.
using Attempted = std::function<void(const ptx::PtxGuide&)>;

// `followed` is where it begins, and what it has found. nullopt when
// `diagnostics` got an error. The launch must fit.
std::optional<ptx::Lowered> LowerFollowed(
    const ptx::Module& module, const ptx::LaunchFile& launches, size_t at,
    ptx::Purpose purpose, int64_t max_events,
    const std::shared_ptr<machine::ByteSets>& sets, ptx::Followed& followed,
    ir::Diagnostics& diagnostics, const Attempted& attempted = {});

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_LOWER_FOLLOWED_H_
