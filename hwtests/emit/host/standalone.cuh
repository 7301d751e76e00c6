// --- Inputs, reference, check, timing ----------------------------------------
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace host {

#define HOST_CHECK(call)                                                      \
  do {                                                                        \
    cudaError_t e_ = (call);                                                  \
    if (e_ != cudaSuccess) {                                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(e_));                 \
      std::exit(1);                                                           \
    }                                                                         \
  } while (false)

inline void* allocate(size_t bytes, int fill) {
  void* p = nullptr;
  HOST_CHECK(cudaMalloc(&p, bytes));
  HOST_CHECK(cudaMemset(p, fill, bytes));
  return p;
}

// Seeded inputs: SplitMix64's finaliser of seed, tensor and element.
__host__ __device__ inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
__host__ __device__ inline uint64_t word(uint64_t key, uint64_t j) {
  return mix(key + (j + 1) * 0x9e3779b97f4a7c15ull);
}
inline uint64_t key_of(uint64_t seed, uint64_t tensor) {
  return mix(seed + mix(tensor + 0x9e3779b97f4a7c15ull));
}
// Nearly normal: twelve uniform numbers of 16 bits added.
__device__ inline float normal(uint64_t key, uint64_t i) {
  int s = -393210;
  for (int w = 0; w < 3; ++w) {
    const uint64_t x = word(key, 3 * i + w);
    for (int q = 0; q < 4; ++q) s += static_cast<int>(x >> (16 * q) & 0xffff);
  }
  return static_cast<float>(s) * (1.0f / 65536);
}

// How a type's elements are written and read.
struct F32 {
  using T = float;
  static __device__ T put(float x) { return x; }
  static __device__ double get(T x) { return x; }
};
struct F16 {
  using T = uint16_t;
  static __device__ T put(float x) { return tile::pack_f16(x, 0); }
  static __device__ double get(T x) { return tile::from_f16(x, 0); }
};
struct BF16 {
  using T = uint16_t;
  static __device__ T put(float x) { return tile::pack_bf16(x, 0); }
  static __device__ double get(T x) { return tile::from_bf16(x, 0); }
};
struct E4M3 {
  using T = uint8_t;
  static __device__ T put(float x) { return tile::pack_e4m3(x, 0, 0, 0); }
  static __device__ double get(T x) { return tile::from_e4m3(x, 0); }
};
struct E5M2 {
  using T = uint8_t;
  static __device__ T put(float x) { return tile::pack_e5m2(x, 0, 0, 0); }
  static __device__ double get(T x) { return tile::from_e5m2(x, 0); }
};
template <class Int>
struct Integer {
  using T = Int;
  static __device__ double get(T x) { return static_cast<double>(x); }
};

// Where elements lie, counted from the last dimension on: one after another, or
// as strides say, 0 among them: elements at one place have one value.
struct Dense {
  __device__ int64_t operator()(int64_t i) const { return i; }
};
struct Strided {
  int rank;
  int64_t extents[5], strides[5];
  __device__ int64_t operator()(int64_t i) const {
    int64_t at = 0;
    for (int d = rank - 1; d >= 0; --d) {
      at += i % extents[d] * strides[d];
      i /= extents[d];
    }
    return at;
  }
};
template <class E, class At = Dense>
__global__ void fill_normal(typename E::T* p, int64_t n, uint64_t key,
                            At at = {}) {
  for (int64_t i = blockIdx.x * 256ll + threadIdx.x; i < n;
       i += gridDim.x * 256ll)
    p[at(i)] = E::put(normal(key, at(i)));
}
template <class E, class At = Dense>
__global__ void fill_uniform(typename E::T* p, int64_t n, uint64_t key,
                             int64_t lo, int64_t hi, At at = {}) {
  for (int64_t i = blockIdx.x * 256ll + threadIdx.x; i < n;
       i += gridDim.x * 256ll)
    p[at(i)] = lo + ((word(key, at(i)) >> 32) * (hi - lo + 1) >> 32);
}

// The reference, in f64, plainly.
struct Tensor {
  double* p;
  int64_t batch, rows, cols;
  __host__ __device__ int64_t size() const { return batch * rows * cols; }
};
inline Tensor make(int64_t batch, int64_t rows, int64_t cols) {
  return {static_cast<double*>(allocate(batch * rows * cols * 8, 0)), batch,
          rows, cols};
}
template <class E, class At>
__global__ void widen(double* out, const typename E::T* in, int64_t n, At at) {
  for (int64_t i = blockIdx.x * 256ll + threadIdx.x; i < n;
       i += gridDim.x * 256ll)
    out[i] = E::get(in[at(i)]);
}
template <class E, class At = Dense>
Tensor load(const void* p, int64_t batch, int64_t rows, int64_t cols,
            At at = {}) {
  Tensor t = make(batch, rows, cols);
  widen<E><<<1024, 256>>>(t.p, static_cast<const typename E::T*>(p), t.size(),
                          at);
  return t;
}

enum Op {
  kAdd, kSub, kMul, kDiv, kScale, kRelu, kExp2, kRsqrt, kSigmoid, kSilu, kGelu,
  kCausal, kTranspose, kBlockScale, kRowSum, kRowMean, kRowMax
};
// One batch, row or column stands for all.
__device__ double element(Tensor t, int64_t n, int64_t r, int64_t c) {
  n = t.batch == 1 ? 0 : n, r = t.rows == 1 ? 0 : r, c = t.cols == 1 ? 0 : c;
  return t.p[(n * t.rows + r) * t.cols + c];
}
__device__ double combine(Op op, double x, double y) {
  if (op == kAdd) return x + y;
  if (op == kSub) return x - y;
  return op == kMul ? x * y : x / y;
}
__device__ double function(Op op, double x) {
  if (op == kRelu) return x > 0 ? x : 0;
  if (op == kExp2) return exp2(x);
  if (op == kRsqrt) return 1 / sqrt(x);
  if (op == kSigmoid) return 1 / (1 + exp(-x));
  if (op == kSilu) return x / (1 + exp(-x));
  return op == kGelu ? x / 2 * erfc(-x / sqrt(2.0)) : x;
}
__global__ void combine_all(Op op, Tensor out, Tensor a, Tensor b) {
  for (int64_t i = blockIdx.x * 256ll + threadIdx.x; i < out.size();
       i += gridDim.x * 256ll) {
    const int64_t c = i % out.cols, r = i / out.cols % out.rows;
    const int64_t n = i / out.cols / out.rows;
    out.p[i] = combine(op, element(a, n, r, c), element(b, n, r, c));
  }
}
__global__ void reduce_rows(Op op, Tensor out, Tensor a) {
  for (int64_t r = blockIdx.x * 256ll + threadIdx.x; r < out.size();
       r += gridDim.x * 256ll) {
    const double* x = a.p + r * a.cols;
    double y = x[0];
    for (int64_t c = 1; c < a.cols; ++c)
      y = op == kRowMax ? fmax(y, x[c]) : y + x[c];
    out.p[r] = op == kRowMean ? y / a.cols : y;
  }
}
__global__ void apply(Op op, Tensor out, Tensor a, Tensor b,
                             double number) {
  for (int64_t i = blockIdx.x * 256ll + threadIdx.x; i < out.size();
       i += gridDim.x * 256ll) {
    const int64_t c = i % out.cols, r = i / out.cols % out.rows;
    const int64_t n = i / out.cols / out.rows;
    double x = op == kTranspose ? a.p[(n * a.rows + c) * a.cols + r] : a.p[i];
    x = function(op, x);
    if (op == kScale) x *= number;
    if (op == kCausal && c > r) x = -INFINITY;
    if (op == kBlockScale)
      x *= b.p[(n * b.rows + r / (a.rows / b.rows)) * b.cols +
               c / (a.cols / b.cols)];
    out.p[i] = x;
  }
}
__global__ void multiply(Tensor out, Tensor a, Tensor b) {
  for (int64_t i = blockIdx.x * 256ll + threadIdx.x; i < out.size();
       i += gridDim.x * 256ll) {
    const int64_t c = i % out.cols, r = i / out.cols % out.rows;
    const int64_t n = i / out.cols / out.rows;
    double sum = 0;
    for (int64_t k = 0; k < a.cols; ++k)
      sum += a.p[(n * a.rows + r) * a.cols + k] *
             b.p[(n * b.rows + k) * b.cols + c];
    out.p[i] = sum;
  }
}
__global__ void softmax_rows(Tensor out, Tensor a) {
  for (int64_t r = blockIdx.x * 256ll + threadIdx.x; r < a.batch * a.rows;
       r += gridDim.x * 256ll) {
    const double* x = a.p + r * a.cols;
    double top = -INFINITY, sum = 0;
    for (int64_t c = 0; c < a.cols; ++c) top = fmax(top, x[c]);
    for (int64_t c = 0; c < a.cols; ++c) sum += exp(x[c] - top);
    for (int64_t c = 0; c < a.cols; ++c)
      out.p[r * a.cols + c] = exp(x[c] - top) / sum;
  }
}
inline Tensor apply(Op op, Tensor a, Tensor b = {}, double number = 0) {
  const bool turn = op == kTranspose;
  Tensor out = make(a.batch, turn ? a.cols : a.rows, turn ? a.rows : a.cols);
  apply<<<1024, 256>>>(op, out, a, b, number);
  return out;
}
inline Tensor number(double value) {
  Tensor t = make(1, 1, 1);
  HOST_CHECK(cudaMemcpy(t.p, &value, 8, cudaMemcpyDefault));
  return t;
}
inline Tensor combine(Op op, Tensor a, Tensor b) {
  Tensor out = make(std::max(a.batch, b.batch), std::max(a.rows, b.rows),
                    std::max(a.cols, b.cols));
  combine_all<<<1024, 256>>>(op, out, a, b);
  return out;
}
inline Tensor reduce(Op op, Tensor a) {
  Tensor out = make(a.batch, a.rows, 1);
  reduce_rows<<<1024, 256>>>(op, out, a);
  return out;
}
inline Tensor multiply(Tensor a, Tensor b) {
  Tensor out = make(a.batch, a.rows, b.cols);
  multiply<<<4096, 256>>>(out, a, b);
  return out;
}
inline Tensor softmax(Tensor a) {
  Tensor out = make(a.batch, a.rows, a.cols);
  softmax_rows<<<1024, 256>>>(out, a);
  return out;
}

// True if every element is within `tolerance` of the reference, relative to
// its size or to the mean size of all.
inline bool agree(const char* name, Tensor got, Tensor want, double tolerance) {
  std::vector<double> a(got.size()), b(want.size());
  HOST_CHECK(cudaMemcpy(a.data(), got.p, a.size() * 8, cudaMemcpyDefault));
  HOST_CHECK(cudaMemcpy(b.data(), want.p, b.size() * 8, cudaMemcpyDefault));
  double squares = 0, worst = 0;
  for (double x : b) squares += x * x;
  const double mean = std::sqrt(squares / b.size());
  for (size_t i = 0; i < b.size(); ++i) {
    const double error = std::fabs(a[i] - b[i]) / (std::fabs(b[i]) + mean);
    if (!(error <= worst)) worst = error;
  }
  const bool ok = worst <= tolerance;
  std::printf("%s: largest error %.3g (limit %.3g): %s\n", name, worst,
              tolerance, ok ? "PASS" : "FAIL");
  return ok;
}

// The median of launches in microseconds, each timed on its own.
template <class Reset, class Launch>
double time(Reset reset, Launch launch) {
  constexpr int kWarmups = 3, kRuns = 20;
  cudaEvent_t start, stop;
  HOST_CHECK(cudaEventCreate(&start));
  HOST_CHECK(cudaEventCreate(&stop));
  std::vector<float> ms(kRuns);
  for (int i = -kWarmups; i < kRuns; ++i) {
    reset();
    HOST_CHECK(cudaEventRecord(start));
    launch();
    HOST_CHECK(cudaEventRecord(stop));
    HOST_CHECK(cudaDeviceSynchronize());
    if (i >= 0) HOST_CHECK(cudaEventElapsedTime(&ms[i], start, stop));
  }
  std::sort(ms.begin(), ms.end());
  return 1000.0 * ms[kRuns / 2];
}

}  // namespace host
