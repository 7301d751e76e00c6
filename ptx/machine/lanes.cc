#include "ptx/machine/lanes.h"

#include <algorithm>

#include "ptx/scalar/types.h"

namespace tilesim::ptx {

Lanes::Lanes() : patterns_(1) {}

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

Value Lanes::Slice(const Value& v, size_t first, size_t count) {
  if (v.uniform() || v.unknown()) return v;
  std::vector<uint64_t> threads(count);
  for (size_t i = 0; i < count; ++i) threads[i] = At(v, first + i);
  return Of(threads, Elected(v));
}

// What is unknown in a part is unknown.
Value Lanes::Join(const Value& a, size_t a_threads, const Value& b,
                  size_t b_threads) {
  if (a.unknown() || (a == b && a.uniform())) return a;
  if (b.unknown()) return b;
  std::vector<uint64_t> threads(a_threads + b_threads);
  for (size_t i = 0; i < a_threads; ++i) threads[i] = At(a, i);
  for (size_t i = 0; i < b_threads; ++i) threads[a_threads + i] = At(b, i);
  return Of(threads, Elected(a) || Elected(b));
}

}  // namespace tilesim::ptx
