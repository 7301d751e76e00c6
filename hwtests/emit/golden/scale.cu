// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a scale.cu -c
// Lowered from scale.tile by tilesim.

#ifdef __CUDACC_RTC__
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long long;
using uint64_t = unsigned long long;
struct alignas(64) CUtensorMap { uint64_t opaque[16]; };
#else
#include <cstdint>
#include <cuda.h>
#endif
#define TILE_DEVICE __device__ __forceinline__

namespace tile {

// Numbers of 16 bits and fewer are carried as their bits.
using f16 = uint16_t;
using bf16 = uint16_t;

// The warp of the CTA, known to be the same in all lanes.
TILE_DEVICE int warp_index() {
  return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / 32), 0);
}

// elect.sync: true in one lane of a converged warp.
TILE_DEVICE bool elect_one() {
  uint32_t elected;
  asm volatile(
      "{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n"
      " selp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
  return elected != 0;
}

// Shared-window address of shared memory.
TILE_DEVICE uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Makes a barrier whose phases take `count` arrivals; before anybody else uses
// it, a fence (fence_mbarrier_init) and a barrier of threads.
TILE_DEVICE void mbarrier_init(uint32_t bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :: "r"(bar), "r"(count) : "memory");
}

// Arrivals, on a barrier of this CTA or (peer) on mapa's address of another's.
#define TILE_ARRIVE(name, op, space)                                           \
  TILE_DEVICE void name(uint32_t bar, uint32_t count = 1) {                    \
    asm volatile(op "." space ".b64 _, [%0], %1;"                              \
                 :: "r"(bar), "r"(count) : "memory");                          \
  }

// Expects `bytes` more in this phase, then arrives once.
TILE_ARRIVE(mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx",
            "shared::cta")

// Asks whether the phase of that parity, current or just before, is complete:
// test_ once, try_ with the hardware's patience, wait until it is.
#define TILE_TEST(name, op)                                                    \
  TILE_DEVICE bool name(uint32_t bar, uint32_t parity) {                       \
    uint32_t done;                                                             \
    asm volatile("{\n .reg .pred p;\n " op                                     \
                 ".shared::cta.b64 p, [%1], %2;\n"                             \
                 " selp.u32 %0, 1, 0, p;\n}"                                   \
                 : "=r"(done) : "r"(bar), "r"(parity) : "memory");             \
    return done != 0;                                                          \
  }

// Loops on try_wait.
#define TILE_WAIT(name, try_name)                                              \
  TILE_DEVICE void name(uint32_t bar, uint32_t parity) {                       \
    while (!try_name(bar, parity)) {                                           \
    }                                                                          \
  }

TILE_TEST(mbarrier_try_wait, "mbarrier.try_wait.parity")

TILE_WAIT(mbarrier_wait, mbarrier_try_wait)

// The same for all threads of the CTA.
TILE_DEVICE void bar_sync_all(uint32_t id) {
  asm volatile("bar.sync %0;" :: "r"(id) : "memory");
}

// Instructions without operands.
#define TILE_PLAIN(name, op)                                                   \
  TILE_DEVICE void name() {                                                    \
    asm volatile(op ";" ::: "memory");                                         \
  }

TILE_PLAIN(fence_mbarrier_init, "fence.mbarrier_init.release.cluster")

// Byte of element (row, col) of a shared tile of kRows x kCols: row-major, or
// with a swizzle of kSwizzle bytes panels of that width whose 16-byte chunks
// are permuted by the row's number.
template <int kRows, int kCols, int kBits, int kSwizzle>
TILE_DEVICE constexpr uint32_t tile_offset(int row, int col) {
  if constexpr (kSwizzle == 0) {
    return (row * kCols + col) * kBits / 8;
  } else {
    constexpr int kWide = kSwizzle * 8 / kBits;
    const uint32_t offset = (col / kWide) * (kRows * kSwizzle) +
                            row * kSwizzle + (col % kWide) * kBits / 8;
    return offset ^ (((offset >> 7) & (kSwizzle / 16 - 1)) << 4);
  }
}

// Row-major, kV neighbours a thread, over kThreads threads from kFirst on.
template <int kRows, int kCols, int kV, int kThreads, int kFirst>
struct Blocked {
  static constexpr int kChunk = kThreads * kV, kVector = kV;
  static constexpr int kTotal = kRows * kCols;
  static constexpr int kCount = (kTotal + kChunk - 1) / kChunk * kV;
  TILE_DEVICE static int at(int i) {
    const int t = kThreads == 1 ? 0 : static_cast<int>(threadIdx.x) - kFirst;
    return (i / kV * kThreads + t) * kV + i % kV;
  }
  TILE_DEVICE static bool holds(int i) {
    return kTotal % kChunk == 0 || at(i) < kTotal;
  }
  TILE_DEVICE static bool owner(int i) { return holds(i); }
  TILE_DEVICE static int row(int i) { return at(i) / kCols; }
  TILE_DEVICE static int col(int i) { return at(i) % kCols; }
};

// Words of register tiles as bits.
TILE_DEVICE uint32_t word_bits(float x) { return __float_as_uint(x); }
TILE_DEVICE uint32_t word_bits(uint32_t x) { return x; }
TILE_DEVICE uint32_t word_bits(int32_t x) { return static_cast<uint32_t>(x); }
TILE_DEVICE void set_word(float& x, uint32_t v) { x = __uint_as_float(v); }
TILE_DEVICE void set_word(uint32_t& x, uint32_t v) { x = v; }
TILE_DEVICE void set_word(int32_t& x, uint32_t v) {
  x = static_cast<int32_t>(v);
}

// kBytes of registers, from element i on.
template <int kBytes>
struct Piece {
  uint32_t w[kBytes < 4 ? 1 : kBytes / 4];
};
template <int kBits, int kBytes, class Word>
TILE_DEVICE Piece<kBytes> piece_at(const Word* regs, int i) {
  Piece<kBytes> p;
  if constexpr (kBytes < 4) {
    p.w[0] = word_bits(regs[i * kBits / 32]) >> (i * kBits % 32);
  } else {
#pragma unroll
    for (int j = 0; j < kBytes / 4; ++j)
      p.w[j] = word_bits(regs[i * kBits / 32 + j]);
  }
  return p;
}
template <int kBits, int kBytes, class Word>
TILE_DEVICE void set_piece(Word* regs, int i, const Piece<kBytes>& p) {
  if constexpr (kBytes < 4) {
    const int shift = i * kBits % 32;
    const uint32_t mask = ((1u << (kBytes * 8 % 32)) - 1) << shift;
    Word& word = regs[i * kBits / 32];
    const uint32_t old = shift == 0 ? 0 : word_bits(word);
    set_word(word, (old & ~mask) | ((p.w[0] << shift) & mask));
  } else {
#pragma unroll
    for (int j = 0; j < kBytes / 4; ++j)
      set_word(regs[i * kBits / 32 + j], p.w[j]);
  }
}

// Vectors of 1 to 16 bytes to and from memory.
template <int kBytes>
TILE_DEVICE void global_store(void* p, const Piece<kBytes>& v) {
  if constexpr (kBytes == 16) {
    *static_cast<uint4*>(p) = make_uint4(v.w[0], v.w[1], v.w[2], v.w[3]);
  } else if constexpr (kBytes == 8) {
    *static_cast<uint2*>(p) = make_uint2(v.w[0], v.w[1]);
  } else if constexpr (kBytes == 4) {
    *static_cast<uint32_t*>(p) = v.w[0];
  } else if constexpr (kBytes == 2) {
    *static_cast<uint16_t*>(p) = static_cast<uint16_t>(v.w[0]);
  } else {
    *static_cast<uint8_t*>(p) = static_cast<uint8_t>(v.w[0]);
  }
}

// Shared memory, likewise.
template <int kBytes>
TILE_DEVICE Piece<kBytes> shared_load(uint32_t a) {
  Piece<kBytes> v;
  if constexpr (kBytes == 16) {
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
                 : "r"(a) : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                 : "=r"(v.w[0]), "=r"(v.w[1]) : "r"(a) : "memory");
  } else if constexpr (kBytes == 4) {
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v.w[0]) : "r"(a) : "memory");
  } else if constexpr (kBytes == 2) {
    uint16_t h;
    asm volatile("ld.shared.b16 %0, [%1];" : "=h"(h) : "r"(a) : "memory");
    v.w[0] = h;
  } else {
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v.w[0]) : "r"(a) : "memory");
  }
  return v;
}

// A register tile to global memory: element (r, c) to p[r * pitch + c]. With
// `rows` and `cols`, only elements inside them.
template <class Fragment, int kBits, int kVector, class Word, class T>
TILE_DEVICE void st_global(T* p, int64_t pitch, const Word* regs) {
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    if (!Fragment::owner(i)) continue;
    const int64_t at = Fragment::row(i) * pitch + Fragment::col(i);
    global_store(p + at * kBits / 8 / static_cast<int>(sizeof(T)),
                 piece_at<kBits, kVector * kBits / 8>(regs, i));
  }
}
template <class Fragment, int kBits, int kVector, class Word, class T>
TILE_DEVICE void st_global(T* p, int64_t pitch, const Word* regs, int64_t rows,
                           int64_t cols) {
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    const int r = Fragment::row(i), c = Fragment::col(i);
    if (!Fragment::owner(i) || r >= rows || c >= cols) continue;
    const int64_t at = r * pitch + c;
    global_store(p + at * kBits / 8 / static_cast<int>(sizeof(T)),
                 piece_at<kBits, kVector * kBits / 8>(regs, i));
  }
}

template <class Fragment, int kBits, int kVector, int kTileRows, int kTileCols,
          int kSwizzle, class Word>
TILE_DEVICE void ld_shared(Word* regs, uint32_t base, int row0, int col0) {
  constexpr int kBytes = kVector * kBits / 8;
#pragma unroll
  for (int i = 0; i < Fragment::kCount; i += kVector) {
    if (!Fragment::holds(i)) continue;
    set_piece<kBits>(
        regs, i,
        shared_load<kBytes>(
            base + tile_offset<kTileRows, kTileCols, kBits, kSwizzle>(
                       row0 + Fragment::row(i), col0 + Fragment::col(i))));
  }
}

// Number i of a word, as f32.
TILE_DEVICE float from_f16(uint32_t w, int i) {
  float x;
  asm("cvt.f32.f16 %0, %1;"
      : "=f"(x) : "h"(static_cast<uint16_t>(w >> (16 * i))));
  return x;
}

// One box of `map` into shared memory at `dst`; complete_tx on `bar`.
TILE_DEVICE void tma_load_2d(
    uint32_t dst, const CUtensorMap* map, uint32_t bar,
    int c0, int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4}], [%2];"
      :: "r"(dst), "l"(map), "r"(bar),
         "r"(c0), "r"(c1)
      : "memory");
}

}  // namespace tile

namespace scale_code {
constexpr int BM = 64;
constexpr int N = 64;

// Bytes from the start of the CTA's shared memory.
constexpr uint32_t full = 0;  // mbarrier
constexpr uint32_t a = 1024;  // f16[BM, N], swizzle 128B
constexpr uint32_t a_bytes = 8192;

__device__ __forceinline__ void setup(uint32_t smem) {
  tile::mbarrier_init(smem + full, 1);
  tile::fence_mbarrier_init();
}

__device__ __forceinline__ void producer(uint32_t smem,
    const CUtensorMap& A_map) {
  tile::mbarrier_arrive_expect_tx(smem + full, a_bytes);
  tile::tma_load_2d(smem + a, &A_map, smem + full, 0, int(blockIdx.x) * BM);
}

__device__ __forceinline__ void consumer(uint32_t smem, float* D, int M) {
  uint32_t x[16];  // f16[BM, N] fragment blocked
  float y[32];  // f32[BM, N] fragment blocked
  tile::mbarrier_wait(smem + full, 0);
  tile::ld_shared<tile::Blocked<64, 64, 8, 128, 0>, 16, 8, 64, 64, 128>(x,
      smem + a, 0, 0);
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    y[i] = tile::from_f16(x[i / 2], i % 2);
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    y[i] = __fmul_rn(y[i], 2.0f);
  }
  tile::st_global<tile::Blocked<64, 64, 8, 128, 0>, 32,
      4>(D + int64_t(int(blockIdx.x) * BM) * N, N, y);
}

extern "C" __global__ void __launch_bounds__(160, 1)
scale(const __grid_constant__ CUtensorMap A_map, float* D, int M) {
  extern __shared__ __align__(1024) uint8_t shared_memory[];
  const uint32_t smem = tile::shared_address(shared_memory);
  const int warp = tile::warp_index();
  if (warp == 4 && tile::elect_one()) {
    setup(smem);
  }
  __syncwarp();
  tile::bar_sync_all(0);
  if (warp == 4 && tile::elect_one()) {
    producer(smem, A_map);
  }
  if (warp / 4 == 0) {
    consumer(smem, D, M);
  }
}
}  // namespace scale_code

#ifndef __CUDACC_RTC__
// --- Host: tensor maps and launch ---------------------------------------------
#include <cuda_runtime.h>

#include <algorithm>
#include <initializer_list>

// Returns from the function that it stands in where a call fails.
#define HOST_TRY(call)                                                        \
  if (const cudaError_t e_ = (call); e_ != cudaSuccess) return e_

namespace host {

// cuTensorMapEncodeTiled, without linking the driver. Extents and box are in
// elements, innermost first; pitches in bytes, of the dimensions but the first.
inline cudaError_t tensor_map(CUtensorMap* map, void* base,
                              CUtensorMapDataType type,
                              CUtensorMapSwizzle swizzle,
                              std::initializer_list<int64_t> extents,
                              std::initializer_list<int64_t> pitches,
                              std::initializer_list<int64_t> box) {
  void* f = nullptr;
  cudaDriverEntryPointQueryResult found;
  HOST_TRY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000,
                                            cudaEnableDefault, &found));
  cuuint64_t dims[5] = {}, strides[5] = {};
  cuuint32_t boxes[5] = {}, steps[5] = {1, 1, 1, 1, 1};
  std::copy(extents.begin(), extents.end(), dims);
  std::copy(pitches.begin(), pitches.end(), strides);
  std::copy(box.begin(), box.end(), boxes);
  const CUresult r = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(f)(
      map, type, static_cast<cuuint32_t>(extents.size()), base, dims, strides,
      boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return r == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

// `programmatic`: may start before the kernel before it in the stream has ended
// (griddepcontrol).
template <class... Params, class... Args>
cudaError_t launch(void (*kernel)(Params...), dim3 grid, dim3 cluster,
                   dim3 block, int shared_bytes, bool programmatic,
                   cudaStream_t stream, const Args&... args) {
  HOST_TRY(cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  const unsigned ctas = cluster.x * cluster.y * cluster.z;
  if (ctas > 8) {
    HOST_TRY(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  if (ctas > 1) {
    cudaLaunchAttribute& a = attributes[config.numAttrs++];
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = cluster.x;
    a.val.clusterDim.y = cluster.y;
    a.val.clusterDim.z = cluster.z;
  }
  if (programmatic) {
    cudaLaunchAttribute& a = attributes[config.numAttrs++];
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
  }
  return cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...);
}

}  // namespace host

namespace scale_code {
struct Maps {
  CUtensorMap A_map;
};

// Once for a set of sizes and of device pointers.
inline cudaError_t encode(Maps* maps, tile::f16* A, int M) {
  HOST_TRY(host::tensor_map(&maps->A_map, A, CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
      CU_TENSOR_MAP_SWIZZLE_128B, {N, M}, {int64_t{2} * N}, {64, 64}));
  return cudaSuccess;
}

inline cudaError_t launch(const Maps& maps, float* D, int M,
    cudaStream_t stream = nullptr) {
  return host::launch(scale, dim3(M / BM), dim3(), dim3(160), 9216, false,
      stream, maps.A_map, D, M);
}
}  // namespace scale_code

#endif
