#include "sim/timing/slices.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sim/timing/memory_path.h"

namespace tilesim::timing {
namespace {

constexpr int64_t kSliceBytes = 512;  // in a row in one slice
constexpr int64_t kBeside = 2048;     // of words that are polled

// Which of the parts of so many bytes a word lies in.
uint64_t PartOf(const CostContext& c, const ir::TileValue& word,
                int64_t bytes) {
  const ir::BoundDecl& d = c.bound.decls[word.decl];
  int64_t element = 0;
  for (int i = 0; i < word.rank; ++i) element += word.start[i] * d.strides[i];
  const int64_t byte = element * values::BitsOf(word.dtype) / 8;
  return c.tensors[word.decl] ^ static_cast<uint64_t>(byte / bytes);
}

int64_t WordBytes(const ir::TileValue& word) {
  return std::max(values::BitsOf(word.dtype) / 8, 1);
}

// The slice of such a part: some parts in a row are in different ones, else by
// a hash, as nobody knows.
Unit& SliceOf(const CostContext& c, uint64_t tensor, int64_t part) {
  constexpr int64_t kInARow = 16;
  std::vector<Unit>& all = c.chip.adders;
  uint64_t x =
      (tensor ^ static_cast<uint64_t>(part / kInARow)) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 31) * 0x94d049bb133111ebu;
  return all[((x >> 32) + static_cast<uint64_t>(part % kInARow)) % all.size()];
}

}  // namespace

double AtomicInL2(const CostContext& c, const ir::TileValue& word,
                  double at_l2) {
  const double each =
      c.chip.pace *
      (values::IsInteger(word.dtype) ? c.arch.hot_word : c.arch.hot_line);
  return c.chip.slices[PartOf(c, word, kSliceBytes)].Take(at_l2, each) + each;
}

// Of a word that is polled: who polls words beside it fetches them anew, and
// the next store waits for that (264 flags side by side, each polled by up to
// seven CTAs: 4,900 cycles a round, 1,500 where each has a line).
void TellWord(const CostContext& c, const ir::TileValue& word, double at) {
  constexpr double kNow = 2000, kEach = 13;
  const uint64_t part = PartOf(c, word, kBeside);
  const auto polled = c.chip.polled.find(part);
  if (polled != c.chip.polled.end() && polled->second > c.now - kNow)
    at = c.chip.told[part].Take(at, kEach) + kEach;
  double& told = c.chip.words[PartOf(c, word, WordBytes(word))];
  told = std::max(told, at);
}

double PollWord(const CostContext& c, const ir::TileValue& word) {
  const double latency = c.arch.atom_latency;
  c.chip.polled[PartOf(c, word, kBeside)] = c.now;
  const auto told = c.chip.words.find(PartOf(c, word, WordBytes(word)));
  const double late =
      told == c.chip.words.end() ? 0 : told->second - (c.now + latency / 2);
  return latency * (1 + std::max(0.0, std::ceil(late / latency)));
}

double LoadWord(const CostContext& c, const ir::TileValue& word) {
  const uint64_t sector = PartOf(c, word, kSectorBytes);
  const auto [there, first] =
      c.sm.sectors.try_emplace(sector, c.now + c.arch.l2_latency);
  return std::max(c.arch.l1_latency, there->second - c.now);
}

double AddInL2(const CostContext& c, const ir::TileValue& tile, double at_l2) {
  const ir::BoundDecl& d = c.bound.decls[tile.decl];
  const int bits = values::BitsOf(tile.dtype), last = tile.rank - 1;
  const double rate = c.arch.l2_reduce / c.arch.l2_slices;
  double done = at_l2;
  const auto add = [&](int64_t begin, int64_t end) {
    for (int64_t part = begin / kSliceBytes; begin < end; ++part) {
      const int64_t until = std::min(end, (part + 1) * kSliceBytes);
      const double time =
          static_cast<double>(until - begin) / rate * c.chip.pace;
      Unit& slice = SliceOf(c, c.tensors[tile.decl], part);
      done = std::max(done, slice.Take(at_l2, time) + time);
      begin = until;
    }
  };
  const std::function<void(int, int64_t)> rows = [&](int dim, int64_t first) {
    if (dim >= last) {
      if (last >= 0) first += tile.start[last];
      const int64_t count = last >= 0 ? tile.extent[last] : 1;
      return add(first * bits / 8, (first + count) * bits / 8);
    }
    for (int64_t i = 0; i < tile.extent[dim]; ++i)
      rows(dim + 1, first + (tile.start[dim] + i) * d.strides[dim]);
  };
  rows(0, 0);
  return done;
}

}  // namespace tilesim::timing
