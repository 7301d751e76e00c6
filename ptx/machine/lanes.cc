#include "ptx/machine/lanes.h"

#include <algorithm>

#include "ir/concrete.h"
#include "ptx/scalar/types.h"

namespace tilesim::ptx {

Lanes::Lanes() : patterns_(1), parts_(1) {}

Value Lanes::Of(std::span<const uint64_t> threads, bool elected) {
  Value out{threads[0], kUniform};
  bool same = std::all_of(threads.begin(), threads.end(),
                          [&](uint64_t n) { return n == threads[0]; });
  if (same) return out;
  std::pair<std::vector<uint64_t>, bool> key{{}, elected};
  key.first.reserve(threads.size());
  for (uint64_t n : threads) key.first.push_back(n - threads[0]);
  auto [at, fresh] = numbers_.try_emplace(
      std::move(key), static_cast<int32_t>(patterns_.size()));
  out.pattern = at->second;
  if (!fresh) return out;
  Pattern& p = patterns_.emplace_back();
  p.delta = at->first.first;
  p.elected = elected;
  for (uint64_t d : p.delta) {
    p.least = std::min(p.least, static_cast<int64_t>(d));
    p.most = std::max(p.most, static_cast<int64_t>(d));
  }
  for (size_t l = 0; l < ir::kWarpThreads; ++l)
    p.differ |= uint32_t{p.delta[l] != 0} << l;
  return out;
}

bool Lanes::Add(const Value& v, uint64_t n, int bits, Value* out) const {
  if (v.unknown()) return false;
  *out = {ZeroExtend(v.base + n, bits), v.pattern};
  if (v.uniform()) return true;
  // All of them must be numbers of that many bits as they are.
  const Pattern& p = patterns_[v.pattern];
  constexpr int64_t kFar = int64_t{1} << 48;
  if (p.least < -kFar || p.most > kFar || out->base > (uint64_t{1} << 62))
    return false;
  auto base = static_cast<int64_t>(out->base);
  return base + p.least >= 0 &&
         static_cast<uint64_t>(base + p.most) <= MaskOf(bits);
}

uint32_t Lanes::NotZero(const Value& v) const {
  const uint32_t as_first = v.base != 0 ? ir::kAllLanes : 0;
  if (v.uniform()) return as_first;
  const Pattern& p = patterns_[v.pattern];
  // Truth values: who differs from the first has the other one.
  if ((v.base == 0 && p.least == 0) ||
      (v.base == 1 && p.least == -1 && p.most == 0))
    return as_first ^ p.differ;
  uint32_t out = 0;
  for (size_t l = 0; l < ir::kWarpThreads; ++l)
    out |= uint32_t{At(v, l) != 0} << l;
  return out;
}

size_t Lanes::FirstUnlike(const Value& v, uint32_t lanes, size_t warps) {
  if (v.uniform()) return 0;
  auto [known, fresh] = unlike_.try_emplace({v.pattern, lanes, warps});
  if (!fresh) return known->second;
  for (size_t i = ir::kWarpThreads; i < warps * ir::kWarpThreads; ++i) {
    const size_t lane = i % ir::kWarpThreads;
    if ((lanes >> lane & 1) != 0 && At(v, i) != At(v, lane))
      return known->second = i / ir::kWarpThreads;
  }
  return 0;
}

Value Lanes::OneOfEach(size_t lane, size_t threads) {
  return Known(
      {Made::kOneOfEach, 0, 0, lane, threads, 0}, uint64_t{lane == 0}, threads,
      true, [&](size_t i) { return uint64_t{i % ir::kWarpThreads == lane}; });
}

// --- known of some threads --------------------------------------------------

// A loop may make ever more of them: then nothing is known.
template <typename F>
Value Lanes::Some(int32_t origin, size_t threads, bool elected, F at) {
  constexpr size_t kMostParts = 1 << 16;
  std::vector<uint64_t> known(threads), numbers(threads);
  std::optional<uint64_t> first;
  for (size_t i = 0; i < threads; ++i) {
    const std::optional<uint64_t> n = at(i);
    known[i] = n.has_value();
    if (!n) continue;
    if (!first) std::fill_n(numbers.begin(), i, *n);
    if (!first) first = n;
    numbers[i] = *n;
  }
  if (!first) return Unknown(origin);
  for (size_t i = 0; i < threads; ++i) {
    if (known[i] == 0) numbers[i] = *first;
  }
  const Parts parts{Of(known, elected), Of(numbers, elected)};
  if (parts.known.uniform()) return parts.numbers;
  auto [number, fresh] =
      parts_numbers_.try_emplace({parts.known, parts.numbers}, parts_.size());
  if (fresh && parts_.size() >= kMostParts) {
    parts_numbers_.erase(number);
    return Unknown(origin);
  }
  if (fresh) parts_.push_back(parts);
  Value out = Unknown(origin);
  out.base |= number->second << kPartsShift;
  return out;
}

Value Lanes::OfSome(int32_t origin,
                    std::span<const std::optional<uint64_t>> threads,
                    bool elected) {
  return Some(origin, threads.size(), elected,
              [&](size_t i) { return threads[i]; });
}

Value Lanes::SeenBy(const Value& v, uint32_t lanes, size_t warps) {
  if (!HasParts(v)) return v;
  auto [all, fresh] =
      seen_.try_emplace({v.base >> kPartsShift, lanes, warps}, true);
  const Value known = KnownIn(v);
  for (size_t i = 0; fresh && i < warps * ir::kWarpThreads; ++i) {
    if ((lanes >> i % ir::kWarpThreads & 1) != 0 && At(known, i) == 0)
      all->second = false;
  }
  return all->second ? NumbersOf(v) : Unknown(OriginOf(v));
}

// --- parts of strands -------------------------------------------------------

Value Lanes::Slice(const Value& v, size_t first, size_t count) {
  if (HasParts(v))
    return Some(OriginOf(v), count, ElectedInPart(v),
                [&](size_t i) { return AtIfKnown(v, first + i); });
  if (v.uniform() || v.unknown()) return v;
  return Known({Made::kSlice, v.pattern, 0, first, count, 0}, At(v, first),
               count, Elected(v), [&](size_t i) { return At(v, first + i); });
}

Value Lanes::Join(const Value& a, size_t a_threads, const Value& b,
                  size_t b_threads) {
  const Value& unknown = a.unknown() ? a : b;
  const bool some = a.unknown() != b.unknown() || HasParts(a) || HasParts(b);
  if (unknown.unknown() && some && UndefinedIn(a) < 0 && UndefinedIn(b) < 0)
    return Some(OriginOf(unknown), a_threads + b_threads,
                ElectedInPart(a) || ElectedInPart(b), [&](size_t i) {
                  return i < a_threads ? AtIfKnown(a, i)
                                       : AtIfKnown(b, i - a_threads);
                });
  if (unknown.unknown()) return Unknown(OriginOf(unknown));
  if (a == b && a.uniform()) return a;
  return Known({Made::kJoin, a.pattern, b.pattern, a_threads, b_threads,
                b.base - a.base},
               a.base, a_threads + b_threads, Elected(a) || Elected(b),
               [&](size_t i) {
                 return i < a_threads ? At(a, i) : At(b, i - a_threads);
               });
}

Value Lanes::Merge(const Value& those, const Value& others, uint32_t lanes,
                   size_t threads) {
  const auto of = [&](size_t i) -> const Value& {
    return (lanes >> i % ir::kWarpThreads & 1) != 0 ? those : others;
  };
  const Value& unknown = others.unknown() ? others : those;
  if (unknown.unknown())
    return Some(OriginOf(unknown), threads,
                ElectedInPart(those) || ElectedInPart(others),
                [&](size_t i) { return AtIfKnown(of(i), i); });
  return Known({Made::kMerge, those.pattern, others.pattern, lanes, threads,
                others.base - those.base},
               of(0).base, threads, Elected(those) || Elected(others),
               [&](size_t i) { return At(of(i), i); });
}

// A pattern has distances only: with the same ones, and the bases as far from
// each other, those of the result are the same.
template <typename F>
Value Lanes::Known(const Key& key, uint64_t base, size_t threads, bool elected,
                   F at) {
  auto known = made_.find(key);
  if (known != made_.end()) return {base, known->second};
  std::vector<uint64_t> all(threads);
  for (size_t i = 0; i < threads; ++i) all[i] = at(i);
  const Value out = Of(all, elected);
  made_.emplace(key, out.pattern);
  return out;
}

}  // namespace tilesim::ptx
