// A part of a timeline: some SMs, some CTAs, a window of cycles, so many
// events at most. A grid of 512 CTAs has more slices than a browser likes.
//
//   Timeline part = ApplyFilter(whole, {.sms = {0, 131}, .to = 20'000,
//                                       .max_events = 100'000});
//
// What was left out is counted and said in words (Timeline::omission), and
// every writer repeats it: a shortened trace never looks like a whole one.

#ifndef TILESIM_TRACES_FILTER_H_
#define TILESIM_TRACES_FILTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/timeline.h"

namespace tilesim::traces {

// Empty or absent: no restriction. All given restrictions must hold.
struct Filter {
  std::vector<int64_t> sms{};   // SM numbers
  std::vector<int64_t> ctas{};  // linear CTA indices
  std::optional<Cycle> from{};  // slices that touch [from, to] are kept whole
  std::optional<Cycle> to{};
  std::optional<int64_t> max_events{};
};

// "SM 0, 131; cycles ..20000; at most 100000 events"; empty if it lets
// everything pass.
std::string DescribeFilter(const Filter& filter);

// A new timeline of what passes. Processes of no SM (L2, HBM) pass any `sms`,
// those of no CTA any `ctas`. Tracks of a process that passes stay, even
// empty ones. A flow needs both its ends.
//
// `max_events` keeps the earliest (a flow is two events), so the result is the
// beginning of the run. It sets `truncated` only if it cut anything.
Timeline ApplyFilter(const Timeline& whole, const Filter& filter);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_FILTER_H_
