#include "frontend/threads.h"

#include <algorithm>

#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

using ir::kAllLanes;
using ir::kMaxWarps;
using ir::kWarpgroupWarps;
using ir::kWarpThreads;

// Bits [low, high) of a word.
uint32_t Bits(int64_t low, int64_t high) {
  low = std::clamp<int64_t>(low, 0, kWarpThreads);
  high = std::clamp<int64_t>(high, 0, kWarpThreads);
  if (low >= high) return 0;
  uint64_t ones = (uint64_t{1} << (high - low)) - 1;
  return static_cast<uint32_t>(ones << low);
}

}  // namespace

Threads Threads::Of(int64_t block) {
  Threads t;
  for (int w = 0; w < kMaxWarps; ++w)
    t.lanes[w] = Bits(0, block - w * kWarpThreads);
  return t;
}

bool Threads::empty() const { return warps() == 0; }

int Threads::warps() const {
  return static_cast<int>(std::count_if(lanes.begin(), lanes.end(),
                                        [](uint32_t l) { return l != 0; }));
}

int Threads::count() const {
  int n = 0;
  for (uint32_t l : lanes) n += std::popcount(l);
  return one_warp && n > 0 ? n / warps() : n;
}

bool Threads::WholeWarps() const {
  if (!lanes_known) return true;
  return std::all_of(lanes.begin(), lanes.end(),
                     [](uint32_t l) { return l == 0 || l == kAllLanes; });
}

bool Threads::WholeWarpgroups() const {
  if (!WholeWarps() || one_warp) return false;
  if (!lanes_known || !groups_known) return true;
  for (int g = 0; g < kMaxWarps; g += kWarpgroupWarps) {
    for (int w = 1; w < kWarpgroupWarps; ++w) {
      if ((lanes[g] == 0) != (lanes[g + w] == 0)) return false;
    }
  }
  return true;
}

void Threads::KeepWarps(int64_t low, int64_t high) {
  for (int w = 0; w < kMaxWarps; ++w) {
    if (w < low || w >= high) lanes[w] = elected_of[w] = 0;
  }
}

void Threads::KeepThreads(int64_t low, int64_t high) {
  for (int w = 0; w < kMaxWarps; ++w) {
    const uint32_t in = Bits(low - w * kWarpThreads, high - w * kWarpThreads);
    lanes[w] &= in;
    elected_of[w] &= in;
  }
}

void Threads::KeepLanes(int64_t low, int64_t high) {
  for (uint32_t& l : lanes) l &= Bits(low, high);
  for (uint32_t& l : elected_of) l &= Bits(low, high);
}

void Threads::KeepFirstLane() {
  for (uint32_t& l : lanes) l &= ~l + 1;
}

void Threads::Elect() {
  for (int w = 0; w < kMaxWarps; ++w) {
    if (elected_of[w] == 0) elected_of[w] = lanes[w];
  }
  KeepFirstLane();
}

void Threads::KeepAllBut(int warp) { lanes[warp] = elected_of[warp] = 0; }

void Threads::MaybeNotElected() {
  for (uint32_t& l : elected_of) l &= ~l + 1;
}

bool Threads::MayLoseElected(const Threads& after) const {
  for (int w = 0; w < kMaxWarps; ++w) {
    const uint32_t kept = after.elected_of[w];
    if (elected_of[w] != 0 && kept != 0 && kept != elected_of[w]) return true;
  }
  return false;
}

void Threads::Add(const Threads& other) {
  counted = counted && other.counted && exact && other.exact;
  exact = exact && other.exact;
  lanes_known = lanes_known && other.lanes_known;
  groups_known =
      groups_known && other.groups_known && !one_warp && !other.one_warp;
  one_warp = false;
  for (int w = 0; w < kMaxWarps; ++w) {
    lanes[w] |= other.lanes[w];
    elected_of[w] |= other.elected_of[w];
  }
}

bool Threads::Neighbours() const {
  int runs = 0;
  for (int w = 0; w < kMaxWarps; ++w)
    runs += lanes[w] != 0 && (w == 0 || lanes[w - 1] == 0);
  return runs <= 1;
}

std::string Threads::Describe() const {
  int first = kMaxWarps, last = -1;
  std::string runs;  // "0..4, 8"
  for (int w = 0; w < kMaxWarps; ++w) {
    if (lanes[w] == 0) continue;
    if (last < w - 1 || last < 0) {
      int end = w + 1;
      while (end < kMaxWarps && lanes[end] != 0) ++end;
      ir::Append(&runs, runs.empty() ? "" : ", ", w);
      if (end > w + 1) ir::Append(&runs, "..", end);
    }
    first = std::min(first, w);
    last = w;
  }
  if (last < 0) return "no thread";
  int per_warp = std::popcount(lanes[first]);
  std::string part = lanes[first] == kAllLanes ? ""
                     : per_warp == 1           ? "1 lane of "
                                     : ir::Cat(per_warp, " lanes of ");
  if (one_warp) return ir::Cat(part, "one warp");
  if (first == last) return ir::Cat(part, "warp ", first);
  std::string warps = exact ? runs : ir::Cat(first, "..", last + 1);
  return ir::Cat(part, part.empty() ? "" : "each of ", "warps ", warps);
}

std::string Threads::Numbered() const {
  std::string out = Describe();
  if (warps() != 1 || one_warp || !exact) return out;
  for (int w = 0; w < kMaxWarps; ++w) {
    if (lanes[w] == kAllLanes)
      ir::Append(&out, ", threads ", w * kWarpThreads, "..",
                 (w + 1) * kWarpThreads);
  }
  return out;
}

}  // namespace tilesim::frontend
