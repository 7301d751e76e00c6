// A sweep for people, tables, programs and eyes.
#ifndef TILESIM_CLI_SWEEP_SHOW_H_
#define TILESIM_CLI_SWEEP_SHOW_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "cli/sweep/sweep.h"
#include "nlohmann/json_fwd.hpp"

namespace tilesim::cli {

// The best `top` points (0: all), what is a tie, and why others are left out.
std::string TextOf(const Sweep& sweep, size_t top);

// A line a point, ranked ones first; a column for each axis.
std::string CsvOf(const Sweep& sweep);

// One of `files` of the command's JSON, as README.md says; and back. Errors:
// why it is no sweep.
nlohmann::ordered_json JsonOf(const Sweep& sweep);
absl::StatusOr<Sweep> SweepOf(const nlohmann::ordered_json& json);

// An SVG picture: of one axis a line, of two a heat map, of more heat maps for
// the values of the others. At most kMostCells points are drawn.
inline constexpr int64_t kMostCells = 10'000;
absl::StatusOr<std::string> SvgOf(const Sweep& sweep);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SWEEP_SHOW_H_
