// cp.async and copies by address: bytes, moved when the copy is issued.
#include <algorithm>
#include <cstring>

#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

using For = GlobalBytes::For;

// Each thread up to 16 bytes; those that are not read are zero.
Action CpAsync(ActionMaking& m) {
  std::optional<In> to = m.One(0), from = m.One(1), there;
  const bool has_size = m.operands() > (m.Has(".L2::cache_hint") ? 4u : 3u);
  if (has_size) there = m.One(3);
  if (!to || !from || (has_size && !there)) return m.Refuse("");
  const int64_t bytes = m.operand(2).number.value();
  const bool predicate =
      there && there->word >= 0 && m.leaves.size() > 3 &&
      std::any_of(m.leaves.begin(), m.leaves.end(), [&](const Leaf& l) {
        return l.of == 3 && l.reg >= 0 && m.graph().register_bits[l.reg] == 1;
      });
  if (predicate) return m.Refuse("ignore-src is not followed");
  return [=, to = *to, from = *from](Threads& t) {
    t.Each([&](size_t i) {
      const int64_t read =
          there ? std::min<int64_t>(
                      bytes, static_cast<int64_t>(t.Get(*there, i) & 0xffff))
                : bytes;
      uint8_t got[16] = {};
      if (read > 0 && !t.Load('g', t.Get(from, i), i, read, got)) return;
      t.Store('s', t.Get(to, i), i, bytes, got);
    });
  };
}

// The CTAs of a multicast, or that of the address alone.
struct Destinations {
  In address;
  std::optional<In> mask;

  template <typename F>
  void Each(Threads& t, size_t thread, int64_t bytes, F f) const {
    const uint64_t at = t.Get(address, thread);
    if (!mask) {
      if (uint8_t* to = t.Shared(at, bytes)) f(to);
      return;
    }
    constexpr uint64_t kOffset = (uint64_t{1} << kRankShift) - 1;
    for (uint64_t rest = t.Get(*mask, thread) & 0xffff; rest != 0;
         rest &= rest - 1) {
      uint8_t* to = t.SharedOf(__builtin_ctzll(rest),
                               static_cast<int64_t>(at & kOffset), bytes);
      if (to != nullptr) f(to);
    }
  }
};

Action Bulk(ActionMaking& m) {
  std::optional<In> to = m.One(0), from = m.One(1), size = m.One(2), mask;
  const bool multicast = m.Has(".multicast::cluster");
  if (multicast) mask = m.One(4);
  if (!to || !from || !size || (multicast && !mask)) return m.Refuse("");
  if (m.Has(".cp_mask")) return m.Refuse("a mask of bytes is not followed");
  if (m.Has(".bulk_group")) {
    return [to = *to, from = *from, size = *size](Threads& t) {
      t.Each([&](size_t i) {
        const auto bytes = static_cast<int64_t>(t.Get(size, i) & 0xffffffff);
        uint8_t* out = t.Global(t.Get(to, i), bytes, For::kWriting);
        const uint8_t* in = t.Shared(t.Get(from, i), bytes);
        if (out != nullptr && in != nullptr)
          std::memcpy(out, in, static_cast<size_t>(bytes));
      });
    };
  }
  const bool push = m.Has(".shared::cta") && m.Has(".shared::cluster");
  const Destinations all{*to, mask};
  return [all, push, from = *from, size = *size](Threads& t) {
    t.Each([&](size_t i) {
      const auto bytes = static_cast<int64_t>(t.Get(size, i) & 0xffffffff);
      const uint64_t at = t.Get(from, i);
      const uint8_t* in =
          push ? t.Shared(at, bytes) : t.Global(at, bytes, For::kReading);
      if (in == nullptr) return;
      all.Each(t, i, bytes, [&](uint8_t* out) {
        std::memmove(out, in, static_cast<size_t>(bytes));
      });
    });
  };
}

}  // namespace

const std::vector<ActionRow>& CopyActions() {
  static const std::vector<ActionRow> kRows = {{"cp.async", CpAsync},
                                               {"cp.async.bulk", Bulk}};
  return kRows;
}

}  // namespace tilesim::ptx
