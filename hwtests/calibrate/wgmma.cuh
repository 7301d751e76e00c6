// wgmma with operands in shared memory, by number of columns; the registers of
// the accumulator are spelled out by macros.
#ifndef TILESIM_HWTESTS_CALIBRATE_WGMMA_CUH_
#define TILESIM_HWTESTS_CALIBRATE_WGMMA_CUH_

#include "hwtests/calibrate/device.cuh"

namespace calibrate {

// Placeholders and operands of 32 accumulator registers.
#define CALIBRATE_PLACES_0                                       \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "           \
  "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
  "%24, %25, %26, %27, %28, %29, %30, %31"
#define CALIBRATE_PLACES_1                                       \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, " \
  "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, " \
  "%56, %57, %58, %59, %60, %61, %62, %63"
#define CALIBRATE_PLACES_2                                       \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, " \
  "%76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, " \
  "%88, %89, %90, %91, %92, %93, %94, %95"
#define CALIBRATE_PLACES_3                                                   \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "     \
  "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, " \
  "%120, %121, %122, %123, %124, %125, %126, %127"
#define CALIBRATE_D4(i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define CALIBRATE_D16(i)                                     \
  CALIBRATE_D4(i), CALIBRATE_D4(i + 4), CALIBRATE_D4(i + 8), \
      CALIBRATE_D4(i + 12)
#define CALIBRATE_D32(i) CALIBRATE_D16(i), CALIBRATE_D16(i + 16)

// `n` columns, D in `places` and `operands`; a and b are placeholders. Of f16
// with both operands K-major or transposed, of e4m3 only K-major.
#define CALIBRATE_WGMMA(n, places, a, b, ta, tb, ...)                     \
  template <int kTransposeA, int kTransposeB>                             \
  TILE_DEVICE void wgmma_f16(float(&d)[n / 2], uint64_t desc_a,           \
                             uint64_t desc_b) {                           \
    asm volatile(                                                         \
        "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.f16.f16 {" places \
        "}, " a ", " b ", 1, 1, 1, " ta ", " tb ";"                       \
        : __VA_ARGS__                                                     \
        : "l"(desc_a), "l"(desc_b), "n"(kTransposeA), "n"(kTransposeB)    \
        : "memory");                                                      \
  }                                                                       \
  TILE_DEVICE void wgmma_e4m3(float(&d)[n / 2], uint64_t desc_a,          \
                              uint64_t desc_b) {                          \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #n                   \
                 "k32.f32.e4m3.e4m3 {" places "}, " a ", " b ", 1, 1, 1;" \
                 : __VA_ARGS__                                            \
                 : "l"(desc_a), "l"(desc_b)                               \
                 : "memory");                                             \
  }

CALIBRATE_WGMMA(64, CALIBRATE_PLACES_0, "%32", "%33", "%34", "%35",
                CALIBRATE_D32(0))
CALIBRATE_WGMMA(128, CALIBRATE_PLACES_0 ", " CALIBRATE_PLACES_1, "%64", "%65",
                "%66", "%67", CALIBRATE_D32(0), CALIBRATE_D32(32))
CALIBRATE_WGMMA(192,
                CALIBRATE_PLACES_0 ", " CALIBRATE_PLACES_1
                                   ", " CALIBRATE_PLACES_2,
                "%96", "%97", "%98", "%99", CALIBRATE_D32(0), CALIBRATE_D32(32),
                CALIBRATE_D32(64))
CALIBRATE_WGMMA(256,
                CALIBRATE_PLACES_0 ", " CALIBRATE_PLACES_1
                                   ", " CALIBRATE_PLACES_2
                                   ", " CALIBRATE_PLACES_3,
                "%128", "%129", "%130", "%131", CALIBRATE_D32(0),
                CALIBRATE_D32(32), CALIBRATE_D32(64), CALIBRATE_D32(96))

// A in registers, B transposed where asked.
#define CALIBRATE_WGMMA_REGISTERS(n, places, a, b, tb, ...)                   \
  template <int kTransposeB>                                                  \
  TILE_DEVICE void wgmma_registers(float(&d)[n / 2], const uint32_t(&a4)[4],  \
                                   uint64_t desc_b) {                         \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #n                       \
                 "k16.f32.f16.f16 {" places "}, {" a "}, " b ", 1, 1, 1, " tb \
                 ";"                                                          \
                 : __VA_ARGS__                                                \
                 : "r"(a4[0]), "r"(a4[1]), "r"(a4[2]), "r"(a4[3]),            \
                   "l"(desc_b), "n"(kTransposeB)                              \
                 : "memory");                                                 \
  }

CALIBRATE_WGMMA_REGISTERS(64, CALIBRATE_PLACES_0, "%32, %33, %34, %35", "%36",
                          "%37", CALIBRATE_D32(0))
CALIBRATE_WGMMA_REGISTERS(128, CALIBRATE_PLACES_0 ", " CALIBRATE_PLACES_1,
                          "%64, %65, %66, %67", "%68", "%69", CALIBRATE_D32(0),
                          CALIBRATE_D32(32))

// The descriptor of a tile in shared memory, rows of 128 bytes, swizzle 128B.
// K-major: rows are MN. MN-major: rows are K, `panel` bytes from one 64
// elements of MN to the next.
TILE_DEVICE uint64_t descriptor(uint32_t start, bool mn_major, uint32_t panel) {
  constexpr uint64_t kSwizzle128 = 1ull << 62, kStride = 1024 >> 4;
  const uint64_t leading = (mn_major ? panel : 16) >> 4;
  return kSwizzle128 | kStride << 32 | leading << 16 | (start & 0x3ffff) >> 4;
}

constexpr int kK = 4;  // instructions of a row of 128 bytes, K-major

// What a descriptor grows by from one K of an instruction to the next.
template <int kMnMajor>
constexpr uint64_t kStep = (kMnMajor ? 16 * kRowBytes : 32) >> 4;

// D += A * B of 64 elements of K, begun.
template <int kTransposeA = 0, int kTransposeB = 0, int kCount>
TILE_DEVICE void multiply(float (&d)[kCount], uint64_t a, uint64_t b) {
#pragma unroll
  for (int k = 0; k < kK; ++k) {
    wgmma_f16<kTransposeA, kTransposeB>(d, a + k * kStep<kTransposeA>,
                                        b + k * kStep<kTransposeB>);
  }
}

// The same with A in registers, of 16 a thread.
template <int kTransposeB, int kCount>
TILE_DEVICE void multiply_registers(float (&d)[kCount],
                                    const uint32_t (&a)[kK][4], uint64_t b) {
#pragma unroll
  for (int k = 0; k < kK; ++k) {
    wgmma_registers<kTransposeB>(d, a[k], b + k * kStep<kTransposeB>);
  }
}

// The accumulator is used, so that it is computed.
template <int kCount>
TILE_DEVICE void consume(const float (&d)[kCount], float* sink) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kCount; ++i) sum += d[i];
  if (sum == 0.123f) *sink = sum;
}

}  // namespace calibrate

#endif  // TILESIM_HWTESTS_CALIBRATE_WGMMA_CUH_
