#include "cli/device.h"

#include <algorithm>

#include "cli/complain.h"
#include "cli/exit_code.h"
#include "fmt/format.h"
#include "hwtests/run/run.h"

namespace tilesim::cli {

using hwtests::HwError;

bool IsMissing(const absl::Status& status) {
  HwError e = hwtests::HwErrorOf(status);
  return e == HwError::kNoDriver || e == HwError::kNoDevice ||
         e == HwError::kNoNvrtc || e == HwError::kWrongArch;
}

std::vector<std::string> MissingHere(const absl::Status& status) {
  bool compiler = hwtests::HwErrorOf(status) == HwError::kNoNvrtc;
  absl::Status other = compiler ? hwtests::DeviceSmCount({}).status()
                                : hwtests::CompilerStatus();
  std::vector<std::string> out;
  for (const absl::Status& s : {status, other}) {
    if (!s.ok()) out.emplace_back(s.message());
  }
  return out;
}

int SayMissing(const absl::Status& status) {
  for (const std::string& line : MissingHere(status)) Complain("{}", line);
  return kNoDevice;
}

double Median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  size_t n = v.size();
  return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

}  // namespace tilesim::cli
