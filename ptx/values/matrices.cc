// Products of tensor cores whose accumulators are registers: wgmma, mma.sync.
#include <array>
#include <charconv>
#include <cstring>

#include "fmt/format.h"
#include "ptx/values/products.h"
#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

using arith::MmaRule;
using values::DType;

// --- fragments --------------------------------------------------------------
// Lane l of a warp has rows l / 4 and l / 4 + 8 of its 16 (hardware.md D.2).

// The codes that register `r` of A holds in a lane, of 16 rows by K.
struct APlace {
  int64_t row, k;
};
APlace PlaceInA(size_t lane, size_t r, int64_t per_register) {
  const auto l = static_cast<int64_t>(lane), i = static_cast<int64_t>(r);
  return {l / 4 + 8 * (i % 2), per_register * (l % 4 + 4 * (i / 2))};
}

void AFromRegisters(Threads& t, const std::vector<In>& ins, Codes* c) {
  const int64_t size = values::WordBytes(c->type), per = 4 / size;
  c->bytes.resize(static_cast<size_t>(c->rows * c->k * size));
  for (int w = 0; w < t.warps(); ++w) {
    for (size_t l = 0; l < ir::kWarpThreads; ++l) {
      const size_t thread =
          static_cast<size_t>(t.first_warp() + w) * ir::kWarpThreads + l;
      for (size_t r = 0; r < ins.size(); ++r) {
        const APlace p = PlaceInA(l, r, per);
        const auto word = static_cast<uint32_t>(t.Get(ins[r], thread));
        std::memcpy(c->At(16 * w + p.row, p.k), &word, 4);
      }
    }
  }
}

// Of mma.sync: lane l has column l / 4 of 8.
void BFromRegisters(Threads& t, size_t first, const std::vector<In>& ins,
                    Codes* c) {
  const int64_t size = values::WordBytes(c->type), per = 4 / size;
  c->bytes.resize(static_cast<size_t>(c->rows * c->k * size));
  for (size_t l = 0; l < ir::kWarpThreads; ++l) {
    for (size_t r = 0; r < ins.size(); ++r) {
      const auto lane = static_cast<int64_t>(l);
      const auto word = static_cast<uint32_t>(t.Get(ins[r], first + l));
      std::memcpy(
          c->At(lane / 4, per * (lane % 4 + 4 * static_cast<int64_t>(r))),
          &word, 4);
    }
  }
}

// D, of 16 rows a warp by N: register r of a lane has column 8 (r / 4) + 2 (l
// mod 4) + r mod 2 of row l / 4 + 8 (r / 2 mod 2); two f16 a register.
struct Accumulators {
  DType type = DType::kF32;
  int64_t n = 0;
  std::vector<uint32_t> codes;

  uint32_t& At(int64_t row, int64_t column) {
    return codes[static_cast<size_t>(row * n + column)];
  }

  template <typename F>
  static void Elements(bool halves, size_t lane, size_t r, F f) {
    const auto l = static_cast<int64_t>(lane);
    const auto first = static_cast<int64_t>(halves ? 2 * r : r);
    for (int64_t e = first; e < first + (halves ? 2 : 1); ++e)
      f(l / 4 + 8 * (e / 2 % 2), 8 * (e / 4) + 2 * (l % 4) + e % 2,
        static_cast<int>(16 * (e - first)));
  }

  void Read(Threads& t, const std::vector<In>& ins) {
    const bool halves = type == DType::kF16;
    for (int w = 0; w < t.warps(); ++w) {
      for (size_t l = 0; l < ir::kWarpThreads; ++l) {
        const size_t thread =
            static_cast<size_t>(t.first_warp() + w) * ir::kWarpThreads + l;
        for (size_t r = 0; r < ins.size(); ++r) {
          const auto word = static_cast<uint32_t>(t.Get(ins[r], thread));
          Elements(halves, l, r, [&](int64_t row, int64_t column, int shift) {
            At(16 * w + row, column) = halves ? word >> shift & 0xffff : word;
          });
        }
      }
    }
  }

  void Write(Threads& t, const std::vector<Out>& outs) {
    const bool halves = type == DType::kF16;
    for (int w = 0; w < t.warps(); ++w) {
      for (size_t l = 0; l < ir::kWarpThreads; ++l) {
        const size_t thread =
            static_cast<size_t>(t.first_warp() + w) * ir::kWarpThreads + l;
        for (size_t r = 0; r < outs.size(); ++r) {
          uint32_t word = 0;
          Elements(halves, l, r, [&](int64_t row, int64_t column, int shift) {
            word |= At(16 * w + row, column) << shift;
          });
          t.Set(outs[r], thread, word);
        }
      }
    }
  }
};

// --- what a spelling says
// -----------------------------------------------------

struct Product {
  int64_t m = 0, n = 0, k = 0;
  DType d = DType::kF32, a = DType::kF16, b = DType::kF16;
  const MmaRule* rule = nullptr;
};

// "m64n128k16".
bool ReadShape(std::string_view part, Product* p) {
  const auto number = [&](char letter, int64_t* out) {
    const size_t at = part.find(letter);
    return at != part.npos && std::from_chars(part.data() + at + 1,
                                              part.data() + part.size(), *out)
                                      .ec == std::errc();
  };
  return part.starts_with('m') && number('m', &p->m) && number('n', &p->n) &&
         number('k', &p->k);
}

bool ReadProduct(const ActionMaking& m, arith::Unit unit, Product* p) {
  std::vector<DType> types;
  bool shape = false;
  for (std::string_view part : m.Parts()) {
    if (std::optional<DType> type = values::FindDType(part))
      types.push_back(*type);
    shape |= ReadShape(part, p);
  }
  // d, a, b; of mma.sync c as well.
  if (!shape || types.size() < 3) return false;
  p->d = types[0];
  p->a = types[1];
  p->b = types[2];
  arith::MmaKey key{.unit = unit, .a = p->a, .b = p->b, .d = p->d};
  p->rule = arith::FindRule(key);
  if (p->rule != nullptr && p->k % p->rule->k != 0) {
    key.k = static_cast<int>(p->k);
    p->rule = arith::FindRule(key);
  }
  return p->rule != nullptr;
}

// --- wgmma
// --------------------------------------------------------------------

struct Wgmma {
  Product p;
  std::vector<Out> d_out;
  std::vector<In> d, a_registers;
  std::optional<In> a_descriptor;
  In b, accumulate;
  bool negate_a = false, negate_b = false, trans_a = false, trans_b = false;

  void operator()(Threads& t) const {
    const size_t first = t.First();
    Codes a{p.a, 64, p.k, trans_a, {}}, right{p.b, p.n, p.k, trans_b, {}};
    if (a_descriptor) {
      if (!Matrix(t, t.Get(*a_descriptor, first), &a)) return;
    } else {
      AFromRegisters(t, a_registers, &a);
    }
    if (!Matrix(t, t.Get(b, first), &right)) return;
    Accumulators acc{p.d, p.n,
                     std::vector<uint32_t>(static_cast<size_t>(64 * p.n))};
    const bool adds = t.Get(accumulate, first) != 0;
    if (adds) acc.Read(t, d);
    Multiply(*p.rule, {a, negate_a}, {right, negate_b}, adds, p.d, p.n,
             acc.codes);
    acc.Write(t, d_out);
  }

 private:
  static bool Matrix(Threads& t, uint64_t descriptor, Codes* c) {
    std::string why;
    std::optional<MatrixLayout> l = WgmmaLayout(descriptor, &why);
    if (!l) t.Fail(why);
    return l && c->Read(t, t.own(), *l);
  }
};

// d, a, b, scale-d, then the signs of a and b, then transpositions of what lies
// in shared memory.
Action MakeWgmma(ActionMaking& m) {
  Wgmma w;
  if (m.Has(".sp") || !ReadProduct(m, arith::Unit::kWgmma, &w.p))
    return m.Refuse("its rule is not known");
  const bool registers = m.operand(1).kind == Operand::Kind::kVector;
  w.d_out = m.Outs(0);
  if (!m.Ins(0, &w.d)) return {};
  if (registers) {
    if (!m.Ins(1, &w.a_registers)) return {};
  } else {
    w.a_descriptor = m.One(1);
    if (!w.a_descriptor) return {};
  }
  std::optional<In> b = m.One(2), accumulate = m.One(3);
  if (!b || !accumulate) return m.Refuse("");
  w.b = *b;
  w.accumulate = *accumulate;
  const auto flag = [&](size_t i) {
    return i < m.operands() && m.operand(i).kind == Operand::Kind::kNumber
               ? m.operand(i).number.value()
               : 0;
  };
  w.negate_a = flag(4) == -1;
  w.negate_b = flag(5) == -1;
  w.trans_a = !registers && flag(6) != 0;
  w.trans_b = flag(registers ? 6 : 7) != 0;
  return w;
}

// --- mma.sync
// -----------------------------------------------------------------

struct MmaSync {
  Product p;
  std::vector<Out> d;
  std::vector<In> a, b, c;

  void operator()(Threads& t) const {
    Codes left{p.a, int64_t{16} * t.warps(), p.k, false, {}};
    AFromRegisters(t, a, &left);
    Accumulators all{
        p.d, p.n, std::vector<uint32_t>(static_cast<size_t>(left.rows * p.n))};
    all.Read(t, c);
    for (int w = 0; w < t.warps(); ++w) OfWarp(t, w, left, &all);
    all.Write(t, d);
  }

 private:
  void OfWarp(Threads& t, int w, const Codes& left, Accumulators* all) const {
    const size_t first =
        static_cast<size_t>(t.first_warp() + w) * ir::kWarpThreads;
    Codes rows = left, right{p.b, p.n, p.k, false, {}};
    const auto part = left.bytes.size() / static_cast<size_t>(t.warps());
    rows.rows = 16;
    rows.bytes.assign(
        left.bytes.begin() + static_cast<int64_t>(part) * w,
        left.bytes.begin() + static_cast<int64_t>(part) * (w + 1));
    BFromRegisters(t, first, b, &right);
    Accumulators own{p.d, p.n, {}};
    const int64_t size = 16 * p.n;
    own.codes.assign(all->codes.begin() + size * w,
                     all->codes.begin() + size * (w + 1));
    Multiply(*p.rule, {rows}, {right}, true, p.d, p.n, own.codes);
    std::copy(own.codes.begin(), own.codes.end(),
              all->codes.begin() + size * w);
  }
};

Action MakeMmaSync(ActionMaking& m) {
  MmaSync s;
  const bool known =
      ReadProduct(m, arith::Unit::kMmaSync, &s.p) && s.p.m == 16 && s.p.n == 8;
  if (m.Has(".sp") || !known) return m.Refuse("its rule is not known");
  s.d = m.Outs(0);
  if (!m.Ins(1, &s.a) || !m.Ins(2, &s.b) || !m.Ins(3, &s.c)) return {};
  return s;
}

}  // namespace

const std::vector<ActionRow>& MatrixActions() {
  static const std::vector<ActionRow> kRows = {{"wgmma.mma_async", MakeWgmma},
                                               {"mma.sync", MakeMmaSync}};
  return kRows;
}

}  // namespace tilesim::ptx
