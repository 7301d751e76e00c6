// Loads and stores: each thread its own words.
#include <cstring>

#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

constexpr int64_t kWordBytes = 8, kMostBytes = 64;

struct Access {
  char space = 'a';
  int64_t bytes = 0;  // of an element
  bool is_signed = false;
  In address;
};

char SpaceOf(const ActionMaking& m) {
  if (m.Has(".shared") || m.Has(".shared::cta") || m.Has(".shared::cluster"))
    return 's';
  if (m.Has(".global")) return 'g';
  if (m.Has(".local")) return 'l';
  if (m.Has(".const")) return 'c';
  return m.Has(".param") || m.Has(".param::entry") ? 'p' : 'a';
}

bool Read(ActionMaking& m, size_t address, Access* out) {
  std::string_view s = m.spelling();
  std::string_view type = s.substr(s.rfind('.') + 1);
  out->space = SpaceOf(m);
  out->bytes = static_cast<int64_t>(ScalarBytes(type));
  out->is_signed = type[0] == 's';
  std::optional<In> at = m.One(address);
  if (at) out->address = *at;
  return at && out->bytes > 0 && !m.Has(".param::func");
}

// An element as words of registers, and back.
uint64_t WordOf(const uint8_t* from, int64_t bytes, bool is_signed) {
  uint64_t n = 0;
  std::memcpy(&n, from, static_cast<size_t>(bytes));
  return is_signed
             ? static_cast<uint64_t>(SignExtend(n, static_cast<int>(8 * bytes)))
             : n;
}

Action Load(ActionMaking& m) {
  Access a;
  if (!Read(m, 1, &a)) return m.Refuse("what it accesses is not followed");
  // Elements longer than a word are several.
  const int64_t word = std::min(a.bytes, kWordBytes);
  std::vector<Out> outs = m.Outs(0);
  const auto all = word * static_cast<int64_t>(outs.size());
  if (all > kMostBytes) return m.Refuse("its operands are not followed");
  return [a, outs, word, all](Threads& t) {
    t.Each([&](size_t i) {
      uint8_t bytes[kMostBytes];
      if (!t.Load(a.space, t.Get(a.address, i), i, all, bytes)) return;
      for (size_t k = 0; k < outs.size(); ++k)
        t.Set(
            outs[k], i,
            WordOf(bytes + static_cast<int64_t>(k) * word, word, a.is_signed));
    });
  };
}

Action Store(ActionMaking& m) {
  Access a;
  std::vector<In> ins;
  if (!Read(m, 0, &a) || !m.Ins(1, &ins))
    return m.Refuse("what it accesses is not followed");
  const int64_t word = std::min(a.bytes, kWordBytes);
  const auto all = word * static_cast<int64_t>(ins.size());
  if (all > kMostBytes) return m.Refuse("its operands are not followed");
  return [a, ins, word, all](Threads& t) {
    t.Each([&](size_t i) {
      uint8_t bytes[kMostBytes];
      for (size_t k = 0; k < ins.size(); ++k) {
        const uint64_t n = t.Get(ins[k], i);
        std::memcpy(bytes + static_cast<int64_t>(k) * word, &n,
                    static_cast<size_t>(word));
      }
      t.Store(a.space, t.Get(a.address, i), i, all, bytes);
    });
  };
}

// st.async [a], v, [mbar]: the machine counts the bytes.
Action StoreAsync(ActionMaking& m) { return Store(m); }

}  // namespace

const std::vector<ActionRow>& AccessActions() {
  static const std::vector<ActionRow> kRows = {
      {"ld", Load}, {"ldu", Load}, {"st", Store}, {"st.async", StoreAsync}};
  return kRows;
}

}  // namespace tilesim::ptx
