// What parent and child of a run tell one another through a directory:
// job.json and in_NAME.bin one way, result.json and out_NAME.bin the other.
#ifndef TILESIM_HWTESTS_RUN_EXCHANGE_H_
#define TILESIM_HWTESTS_RUN_EXCHANGE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hwtests/run/run.h"
#include "nlohmann/json_fwd.hpp"

namespace tilesim::hwtests {

// The child makes it once the driver has started.
inline constexpr char kReadyFile[] = "ready";

absl::Status WriteBytes(const std::string& path, std::string_view bytes);
absl::StatusOr<std::string> ReadBytes(const std::string& path);
absl::Status WriteJson(const std::string& path, const nlohmann::json& json);
absl::StatusOr<nlohmann::json> ReadJson(const std::string& path);

// A failure with its HwError, and a hang's report, that HwErrorOf finds again.
absl::Status HwFailure(HwError error, std::string_view message);
absl::Status HwHang(std::string_view message, const WaitReport& report);

// The failure as result.json says it.
nlohmann::json ToJson(const absl::Status& status);
absl::Status StatusFromJson(const nlohmann::json& json);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_EXCHANGE_H_
