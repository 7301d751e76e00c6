// Approximations on all 2^32 inputs, against double precision rounded once.
//
// For each function: how often the result is so many units in the last place
// from the rounded one, and by exponent of the input the greatest error, in ulps
// and absolutely. Built with nvcc -cubin, run by sweep.py.
#include <cstdint>

struct Counts {
  unsigned long long by_ulps[33];  // -16 and less ... 16 and more
  unsigned long long unlike;       // NaN, infinity, sign: not the same kind
  unsigned int first_unlike;       // an input of those
  unsigned int most_ulps[256];     // by exponent of the input
  unsigned long long most[256];    // absolute error, bits of a double
};

template <int kFunction>
__device__ float Approximate(float x) {
  float y;
  if constexpr (kFunction == 0) asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 1) asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 2) asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 3) asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 4) asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 5) asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 6) asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 7) asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 8) asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 9) asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 10) asm("sin.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 11) asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 12) asm("cos.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 13) asm("cos.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  if constexpr (kFunction == 14) asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <int kFunction>
__device__ double Exact(double x) {
  if constexpr (kFunction / 2 == 0) return 1.0 / x;
  if constexpr (kFunction / 2 == 1) return sqrt(x);
  if constexpr (kFunction / 2 == 2) return 1.0 / sqrt(x);
  if constexpr (kFunction / 2 == 3) return exp2(x);
  if constexpr (kFunction / 2 == 4) return log2(x);
  if constexpr (kFunction / 2 == 5) return sin(x);
  if constexpr (kFunction / 2 == 6) return cos(x);
  return tanh(x);
}

// A block counts in its shared memory; most inputs differ by 0 or 1.
struct BlockCounts {
  unsigned int* words;
  __device__ explicit BlockCounts(unsigned int* shared) : words(shared) {
    if (threadIdx.x < 33) words[threadIdx.x] = 0;
    __syncthreads();
  }
  __device__ void Add(int ulps) {
    atomicAdd(&words[max(-16, min(16, ulps)) + 16], 1u);
  }
  __device__ void Flush(Counts* counts) {
    __syncthreads();
    if (threadIdx.x < 33)
      atomicAdd(&counts->by_ulps[threadIdx.x],
                static_cast<unsigned long long>(words[threadIdx.x]));
  }
};

__device__ float Flush(float x) {
  return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}

template <int kFunction>
__device__ void Sweep(Counts* counts, uint64_t first, uint64_t last) {
  constexpr bool kFtz = kFunction % 2 == 1;
  __shared__ unsigned int shared[33];
  BlockCounts block(shared);
  for (uint64_t i = first + blockIdx.x * blockDim.x + threadIdx.x; i < last;
       i += gridDim.x * blockDim.x) {
    const float x = __uint_as_float(static_cast<uint32_t>(i));
    const float used = kFtz ? Flush(x) : x;
    const float y = Approximate<kFunction>(x);
    const double exact = Exact<kFunction>(used);
    float rounded = __double2float_rn(exact);
    if (kFtz) rounded = Flush(rounded);
    const uint32_t a = __float_as_uint(y), b = __float_as_uint(rounded);
    if (isnan(y) || isnan(rounded) || isinf(y) != isinf(rounded) ||
        (a ^ b) >> 31 != 0) {
      if (!(isnan(y) && isnan(rounded))) {
        atomicAdd(&counts->unlike, 1ull);
        counts->first_unlike = static_cast<uint32_t>(i);
      }
      continue;
    }
    const int ulps = static_cast<int>(a) - static_cast<int>(b);
    block.Add(ulps);
    const uint32_t exponent = (i >> 23) & 255;
    if (ulps != 0 && abs(ulps) > counts->most_ulps[exponent])
      atomicMax(&counts->most_ulps[exponent], static_cast<uint32_t>(abs(ulps)));
    if (isinf(y)) continue;
    const auto error = static_cast<unsigned long long>(
        __double_as_longlong(fabs(static_cast<double>(y) - exact)));
    if (error > counts->most[exponent])
      atomicMax(&counts->most[exponent], error);
  }
  block.Flush(counts);
}

// Quotients of random bits: 0 div.full, 1 .ftz, 2 div.approx, 3 .ftz.
template <int kFunction>
__device__ void SweepQuotients(Counts* counts, uint64_t first, uint64_t last) {
  constexpr bool kFtz = kFunction % 2 == 1;
  __shared__ unsigned int shared[33];
  BlockCounts block(shared);
  for (uint64_t i = first + blockIdx.x * blockDim.x + threadIdx.x; i < last;
       i += gridDim.x * blockDim.x) {
    uint64_t bits = i + 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    const float p = __uint_as_float(static_cast<uint32_t>(bits));
    const float q = __uint_as_float(static_cast<uint32_t>(bits >> 32));
    float y;
    if constexpr (kFunction == 0) asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(p), "f"(q));
    if constexpr (kFunction == 1) asm("div.full.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(p), "f"(q));
    if constexpr (kFunction == 2) asm("div.approx.f32 %0, %1, %2;" : "=f"(y) : "f"(p), "f"(q));
    if constexpr (kFunction == 3) asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(p), "f"(q));
    const float a_used = kFtz ? Flush(p) : p, b_used = kFtz ? Flush(q) : q;
    float rounded = __double2float_rn(static_cast<double>(a_used) / b_used);
    if (kFtz) rounded = Flush(rounded);
    const uint32_t a = __float_as_uint(y), b = __float_as_uint(rounded);
    const uint32_t exponent = (bits >> (32 + 23)) & 255;  // of the divisor
    if (isnan(y) || isnan(rounded) || isinf(y) != isinf(rounded) ||
        (a ^ b) >> 31 != 0) {
      if (!(isnan(y) && isnan(rounded))) {
        atomicAdd(&counts->unlike, 1ull);
        counts->first_unlike = static_cast<uint32_t>(bits);
        atomicAdd(&counts->most[exponent], 1ull);
      }
      continue;
    }
    const int ulps = static_cast<int>(a) - static_cast<int>(b);
    block.Add(ulps);
    if (abs(ulps) > counts->most_ulps[exponent])
      atomicMax(&counts->most_ulps[exponent], static_cast<uint32_t>(abs(ulps)));
  }
  block.Flush(counts);
}

#define SWEEP(n)                                                             \
  extern "C" __global__ void sweep##n(Counts* c, uint64_t f, uint64_t l) {   \
    Sweep<n>(c, f, l);                                                       \
  }
SWEEP(0) SWEEP(1) SWEEP(2) SWEEP(3) SWEEP(4) SWEEP(5) SWEEP(6) SWEEP(7)
SWEEP(8) SWEEP(9) SWEEP(10) SWEEP(11) SWEEP(12) SWEEP(13) SWEEP(14)
#define QUOTIENTS(n)                                                           \
  extern "C" __global__ void quotients##n(Counts* c, uint64_t f, uint64_t l) { \
    SweepQuotients<n>(c, f, l);                                                \
  }
QUOTIENTS(0) QUOTIENTS(1) QUOTIENTS(2) QUOTIENTS(3)
