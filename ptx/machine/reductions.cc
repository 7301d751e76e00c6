#include "ptx/machine/reductions.h"

#include <algorithm>
#include <bit>

namespace tilesim::ptx {
namespace {

using machine::KnownWord;

constexpr int32_t kRounds = 4, kWarps = ir::kMaxWarps, kBytes = 8;

// Numbers of the step (fill_sync.cc): what it computes, at which barrier, and
// whether other instructions name that.
enum ReductionField : size_t { kDoes, kBarrier, kShared, kFields };

// Places below 0: the round that a warp is in, and what it left in a round.
int32_t Below(int32_t index) { return -kBytes * (index + 1); }
int32_t RoundPlace(int64_t barrier, int32_t warp) {
  return Below(static_cast<int32_t>(barrier) * kWarps + warp);
}
int32_t LeftPlace(int64_t barrier, int32_t round, int32_t warp) {
  constexpr int32_t kBarriers = 16;
  const auto of = static_cast<int32_t>(barrier) * kRounds + round;
  return Below((kBarriers + of) * kWarps + warp);
}

const KnownWord* Find(const std::vector<KnownWord>& words, int32_t place) {
  auto at =
      std::lower_bound(words.begin(), words.end(), place,
                       [](const KnownWord& w, int32_t p) { return w.at < p; });
  return at == words.end() || at->at != place ? nullptr : &*at;
}

void Put(std::vector<KnownWord>& words, int32_t place, int64_t value,
         int32_t bytes) {
  auto at =
      std::lower_bound(words.begin(), words.end(), place,
                       [](const KnownWord& w, int32_t p) { return w.at < p; });
  if (at != words.end() && at->at == place) {
    *at = {place, bytes, value};
  } else {
    words.insert(at, {place, bytes, value});
  }
}

}  // namespace

bool Reduces(const Step& step) {
  return step.kind == Step::Kind::kOp && step.numbers.size() == kFields &&
         step.data.size() == 1 && step.word_bytes == 0;
}

void LeavePredicate(const PtxGuide& guide, const Who& who, const Step& step,
                    machine::Cta& cta) {
  const int64_t barrier = step.numbers[kBarrier];
  const Value v = guide.Of(step.data[0], who);
  const ir::ThreadSet& t = who.strand.threads;
  for (int32_t i = 0; i < t.warps; ++i) {
    const int32_t warp = t.first_warp + i;
    const KnownWord* last = Find(cta.words, RoundPlace(barrier, warp));
    const int32_t round =
        last == nullptr ? 0 : static_cast<int32_t>(last->value + 1) % kRounds;
    Put(cta.words, RoundPlace(barrier, warp), round, kBytes);
    // All have left the round before the last one.
    for (int32_t w = 0; w < kWarps; ++w) {
      const int32_t old = LeftPlace(barrier, (round + 2) % kRounds, w);
      std::erase_if(cta.words,
                    [&](const KnownWord& word) { return word.at == old; });
    }
    uint32_t holds = 0;
    for (size_t l = 0; l < ir::kWarpThreads && !v.unknown(); ++l) {
      const size_t thread = static_cast<size_t>(i) * ir::kWarpThreads + l;
      holds |= uint32_t{guide.lanes().At(v, thread) != 0} << l;
    }
    const uint64_t left = uint64_t{t.lanes} << 32 | (holds & t.lanes);
    // One that is not known is a shorter word.
    Put(cta.words, LeftPlace(barrier, round, warp), static_cast<int64_t>(left),
        v.unknown() ? 1 : kBytes);
  }
}

uint32_t WarpsThatReduce(const Who& who, const Step& step) {
  const int64_t barrier = step.numbers[kBarrier];
  const std::vector<KnownWord>& words = who.cta.words;
  const KnownWord* mine =
      Find(words, RoundPlace(barrier, who.strand.threads.first_warp));
  uint32_t out = 0;
  for (int32_t warp = 0; mine != nullptr && warp < kWarps; ++warp) {
    const int32_t place =
        LeftPlace(barrier, static_cast<int32_t>(mine->value), warp);
    out |= uint32_t{Find(words, place) != nullptr} << warp;
  }
  return out;
}

Value ReductionOf(const Who& who, const Step& step, int32_t pc) {
  const int64_t barrier = step.numbers[kBarrier];
  const std::vector<KnownWord>& words = who.cta.words;
  const KnownWord* mine =
      Find(words, RoundPlace(barrier, who.strand.threads.first_warp));
  if (mine == nullptr) return Lanes::Unknown(pc);
  int count = 0;
  bool all = true;
  for (int32_t warp = 0; warp < kWarps; ++warp) {
    const KnownWord* w = Find(
        words, LeftPlace(barrier, static_cast<int32_t>(mine->value), warp));
    if (w == nullptr) continue;  // it has exited
    if (w->bytes != kBytes) return Lanes::Unknown(pc);
    const auto holds = static_cast<uint32_t>(w->value);
    const auto lanes =
        static_cast<uint32_t>(static_cast<uint64_t>(w->value) >> 32);
    count += std::popcount(holds);
    all &= holds == lanes;
  }
  switch (step.numbers[kDoes]) {
    case 0:
      return Value{static_cast<uint64_t>(count)};
    case 1:
      return Value{uint64_t{all}};
    default:
      return Value{uint64_t{count > 0}};
  }
}

}  // namespace tilesim::ptx
