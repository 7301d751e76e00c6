// How the launches of `tilesim hw --schedules` ended, for people and programs.
#ifndef TILESIM_CLI_OUTCOMES_H_
#define TILESIM_CLI_OUTCOMES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hwtests/run/run.h"
#include "nlohmann/json_fwd.hpp"

namespace tilesim::cli {

// CRC-32, in hexadecimal: tells texts and results apart.
std::string Fingerprint(std::string_view bytes);

nlohmann::ordered_json OutputsJson(
    const hwtests::LaunchPlan& plan,
    const std::map<std::string, std::vector<uint8_t>>& outputs);

// Each: `kind` (values, hang, fault), `count`, of these `undelayed`,
// `first_seed`, and of values the numbers of small tensors and the fingerprint
// of all, of a hang where it was.
nlohmann::ordered_json OutcomesJson(
    const hwtests::LaunchPlan& plan,
    const std::vector<hwtests::Outcome>& outcomes);
void PrintOutcomes(const hwtests::LaunchPlan& plan,
                   const std::vector<hwtests::Outcome>& outcomes);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_OUTCOMES_H_
