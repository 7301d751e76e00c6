#include "hwtests/run/spans.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "hwtests/run/exchange.h"
#include "ir/cat.h"
#include "ir/values/dtype.h"
#include "nlohmann/json.hpp"

namespace tilesim::hwtests {
namespace {

using nlohmann::json;

constexpr size_t kHeads = 2;  // the start, and the SM; then the ends
constexpr size_t kBytes = 16;

struct Stamp {
  uint64_t ns, clock;
};

Stamp At(std::string_view room, size_t index) {
  Stamp stamp;
  std::memcpy(&stamp, room.data() + kBytes * index, kBytes);
  return stamp;
}

size_t Ctas(const KernelPlan& k) {
  return static_cast<size_t>(k.grid[0] * k.grid[1] * k.grid[2]);
}

size_t Places(const KernelPlan& k) {
  return kHeads + static_cast<size_t>(k.block) / 32;
}

// From a first start to a last end: of a CTA, or of an SM.
struct Stretch {
  Stamp from{~uint64_t{0}, 0}, to{0, 0};

  void Add(const Stamp& start, const Stamp& end) {
    if (start.ns < from.ns) from = start;
    if (end.ns > to.ns || (end.ns == to.ns && end.clock > to.clock)) to = end;
  }
};

// A CTA: nullopt where a stamp is missing.
std::optional<Stretch> CtaAt(std::string_view room, size_t first,
                             size_t places) {
  Stretch cta;
  const Stamp start = At(room, first);
  for (size_t i = kHeads; i < places; ++i) {
    const Stamp end = At(room, first + i);
    if (start.ns == 0 || end.ns == 0) return std::nullopt;
    cta.Add(start, end);
  }
  return cta;
}

double Median(std::vector<double> v) {
  auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

Span SpanOf(const std::map<uint64_t, Stretch>& sms,
            const std::vector<double>& cycles) {
  Stretch all;
  uint64_t last_start = 0, first_end = ~uint64_t{0};
  double clocks = 0, ns = 0;
  for (const auto& [sm, s] : sms) {
    all.Add(s.from, s.to);
    last_start = std::max(last_start, s.from.ns);
    first_end = std::min(first_end, s.to.ns);
    clocks += static_cast<double>(s.to.clock - s.from.clock);
    ns += static_cast<double>(s.to.ns - s.from.ns);
  }
  Span span;
  span.ns = static_cast<double>(all.to.ns - all.from.ns);
  span.clock_mhz = ns > 0 ? 1000 * clocks / ns : 0;
  span.cta_cycles = Median(cycles);
  span.longest_cycles = *std::max_element(cycles.begin(), cycles.end());
  span.ramp_ns = static_cast<double>(last_start - all.from.ns);
  span.drain_ns = static_cast<double>(all.to.ns - first_end);
  span.sms = static_cast<int>(sms.size());
  return span;
}

Span SpanFrom(const json& j) {
  Span s;
  j.at("ns").get_to(s.ns);
  j.at("clock_mhz").get_to(s.clock_mhz);
  j.at("cta_cycles").get_to(s.cta_cycles);
  j.at("longest_cycles").get_to(s.longest_cycles);
  j.at("ramp_ns").get_to(s.ramp_ns);
  j.at("drain_ns").get_to(s.drain_ns);
  j.at("sms").get_to(s.sms);
  return s;
}

}  // namespace

size_t RoomBytes(const KernelPlan& k) { return Ctas(k) * Places(k) * kBytes; }

double ShareOf(uint8_t byte, ir::DType dtype, std::string_view elements) {
  const auto width = static_cast<size_t>(values::WordBytes(dtype));
  const std::string same(width, static_cast<char>(byte));
  size_t count = 0;
  for (size_t at = 0; at + width <= elements.size(); at += width)
    count += std::memcmp(elements.data() + at, same.data(), width) == 0;
  return static_cast<double>(count * width) /
         static_cast<double>(elements.size());
}

absl::StatusOr<Span> SpanOf(const LaunchPlan& plan,
                            const std::vector<std::string>& rooms) {
  std::map<uint64_t, Stretch> sms;
  std::vector<double> cycles;
  for (size_t i = 0; i < rooms.size(); ++i) {
    const size_t places = Places(plan.kernels[i]);
    for (size_t cta = 0; cta < Ctas(plan.kernels[i]); ++cta) {
      std::optional<Stretch> s = CtaAt(rooms[i], cta * places, places);
      if (!s)
        return HwFailure(HwError::kLaunch,
                         ir::Cat("CTA ", cta, " of ", plan.kernels[i].name,
                                 " has left no stamps of its start and its "
                                 "end: it did not run"));
      sms[At(rooms[i], cta * places + 1).ns].Add(s->from, s->to);
      cycles.push_back(static_cast<double>(s->to.clock - s->from.clock));
    }
  }
  return SpanOf(sms, cycles);
}

json ToJson(const Span& s) {
  return {{"ns", s.ns},
          {"clock_mhz", s.clock_mhz},
          {"cta_cycles", s.cta_cycles},
          {"longest_cycles", s.longest_cycles},
          {"ramp_ns", s.ramp_ns},
          {"drain_ns", s.drain_ns},
          {"sms", s.sms}};
}

absl::StatusOr<SpanResult> SpanResultFrom(const json& j) {
  try {
    SpanResult r;
    j.at("stamped_us").get_to(r.stamped_us);
    j.at("plain_us").get_to(r.plain_us);
    j.at("host_us").get_to(r.host_us);
    for (const json& span : j.at("spans")) r.spans.push_back(SpanFrom(span));
    j.at("same_outputs").get_to(r.same_outputs);
    for (const auto& [name, share] : j.at("unwritten").items())
      r.unwritten.emplace_back(name, share.get<double>());
    j.at("device").get_to(r.device);
    j.at("driver").get_to(r.driver);
    return r;
  } catch (const json::exception& e) {  // the library throws; we do not
    return HwFailure(HwError::kInternal, e.what());
  }
}

}  // namespace tilesim::hwtests
