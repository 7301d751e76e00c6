// What lanes of a warp hand each other: shuffles, votes, who is elected,
// reductions, matrices of 8 by 8.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "ptx/scalar/scalar.h"
#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

constexpr int kWarp = ir::kWarpThreads;

// F(warp, first thread, lanes that take part).
template <typename F>
void EachWarp(Threads& t, F f) {
  for (int w = 0; w < t.warps(); ++w) {
    if (t.lanes(w) != 0)
      f(static_cast<size_t>(t.first_warp() + w) * kWarp, t.lanes(w));
  }
}

template <typename F>
void EachLane(uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1)
    f(static_cast<size_t>(std::countr_zero(lanes)));
}

// PTX 9.7.9.6: within each segment of the warp.
int64_t ShuffledFrom(char mode, int64_t lane, int64_t b, int64_t c,
                     bool* there) {
  const int64_t clamp = c & 31, segment = c >> 8 & 31;
  const int64_t low = lane & segment;
  const int64_t high = low | (clamp & ~segment);
  const int64_t from = mode == 'i'   ? low | (b & ~segment)
                       : mode == 'b' ? lane ^ b
                       : mode == 'u' ? lane - b
                                     : lane + b;
  *there = mode == 'u' ? from >= high : from <= high;
  return *there ? from : lane;
}

Action Shuffle(ActionMaking& m) {
  std::optional<In> a = m.One(1), b = m.One(2), c = m.One(3);
  if (!a || !b || !c) return m.Refuse("");
  const char mode = m.Has(".idx")    ? 'i'
                    : m.Has(".bfly") ? 'b'
                    : m.Has(".up")   ? 'u'
                                     : 'd';
  std::vector<Out> outs = m.Outs(0);
  return [=, a = *a, b = *b, c = *c](Threads& t) {
    EachWarp(t, [&](size_t first, uint32_t lanes) {
      std::array<uint64_t, kWarp> values{};
      for (size_t l = 0; l < kWarp; ++l) values[l] = t.Get(a, first + l);
      EachLane(lanes, [&](size_t l) {
        bool there = false;
        const int64_t from =
            ShuffledFrom(mode, static_cast<int64_t>(l),
                         static_cast<int64_t>(t.Get(b, first + l) & 31),
                         static_cast<int64_t>(t.Get(c, first + l)), &there);
        t.Set(outs[0], first + l, values[static_cast<size_t>(from) & 31]);
        if (outs.size() > 1) t.Set(outs[1], first + l, there);
      });
    });
  };
}

Action Vote(ActionMaking& m) {
  std::optional<In> p = m.One(1);
  if (!p) return m.Refuse("");
  const char mode = m.Has(".ballot") ? 'b'
                    : m.Has(".all")  ? 'l'
                    : m.Has(".any")  ? 'y'
                                     : 'u';
  const Out out = m.Outs(0)[0];
  return [=, p = *p](Threads& t) {
    EachWarp(t, [&](size_t first, uint32_t lanes) {
      uint32_t ballot = 0;
      EachLane(lanes, [&](size_t l) {
        ballot |= uint32_t{t.Get(p, first + l) != 0} << l;
      });
      const uint64_t result = mode == 'b'   ? ballot
                              : mode == 'l' ? uint64_t{ballot == lanes}
                              : mode == 'y'
                                  ? uint64_t{ballot != 0}
                                  : uint64_t{ballot == lanes || ballot == 0};
      EachLane(lanes, [&](size_t l) { t.Set(out, first + l, result); });
    });
  };
}

Action Elect(ActionMaking& m) {
  std::vector<Out> outs = m.Outs(0);
  return [outs](Threads& t) {
    EachWarp(t, [&](size_t first, uint32_t lanes) {
      const auto leader = static_cast<size_t>(std::countr_zero(lanes));
      EachLane(lanes, [&](size_t l) {
        t.Set(outs[0], first + l, leader);
        if (outs.size() > 1) t.Set(outs[1], first + l, l == leader);
      });
    });
  };
}

Action ActiveMask(ActionMaking& m) {
  const Out out = m.Outs(0)[0];
  return [out](Threads& t) {
    EachWarp(t, [&](size_t first, uint32_t lanes) {
      EachLane(lanes, [&](size_t l) { t.Set(out, first + l, lanes); });
    });
  };
}

// match.any: who has the same; match.all: everybody, or 0.
Action Match(ActionMaking& m) {
  std::optional<In> a = m.One(1);
  if (!a) return m.Refuse("");
  const bool all = m.Has(".all");
  std::vector<Out> outs = m.Outs(0);
  return [=, a = *a](Threads& t) {
    EachWarp(t, [&](size_t first, uint32_t lanes) {
      EachLane(lanes, [&](size_t l) {
        uint32_t same = 0;
        EachLane(lanes, [&](size_t o) {
          same |= uint32_t{t.Get(a, first + o) == t.Get(a, first + l)} << o;
        });
        t.Set(outs[0], first + l, all && same != lanes ? 0 : same);
        if (outs.size() > 1) t.Set(outs[1], first + l, same == lanes);
      });
    });
  };
}

// redux.sync.add.s32 d, a, mask
Action Redux(ActionMaking& m) {
  std::optional<In> a = m.One(1);
  std::vector<std::string_view> parts = m.Parts();
  if (!a || parts.size() < 3) return m.Refuse("");
  Instruction i;
  i.opcode = std::string(parts[1]) + "." + std::string(parts.back());
  if (m.Has(".NaN")) i.opcode.insert(i.opcode.find('.'), ".NaN");
  Operand name;
  name.name = "%r";
  i.operands = {name, name, name};
  std::optional<ScalarOp> op = CompileScalar(i, &m.why);
  if (!op) return {};
  const Out out = m.Outs(0)[0];
  return [=, a = *a, op = *op](Threads& t) {
    EachWarp(t, [&](size_t first, uint32_t lanes) {
      uint64_t sum =
          t.Get(a, first + static_cast<size_t>(std::countr_zero(lanes)));
      EachLane(lanes & (lanes - 1), [&](size_t l) {
        sum = Execute(op, {sum, t.Get(a, first + l)})[0];
      });
      EachLane(lanes, [&](size_t l) { t.Set(out, first + l, sum); });
    });
  };
}

// --- ldmatrix, stmatrix
// -------------------------------------------------------
// Row r of matrix i is 16 bytes at the address of lane 8i + r. Lane l has of
// each matrix the elements 2(l mod 4) and the next of row l / 4; transposed,
// those of that column (PTX 9.7.14.5.15).

struct MatrixAccess {
  In address;
  bool transposed = false;

  // Where element `e` (0, 1) of a lane lies in matrix i.
  uint8_t* Of(Threads& t, size_t first, size_t matrix, size_t lane,
              size_t e) const {
    size_t row = lane / 4, column = 2 * (lane % 4) + e;
    if (transposed) std::swap(row, column);
    uint8_t* at = t.Shared(t.Get(address, first + 8 * matrix + row), 16);
    return at == nullptr ? nullptr : at + 2 * column;
  }
};

bool ReadMatrix(ActionMaking& m, size_t address, MatrixAccess* out) {
  std::optional<In> at = m.One(address);
  if (at) out->address = *at;
  out->transposed = m.Has(".trans");
  return at && m.Has(".m8n8") && m.Has(".b16");
}

Action LoadMatrix(ActionMaking& m) {
  MatrixAccess a;
  if (!ReadMatrix(m, 1, &a)) return m.Refuse("of matrices, .m8n8 of .b16 is");
  std::vector<Out> outs = m.Outs(0);
  return [=](Threads& t) {
    EachWarp(t, [&](size_t first, uint32_t lanes) {
      // An address may be in a register that is written.
      std::array<std::array<uint32_t, 4>, kWarp> got{};
      for (size_t i = 0; i < outs.size(); ++i) {
        EachLane(lanes, [&](size_t l) {
          for (size_t e = 0; e < 2; ++e) {
            const uint8_t* at = a.Of(t, first, i, l, e);
            uint16_t half = 0;
            if (at != nullptr) std::memcpy(&half, at, 2);
            got[l][i] |= uint32_t{half} << (16 * e);
          }
        });
      }
      EachLane(lanes, [&](size_t l) {
        for (size_t i = 0; i < outs.size(); ++i)
          t.Set(outs[i], first + l, got[l][i]);
      });
    });
  };
}

Action StoreMatrix(ActionMaking& m) {
  MatrixAccess a;
  std::vector<In> ins;
  if (!ReadMatrix(m, 0, &a) || !m.Ins(1, &ins))
    return m.Refuse("of matrices, .m8n8 of .b16 is");
  return [=](Threads& t) {
    EachWarp(t, [&](size_t first, uint32_t lanes) {
      for (size_t i = 0; i < ins.size(); ++i) {
        EachLane(lanes, [&](size_t l) {
          for (size_t e = 0; e < 2; ++e) {
            uint8_t* at = a.Of(t, first, i, l, e);
            const auto half =
                static_cast<uint16_t>(t.Get(ins[i], first + l) >> (16 * e));
            if (at != nullptr) std::memcpy(at, &half, 2);
          }
        });
      }
    });
  };
}

}  // namespace

const std::vector<ActionRow>& LaneActions() {
  static const std::vector<ActionRow> kRows = {
      {"shfl.sync", Shuffle},   {"vote.sync", Vote},
      {"elect.sync", Elect},    {"activemask", ActiveMask},
      {"match", Match},         {"redux.sync", Redux},
      {"ldmatrix", LoadMatrix}, {"stmatrix", StoreMatrix},
  };
  return kRows;
}

}  // namespace tilesim::ptx
