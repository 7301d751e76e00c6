// Arithmetic on elements. Nothing contracts: one rounding each.

// Two f32 into a word of two narrower numbers, the first in the low half.
#define TILE_PACK2(name, op)                                                   \
  TILE_DEVICE uint32_t name(float lo, float hi) {                              \
    uint32_t w;                                                                \
    asm(op " %0, %1, %2;" : "=r"(w) : "f"(hi), "f"(lo));                       \
    return w;                                                                  \
  }

TILE_PACK2(pack_f16, "cvt.rn.f16x2.f32")

TILE_PACK2(pack_f16_rz, "cvt.rz.f16x2.f32")

TILE_PACK2(pack_f16_satfinite, "cvt.rn.satfinite.f16x2.f32")

TILE_PACK2(pack_bf16, "cvt.rn.bf16x2.f32")

TILE_PACK2(pack_bf16_rz, "cvt.rz.bf16x2.f32")

TILE_PACK2(pack_bf16_satfinite, "cvt.rn.satfinite.bf16x2.f32")

// Four f32 into a word of four 8-bit numbers.
#define TILE_PACK4(name, op)                                                   \
  TILE_DEVICE uint32_t name(float a, float b, float c, float d) {              \
    uint16_t lo, hi;                                                           \
    asm(op " %0, %1, %2;" : "=h"(lo) : "f"(b), "f"(a));                        \
    asm(op " %0, %1, %2;" : "=h"(hi) : "f"(d), "f"(c));                        \
    return lo | static_cast<uint32_t>(hi) << 16;                               \
  }

TILE_PACK4(pack_e4m3, "cvt.rn.satfinite.e4m3x2.f32")

TILE_PACK4(pack_e5m2, "cvt.rn.satfinite.e5m2x2.f32")

// Number i of a word, as f32.
TILE_DEVICE float from_f16(uint32_t w, int i) {
  float x;
  asm("cvt.f32.f16 %0, %1;"
      : "=f"(x) : "h"(static_cast<uint16_t>(w >> (16 * i))));
  return x;
}

// The i-th number of a word of two.
TILE_DEVICE float from_bf16(uint32_t w, int i) {
  return __uint_as_float(i == 0 ? w << 16 : w & 0xffff0000u);
}

// The i-th number of a word of four.
#define TILE_FROM_FP8(name, op)                                                \
  TILE_DEVICE float name(uint32_t w, int i) {                                  \
    uint32_t pair;                                                             \
    asm(op " %0, %1;"                                                          \
        : "=r"(pair) : "h"(static_cast<uint16_t>(w >> (16 * (i / 2)))));       \
    return from_f16(pair, i % 2);                                              \
  }

TILE_FROM_FP8(from_e4m3, "cvt.rn.f16x2.e4m3x2")

TILE_FROM_FP8(from_e5m2, "cvt.rn.f16x2.e5m2x2")

// The f32 beside x that tells the rounding of x to any narrower type: its last
// bit is set where x lies between two.
TILE_DEVICE float to_odd(double x) {
  const float y = __double2float_rz(x);
  return static_cast<double>(y) == x
             ? y
             : __uint_as_float(__float_as_uint(y) | 1u);
}

// A number as the type that elements have, which it is combined with.
TILE_DEVICE float as_f16(double x) {
  const float y = to_odd(x);
  return from_f16(pack_f16(y, y), 0);
}

TILE_DEVICE float as_bf16(double x) {
  const float y = to_odd(x);
  return from_bf16(pack_bf16(y, y), 0);
}

TILE_DEVICE float as_e4m3(double x) {
  const float y = to_odd(x);
  return from_e4m3(pack_e4m3(y, y, y, y), 0);
}

TILE_DEVICE float as_e5m2(double x) {
  const float y = to_odd(x);
  return from_e5m2(pack_e5m2(y, y, y, y), 0);
}

// Instructions of one operand.
#define TILE_UNARY(name, op)                                                   \
  TILE_DEVICE float name(float x) {                                            \
    float y;                                                                   \
    asm(op " %0, %1;" : "=f"(y) : "f"(x));                                     \
    return y;                                                                  \
  }

TILE_UNARY(ex2, "ex2.approx.ftz.f32")

TILE_UNARY(lg2, "lg2.approx.ftz.f32")

TILE_UNARY(rcp, "rcp.rn.f32")

TILE_UNARY(tf32, "cvt.rn.tf32.f32")

// f32 to the nearest integer, clamped.
TILE_DEVICE int32_t to_s32(float x) { return __float2int_rn(x); }

// Largest element and sum of each row: a thread's own elements in ascending
// columns, then the lanes of a row pairwise, neighbours first.
#define TILE_ROW_REDUCE(name, combine)                                         \
  template <class Fragment>                                                    \
  TILE_DEVICE void name(float* rows, const float* x) {                         \
    _Pragma("unroll")                                                          \
    for (int r = 0; r < Fragment::kColumns; ++r) {                             \
      float sum = 0;                                                           \
      bool first = true;                                                       \
      _Pragma("unroll")                                                        \
      for (int i = 0; i < Fragment::kCount; ++i) {                             \
        if (Fragment::column(i) != r) continue;                                \
        sum = first ? x[i] : combine(sum, x[i]);                               \
        first = false;                                                         \
      }                                                                        \
      _Pragma("unroll")                                                        \
      for (int d = 1; d < Fragment::kLanesPerRow; d *= 2)                      \
        sum = combine(sum, __shfl_xor_sync(0xffffffffu, sum, d));              \
      rows[r] = sum;                                                           \
    }                                                                          \
  }

TILE_ROW_REDUCE(row_max, fmaxf)

TILE_ROW_REDUCE(row_sum, __fadd_rn)

// Minus infinity where the column, counted from `col`, is past the row.
template <class Fragment>
TILE_DEVICE void mask_causal(float* x, int64_t row, int64_t col) {
#pragma unroll
  for (int i = 0; i < Fragment::kCount; ++i) {
    if (col + Fragment::col(i) > row + Fragment::row(i))
      x[i] = __uint_as_float(0xff800000u);
  }
}
