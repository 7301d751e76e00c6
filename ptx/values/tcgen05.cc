// tcgen05: tensor memory and what works on it. A CTA's columns are those of
// its allocations, which addresses tell apart (machine/tensor_memory.h).
#include <array>
#include <cstring>

#include "fmt/format.h"
#include "ir/tmem.h"
#include "ptx/machine/tensor_tiles.h"
#include "ptx/values/products.h"
#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

using values::DType;

// --- allocations
// --------------------------------------------------------------

// The machine has made it; its address goes where the program looks for it.
Action Alloc(ActionMaking& m) {
  std::optional<In> slot = m.One(0);
  if (!slot) return m.Refuse("");
  const int32_t line = m.node.statement->span.text_line();
  return [slot = *slot, line](Threads& t) {
    const uint64_t at = t.Get(slot, t.First());
    constexpr uint64_t kOffset = (uint64_t{1} << kRankShift) - 1;
    const std::vector<Pool>& pools = t.kernel().guide->pools().all();
    for (size_t i = pools.size(); i-- > 0;) {
      const machine::CompiledOp& op =
          t.kernel().code->ops[static_cast<size_t>(pools[i].op)];
      if (pools[i].slot != static_cast<int64_t>(at & kOffset) ||
          op.op->span.text_line() != line)
        continue;
      const uint32_t address = Pools::AddressOf(static_cast<int32_t>(i));
      if (uint8_t* to = t.Shared(at, sizeof address))
        std::memcpy(to, &address, sizeof address);
      return;
    }
    t.Fail("what it allocates is not followed");
  };
}

// --- loads and stores
// ---------------------------------------------------------

// Where register `i` of a lane lies, from the address on (hardware.md A.8).
struct Place {
  int64_t lane, column;
};

enum class Shape : uint8_t { k32x32, k16x64, k16x128, k16x256, k16x32x2 };

Place PlaceOf(Shape shape, int64_t l, int64_t i, int64_t second) {
  switch (shape) {
    case Shape::k16x64:
      return {l / 4 + 8 * (l % 2), 2 * i + l / 2 % 2};
    case Shape::k16x128:
      return {l / 4 + 8 * (i % 2), 4 * (i / 2) + l % 4};
    case Shape::k16x256:
      return {l / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (l % 4) + i % 2};
    case Shape::k16x32x2:
      return {l % 16, i + l / 16 * second};
    case Shape::k32x32:
      break;
  }
  return {l, i};
}

struct Move {
  Shape shape = Shape::k32x32;
  In address;
  int64_t second = 0;
  bool packed = false;

  // F(lanes' memory, thread, register, column) for each that executes it.
  template <typename F>
  void Each(Threads& t, size_t registers, F f) const {
    t.Each([&](size_t thread) {
      TensorAddress at(t.Get(address, thread));
      const bool all = shape == Shape::k32x32 || second >= 0;
      at.TakeOwnQuarter(static_cast<int64_t>(thread / ir::kWarpThreads),
                        all ? ir::kQuarterLanes : ir::kQuarterLanes / 2);
      const auto l = static_cast<int64_t>(thread % ir::kWarpThreads);
      for (size_t i = 0; i < registers; ++i) {
        const Place p = PlaceOf(shape, l, static_cast<int64_t>(i), second);
        const int64_t lane = at.lane + p.lane;
        const int64_t column = at.column + p.column * (packed ? 2 : 1);
        if (lane >= ir::kTmemLanes ||
            column + (packed ? 1 : 0) >= ir::kTmemColumns)
          return t.Fail("it leaves tensor memory");
        f(t.own().Lane(at.pool, lane) + column, thread, i);
      }
    });
  }
};

bool ReadMove(ActionMaking& m, size_t address, Move* out) {
  constexpr std::pair<std::string_view, Shape> kShapes[] = {
      {".32x32b", Shape::k32x32},
      {".16x64b", Shape::k16x64},
      {".16x128b", Shape::k16x128},
      {".16x256b", Shape::k16x256},
      {".16x32bx2", Shape::k16x32x2}};
  bool known = false;
  for (auto [word, shape] : kShapes) {
    if (!m.Has(word)) continue;
    out->shape = shape;
    known = true;
  }
  std::optional<In> at = m.One(address);
  if (at) out->address = *at;
  out->packed = m.Has(".pack::16b") || m.Has(".unpack::16b");
  if (out->shape == Shape::k16x32x2) {
    const Operand& second = m.operand(address + 1);
    known = known && second.kind == Operand::Kind::kNumber;
    out->second = second.number.value();
  }
  return known && at.has_value();
}

Action Load(ActionMaking& m) {
  Move move;
  if (m.Has(".red") || !ReadMove(m, 1, &move))
    return m.Refuse("its shape is not followed");
  std::vector<Out> outs = m.Outs(0);
  return [=](Threads& t) {
    move.Each(t, outs.size(), [&](uint32_t* at, size_t thread, size_t i) {
      t.Set(outs[i], thread,
            move.packed ? (at[0] & 0xffff) | at[1] << 16 : at[0]);
    });
  };
}

Action Store(ActionMaking& m) {
  Move move;
  std::vector<In> ins;
  if (!ReadMove(m, 0, &move) || !m.Ins(m.operands() - 1, &ins))
    return m.Refuse("its shape is not followed");
  return [=](Threads& t) {
    move.Each(t, ins.size(), [&](uint32_t* at, size_t thread, size_t i) {
      const auto word = static_cast<uint32_t>(t.Get(ins[i], thread));
      at[0] = move.packed ? word & 0xffff : word;
      if (move.packed) at[1] = word >> 16;
    });
  };
}

// --- copies
// -------------------------------------------------------------------

// The CTAs of a pair, or the one.
std::vector<CtaValues*> CtasOf(Threads& t, bool pair) {
  if (!pair) return {&t.own()};
  const int even = t.rank() & ~1;
  return {t.Peer(even), t.Peer(even + 1)};
}

Action Copy(ActionMaking& m) {
  constexpr std::tuple<std::string_view, int64_t, int64_t> kShapes[] = {
      {".128x256b", 128, 32}, {".128x128b", 128, 16}, {".32x128b", 32, 16}};
  int64_t rows = 0, bytes = 0;
  for (auto [word, r, b] : kShapes) {
    if (m.Has(word)) rows = r, bytes = b;
  }
  std::optional<In> to = m.One(0), from = m.One(1);
  const bool fours = m.Has(".warpx4");
  if (!to || !from || rows == 0 || m.Has(".b8x16") || (rows == 32) != fours)
    return m.Refuse("its shape is not followed");
  const bool pair = m.Has(".cta_group::2");
  return [=, to = *to, from = *from](Threads& t) {
    const TensorAddress at(t.Get(to, t.First()));
    std::string why;
    std::optional<MatrixLayout> layout =
        Tcgen05Layout(t.Get(from, t.First()), &why);
    if (!layout) return t.Fail(why);
    for (CtaValues* cta : CtasOf(t, pair)) {
      Codes codes{DType::kU8, rows, bytes};
      if (cta == nullptr || !codes.Read(t, *cta, *layout)) return;
      if (at.column * ir::kColumnBytes + bytes > ir::kTmemLaneBytes)
        return t.Fail("it leaves tensor memory");
      for (int64_t lane = 0; lane < ir::kTmemLanes; ++lane)
        std::memcpy(cta->Lane(at.pool, lane) + at.column,
                    codes.At(lane % rows, 0), static_cast<size_t>(bytes));
    }
  };
}

// --- products
// -----------------------------------------------------------------

struct Mma {
  Product::Kind kind = Product::Kind::kF16;
  bool pair = false, a_in_tensor = false;
  In d, a, b, descriptor, accumulate;
  std::optional<In> a_factors, b_factors;

  void operator()(Threads& t) const { Run(*this, t).All(); }

 private:
  struct Run {
    Run(const Mma& mma, Threads& threads)
        : op(mma),
          t(threads),
          first(threads.First()),
          p(mma.kind, static_cast<uint32_t>(t.Get(op.descriptor, first)),
            mma.pair) {}

    void All() {
      std::optional<ir::DataPath> data_path = ir::DataPathOf(p.m, op.pair);
      if (!data_path || p.n == 0) return t.Fail("there is no such product");
      path = *data_path;
      k = 32 * 8 / values::BitsOf(p.a_type);
      if (op.kind == Product::Kind::kF8f6f4 ||
          op.kind == Product::Kind::kMxf8f6f4)
        k = 32;
      if (!FindRule()) return;
      ctas = CtasOf(t, op.pair);
      for (CtaValues* cta : ctas) {
        if (cta == nullptr) return t.Fail("its peer is not there");
      }
      Codes right;
      if (!ReadB(&right)) return;
      for (CtaValues* cta : ctas) Half(*cta, right);
    }

    bool FindRule() {
      arith::MmaKey key{.unit = arith::Unit::kTcgen05,
                        .a = p.a_type,
                        .b = p.b_type,
                        .d = p.d_type};
      const bool bytes =
          values::BitsOf(p.a_type) >= 8 && values::BitsOf(p.b_type) >= 8;
      const bool fours = op.kind == Product::Kind::kMxf4 ||
                         op.kind == Product::Kind::kMxf4nvf4;
      if (p.scaled) {
        key.scale_type = p.factor_type;
        key.scale_block = static_cast<int>(k / p.factors);
      }
      if (bytes || fours) {
        rule = arith::FindRule(key);
        if (rule != nullptr && k % rule->k != 0) {
          key.k = static_cast<int>(k);
          rule = arith::FindRule(key);
        }
      }
      if (rule == nullptr || k % rule->k != 0) {
        t.Fail(fmt::format("products of {} and {} into {} are not computed",
                           values::NameOf(p.a_type), values::NameOf(p.b_type),
                           values::NameOf(p.d_type)));
        return false;
      }
      return true;
    }

    bool Read(const In& descriptor, const CtaValues& from, Codes* out) {
      std::string why;
      std::optional<MatrixLayout> layout =
          Tcgen05Layout(t.Get(descriptor, first), &why);
      if (!layout) {
        t.Fail(why);
        return false;
      }
      return out->Read(t, from, *layout);
    }

    // Rows of the second CTA of a pair follow those of the first.
    bool ReadB(Codes* out) {
      *out = {p.b_type, p.n, k, p.b_mn_major};
      const auto parts = static_cast<int64_t>(ctas.size());
      for (const CtaValues* cta : ctas) {
        Codes part{p.b_type, p.n / parts, k, p.b_mn_major};
        if (!Read(op.b, *cta, &part)) return false;
        if (!p.b_mn_major || parts == 1) {
          out->bytes.insert(out->bytes.end(), part.bytes.begin(),
                            part.bytes.end());
          continue;
        }
        const int64_t line = part.rows * values::WordBytes(p.b_type);
        const int64_t at = cta == ctas[0] ? 0 : line;
        out->bytes.resize(static_cast<size_t>(parts * line * k));
        for (int64_t r = 0; r < k; ++r)
          std::memcpy(out->bytes.data() + r * parts * line + at,
                      part.bytes.data() + r * line, static_cast<size_t>(line));
      }
      return true;
    }

    bool ReadA(CtaValues& cta, Codes* out) {
      if (!op.a_in_tensor) return Read(op.a, cta, out);
      const TensorAddress at(t.Get(op.a, first));
      const int64_t bytes = k * values::BitsOf(p.a_type) / 8;
      out->bytes.resize(static_cast<size_t>(out->rows * bytes));
      for (int64_t r = 0; r < out->rows; ++r)
        std::memcpy(
            out->bytes.data() + r * bytes,
            cta.Lane(at.pool, at.lane + ir::LaneOf(path, r, 0, 2)) + at.column,
            static_cast<size_t>(bytes));
      return true;
    }

    std::vector<uint8_t> Factors(CtaValues& cta, const In& from, int64_t rows,
                                 int64_t id) {
      const TensorAddress at(t.Get(from, first));
      std::vector<uint8_t> out;
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t f = 0; f < p.factors; ++f) {
          const ir::ScalePlace place = ir::ScaleAt(r, id + f, rows);
          const auto* lane = reinterpret_cast<const uint8_t*>(
              cta.Lane(at.pool, at.lane + place.lane) + at.column);
          out.push_back(lane[place.byte]);
        }
      }
      return out;
    }

    // F(word of tensor memory, index into d).
    template <typename F>
    void EachOfD(CtaValues& cta, int64_t rows, F f) {
      const TensorAddress at(t.Get(op.d, first));
      const int64_t run = ir::LaneColumns(path, p.n);
      for (int64_t m = 0; m < rows; ++m) {
        for (int64_t n = 0; n < p.n; ++n)
          f(cta.Lane(at.pool, at.lane + ir::LaneOf(path, m, n,
                                                   p.n))[at.column + n % run],
            static_cast<size_t>(m * p.n + n));
      }
    }

    void Half(CtaValues& cta, const Codes& right) {
      const int64_t rows = p.A().rows;
      Codes left{p.a_type, rows, k, p.a_mn_major};
      if (!ReadA(cta, &left)) return;
      std::vector<uint8_t> sa, sb;
      Factor a{left, p.negate_a}, b{right, p.negate_b};
      if (p.scaled) {
        sa = Factors(cta, *op.a_factors, rows, p.a_factor);
        sb = Factors(cta, *op.b_factors, p.n, p.b_factor);
        a.scales = {sa.data(), p.factors, 1};
        b.scales = {sb.data(), p.factors, 1};
      }
      const bool adds = t.Get(op.accumulate, first) != 0;
      const bool half = p.d_type == DType::kF16;
      std::vector<uint32_t> d(static_cast<size_t>(rows * p.n));
      if (adds)
        EachOfD(cta, rows, [&](uint32_t& word, size_t i) {
          d[i] = half ? word & 0xffff : word;
        });
      Multiply(*rule, a, b, adds, p.d_type, p.n, d);
      EachOfD(cta, rows, [&](uint32_t& word, size_t i) {
        word = half ? (word & 0xffff0000) | d[i] : d[i];
      });
    }

    const Mma& op;
    Threads& t;
    size_t first;
    Product p;
    ir::DataPath path = ir::DataPath::kD;
    int64_t k = 0;
    const arith::MmaRule* rule = nullptr;
    std::vector<CtaValues*> ctas = {};
  };
};

Action MakeMma(ActionMaking& m) {
  Mma mma;
  const auto kind = Product::KindOf(m.node.instruction());
  if (!kind) return m.Refuse("its kind is not known");
  mma.kind = *kind;
  const bool scaled = m.Has(".block_scale");
  mma.pair = m.Has(".cta_group::2");
  mma.a_in_tensor = m.operand(1).kind == Operand::Kind::kAddress;
  const size_t accumulate = scaled ? 6 : 4;
  const bool plain = !m.Has(".sp") && !m.Has(".ws") &&
                     m.operands() == accumulate + 1 &&
                     m.operand(4).kind != Operand::Kind::kVector;
  if (!plain)
    return m.Refuse(
        "products that are sparse, .ws, masked or that scale D "
        "are not computed");
  const std::pair<size_t, In*> needed[] = {{0, &mma.d},
                                           {1, &mma.a},
                                           {2, &mma.b},
                                           {3, &mma.descriptor},
                                           {accumulate, &mma.accumulate}};
  for (auto [operand, to] : needed) {
    std::optional<In> in = m.One(operand);
    if (!in) return m.Refuse("");
    *to = *in;
  }
  if (scaled) {
    mma.a_factors = m.One(4);
    mma.b_factors = m.One(5);
    if (!mma.a_factors || !mma.b_factors) return m.Refuse("");
  }
  return mma;
}

Action NotYet(ActionMaking& m) {
  return m.Refuse(
      "which rows it moves is not "
      "followed");
}

}  // namespace

const std::vector<ActionRow>& Tcgen05Actions() {
  static const std::vector<ActionRow> kRows = {
      {"tcgen05.alloc", Alloc}, {"tcgen05.ld", Load}, {"tcgen05.st", Store},
      {"tcgen05.mma", MakeMma}, {"tcgen05.cp", Copy}, {"tcgen05.shift", NotYet},
  };
  return kRows;
}

}  // namespace tilesim::ptx
