#include "sim/machine/data/product.h"

#include <cstring>

namespace tilesim::machine {
namespace {

#define TILESIM_INLINE inline __attribute__((always_inline))

constexpr int kRows = 4;  // of c in registers at once

template <int kBytes>
struct Vec {
  typedef double V __attribute__((vector_size(kBytes)));
  static constexpr int kLanes = kBytes / 8;
  static constexpr int kWidth = 2 * kLanes;

  static TILESIM_INLINE V Load(const double* from) {
    V v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  }
};

// `kHeight` rows from `row` on, kWidth columns from `col` on.
template <int kBytes, int kHeight>
TILESIM_INLINE void Patch(const ProductTask& t, int64_t row, int64_t col) {
  using S = Vec<kBytes>;
  typename S::V sum[kHeight][2];
  double* c = t.c + row * t.c_stride + col;
  for (int i = 0; i < kHeight; ++i) {
    sum[i][0] = S::Load(c + i * t.c_stride);
    sum[i][1] = S::Load(c + i * t.c_stride + S::kLanes);
  }
  const double* a = t.a + row * t.a_stride;
  for (int64_t k = 0; k < t.k; ++k) {
    const double* b = t.b + k * t.b_stride + col;
    typename S::V b0 = S::Load(b), b1 = S::Load(b + S::kLanes);
    for (int i = 0; i < kHeight; ++i) {
      double x = a[i * t.a_stride + k];
      sum[i][0] += x * b0;
      sum[i][1] += x * b1;
    }
  }
  for (int i = 0; i < kHeight; ++i)
    std::memcpy(c + i * t.c_stride, sum[i], sizeof(sum[i]));
}

TILESIM_INLINE void Edge(const ProductTask& t, int64_t col) {
  for (int64_t row = 0; row < t.m; ++row) {
    for (int64_t j = col; j < t.n; ++j) {
      double sum = t.c[row * t.c_stride + j];
      for (int64_t k = 0; k < t.k; ++k)
        sum += t.a[row * t.a_stride + k] * t.b[k * t.b_stride + j];
      t.c[row * t.c_stride + j] = sum;
    }
  }
}

template <int kBytes>
TILESIM_INLINE void All(const ProductTask& t) {
  constexpr int kWidth = Vec<kBytes>::kWidth;
  int64_t col = 0;
  for (; col + kWidth <= t.n; col += kWidth) {
    int64_t row = 0;
    for (; row + kRows <= t.m; row += kRows) Patch<kBytes, kRows>(t, row, col);
    for (; row < t.m; ++row) Patch<kBytes, 1>(t, row, col);
  }
  Edge(t, col);
}

using ProductFn = void (*)(const ProductTask&);

void Base(const ProductTask& t) { All<16>(t); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) void Avx2(const ProductTask& t) { All<32>(t); }
__attribute__((target("avx512f"))) void Avx512(const ProductTask& t) {
  All<64>(t);
}

ProductFn Choose() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return Avx512;
  if (__builtin_cpu_supports("avx2")) return Avx2;
  return Base;
}
#else
ProductFn Choose() { return Base; }
#endif

}  // namespace

void AddProduct(const ProductTask& task) {
  static const ProductFn product = Choose();
  product(task);
}

}  // namespace tilesim::machine
