#include "traces/micros.h"

#include "absl/strings/str_cat.h"

namespace tilesim::traces {

int64_t Nanoseconds(Cycle cycle, int64_t clock_khz) {
  // ns = cycle * 1e6 / kHz; in two parts, so that it cannot overflow before
  // the cycle count itself would.
  constexpr int64_t kNsTimesKhz = 1'000'000;
  const int64_t whole = cycle / clock_khz * kNsTimesKhz;
  const int64_t part = cycle % clock_khz * kNsTimesKhz;
  return whole + (2 * part + clock_khz) / (2 * clock_khz);
}

void AppendMicros(std::string* out, int64_t ns) {
  absl::StrAppend(out, ns / 1000, ".", absl::Dec(ns % 1000, absl::kZeroPad3));
  const double as_read = static_cast<double>(ns) / 1000.0;
  if (static_cast<int64_t>(as_read * 1000.0) != ns) out->push_back('1');
}

}  // namespace tilesim::traces
