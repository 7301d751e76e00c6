// What a register holds in each thread of a strand: the number of the first,
// and how far those of the others are from it. Nearly all are the same for all
// threads; of addresses, most stay as far apart as they are. So a value is two
// numbers, which are compared, copied and hashed as such.
//
//   Lanes lanes;
//   Value tid = lanes.Of({0, 1, 2, ... 127});
//   lanes.At(tid, 3) == 3;   lanes.Slice(tid, 32, 32) == {32, ...}
//
// A value may be unknown: `base` then says where it comes from. It may be so of
// some threads only, as `tid == 0 && v > 5` is, of which all others have 0:
// those of whom it is known have parts. To who asks what a value is, it is
// known if all threads that ask have such a number (SeenBy).
//
// In a run that is watched a value may have a term (terms.h), but one that has
// parts has none.
#ifndef TILESIM_PTX_MACHINE_LANES_H_
#define TILESIM_PTX_MACHINE_LANES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace tilesim::ptx {

inline constexpr int32_t kUniform = 0;
inline constexpr int32_t kUnknownPattern = -1;

struct Value {
  uint64_t base = 0;
  int32_t pattern = kUniform;
  int32_t term =
      0;  // how the place of the cluster has gone into it; 0: it has not

  bool uniform() const { return pattern == kUniform; }
  bool unknown() const { return pattern == kUnknownPattern; }
  friend bool operator==(const Value&, const Value&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Value& v) {
    return H::combine(std::move(h), v.base, v.pattern);
  }
};

class Lanes {
 public:
  // Origins below 0 are no steps: clocks, and from here on registers.
  static constexpr int32_t kUndefined = -2;

  Lanes();

  // `elected`: which thread it tells from the others is not known, as
  // elect.sync has chosen it.
  Value Of(std::span<const uint64_t> threads, bool elected = false);
  // Where it comes from that it is not known.
  static Value Unknown(int32_t origin) {
    return {static_cast<uint32_t>(origin), kUnknownPattern};
  }
  static int32_t OriginOf(const Value& unknown) {
    return static_cast<int32_t>(unknown.base);
  }
  // Not known, but of some threads.
  static bool HasParts(const Value& v) {
    return v.unknown() && v.base >> kPartsShift != 0;
  }
  // Of a register that nothing has written yet.
  static Value Undefined(int32_t reg) { return Unknown(kUndefined - reg); }
  // Which register that is, of a value that is not known; -1: it is not so.
  static int32_t UndefinedIn(const Value& v) {
    const int32_t origin = OriginOf(v);
    return v.unknown() && origin <= kUndefined ? kUndefined - origin : -1;
  }
  uint64_t At(const Value& v, size_t thread) const {
    return v.pattern == kUniform ? v.base
                                 : v.base + patterns_[v.pattern].delta[thread];
  }
  bool Elected(const Value& v) const {
    return v.pattern > kUniform && patterns_[v.pattern].elected;
  }
  // Of a value that may have parts.
  bool ElectedInPart(const Value& v) const {
    return Elected(KnownIn(v)) || Elected(NumbersOf(v));
  }
  std::optional<uint64_t> AtIfKnown(const Value& v, size_t thread) const {
    if (At(KnownIn(v), thread) == 0) return std::nullopt;
    return At(NumbersOf(v), thread);
  }
  // Not 0 in the threads of which it is known.
  Value KnownIn(const Value& v) const {
    return HasParts(v) ? parts_[v.base >> kPartsShift].known
                       : Value{uint64_t{!v.unknown()}};
  }
  // Their numbers; the others have any.
  Value NumbersOf(const Value& v) const {
    return HasParts(v)   ? parts_[v.base >> kPartsShift].numbers
           : v.unknown() ? Value()
                         : v;
  }
  // The threads' numbers, if they are known; `origin`: why the others' are not.
  Value OfSome(int32_t origin, std::span<const std::optional<uint64_t>> threads,
               bool elected);
  // What it is to those lanes of each warp: known if it is of all of them.
  Value SeenBy(const Value& v, uint32_t lanes, size_t warps);
  // The same plus `n`, cut to `bits`: fast where no thread's number wraps.
  bool Add(const Value& v, uint64_t n, int bits, Value* out) const;

  // The least and the most of a number, as far as they are from the base.
  std::pair<int64_t, int64_t> Reach(const Value& v) const {
    return {patterns_[v.pattern].least, patterns_[v.pattern].most};
  }

  // Lanes of the first warp in which it is not 0.
  uint32_t NotZero(const Value& v) const;
  // The first of the warps in which some of those lanes have another number
  // than those of the first warp; 0: in all they have the same.
  size_t FirstUnlike(const Value& v, uint32_t lanes, size_t warps);

  // 1 in that lane of each warp, as elect.sync has chosen it; else 0.
  Value OneOfEach(size_t lane, size_t threads);
  Value Slice(const Value& v, size_t first, size_t count);
  Value Join(const Value& a, size_t a_threads, const Value& b,
             size_t b_threads);
  // Of those lanes of each warp the one, of the others the other. Not known
  // are those of whom one is not known.
  Value Merge(const Value& those, const Value& others, uint32_t lanes,
              size_t threads);

 private:
  struct Pattern {
    std::vector<uint64_t> delta;  // modulo 2^64
    int64_t least = 0, most = 0;
    bool elected = false;
    uint32_t differ = 0;  // lanes of the first warp, from the first thread
  };

  // Of an unknown value that has parts: who has which.
  struct Parts {
    Value known;    // not 0 in the threads of whom it is known
    Value numbers;  // theirs; the others have that of the first of them
  };
  static constexpr int kPartsShift = 32;  // of `base`: the number of its parts
  template <typename F>
  Value Some(int32_t origin, size_t threads, bool elected, F at);

  // What is made of patterns, by them and how far one's base is from the
  // other's: nothing else decides it, but for the base.
  enum class Made : uint8_t { kSlice, kJoin, kMerge, kOneOfEach };
  using Key = std::tuple<Made, int32_t, int32_t, uint64_t, uint64_t, uint64_t>;
  template <typename F>
  Value Known(const Key& key, uint64_t base, size_t threads, bool elected,
              F at);

  absl::flat_hash_map<Key, int32_t> made_;
  // By pattern, lanes and warps.
  absl::flat_hash_map<std::tuple<int32_t, uint32_t, size_t>, size_t> unlike_;
  std::vector<Pattern> patterns_;  // by number; the first stands for kUniform
  std::vector<Parts> parts_;       // by number; the first is none
  absl::flat_hash_map<std::pair<Value, Value>, uint64_t> parts_numbers_;
  // By the parts, lanes and warps: whether it is known of all of those.
  absl::flat_hash_map<std::tuple<uint64_t, uint32_t, size_t>, bool> seen_;
  absl::flat_hash_map<std::pair<std::vector<uint64_t>, bool>, int32_t> numbers_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_LANES_H_
