// Instructions whose results follow from the bits of one lane.
#include <array>

#include "ptx/scalar/scalar.h"
#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

// Generic addresses of shared memory lie in a window; those of others are what
// they are (machine/memory.h).
Action Window(ActionMaking& m) {
  std::optional<In> in = m.One(1);
  if (!in) return m.Refuse("");
  if (m.Has(".shared") || m.Has(".shared::cta") || m.Has(".shared::cluster"))
    in->bits += m.Has(".to") ? -kSharedWindow : kSharedWindow;
  const Out out = m.Outs(0)[0];
  return [in = *in, out](Threads& t) {
    t.Each([&](size_t i) { t.Set(out, i, t.Get(in, i)); });
  };
}

// The same place in the memory of another CTA.
Action Mapa(ActionMaking& m) {
  std::optional<In> at = m.One(1), rank = m.One(2);
  if (!at || !rank) return m.Refuse("");
  const Out out = m.Outs(0)[0];
  return [at = *at, rank = *rank, out](Threads& t) {
    constexpr uint64_t kOffset = (uint64_t{1} << kRankShift) - 1;
    t.Each([&](size_t i) {
      const uint64_t place = t.Get(at, i);
      t.Set(out, i,
            (place >> 32 << 32) | t.Get(rank, i) << kRankShift |
                (place & kOffset));
    });
  };
}

// The CTA of the cluster in whose memory an address lies.
Action RankOf(ActionMaking& m) {
  std::optional<In> at = m.One(1);
  if (!at) return m.Refuse("");
  const Out out = m.Outs(0)[0];
  return [at = *at, out](Threads& t) {
    t.Each([&](size_t i) { t.Set(out, i, t.Get(at, i) >> kRankShift & 0xff); });
  };
}

// Inputs and outputs as CompileScalar counts them.
struct Scalar {
  ScalarOp op;
  std::vector<In> in;
  std::vector<Out> out;
  int32_t carry = -1;

  void operator()(Threads& t) const {
    for (int w = 0; w < t.warps(); ++w) {
      if (t.lanes(w) != 0) OfWarp(t, w);
    }
  }

 private:
  void OfWarp(Threads& t, int w) const {
    const int warp = t.first_warp() + w;
    std::array<const uint64_t*, kMaxWords> from{};
    for (size_t i = 0; i < in.size(); ++i) {
      if (in[i].word >= 0) from[i] = t.Words(warp, in[i].word);
    }
    for (uint32_t rest = t.lanes(w); rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(__builtin_ctz(rest));
      const size_t thread = static_cast<size_t>(warp) * ir::kWarpThreads + lane;
      Words words{};
      for (size_t i = 0; i < in.size(); ++i) {
        const bool plain = from[i] != nullptr && !in[i].negated;
        words[i] = plain ? from[i][lane] + in[i].bits : t.Get(in[i], thread);
      }
      if (op.inputs > in.size()) words[in.size()] = t.Words(warp, carry)[lane];
      const Words results = Execute(op, words);
      for (size_t i = 0; i < out.size(); ++i) t.Set(out[i], thread, results[i]);
      if (op.outputs > out.size())
        t.Words(warp, carry)[lane] = results[out.size()];
    }
  }
};

bool HasCarry(std::string_view s) {
  return s.find(".cc") != s.npos || s.starts_with("addc") ||
         s.starts_with("subc") || s.starts_with("madc");
}

}  // namespace

Action ScalarAction(ActionMaking& m) {
  std::string_view spelling = m.spelling();
  if (spelling.starts_with("cvta")) return Window(m);
  if (spelling.starts_with("mapa")) return Mapa(m);
  if (spelling.starts_with("getctarank")) return RankOf(m);
  Scalar s;
  std::optional<ScalarOp> op = CompileScalar(m.node.instruction(), &m.why);
  if (!op) return {};
  s.op = *op;
  s.carry = m.words.carry();
  for (size_t i = 0; i < m.operands(); ++i) {
    if (i == 0) {
      s.out = m.Outs(0);
      continue;
    }
    const Type type =
        s.in.size() < op->inputs ? op->input_types[s.in.size()] : Type::kB64;
    if (!m.Ins(i, &s.in, type)) return {};
  }
  const size_t missing = HasCarry(spelling) ? 1 : 0;
  const bool fits =
      s.in.size() <= op->inputs && op->inputs <= s.in.size() + missing &&
      s.out.size() <= op->outputs && op->outputs <= s.out.size() + missing;
  if (!fits) return m.Refuse("its operands are not followed");
  return s;
}

}  // namespace tilesim::ptx
