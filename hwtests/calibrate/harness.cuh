// The host side that the microbenchmarks share: buffers, tensor maps, launches,
// statistics, and a line of JSON a reading.
#ifndef TILESIM_HWTESTS_CALIBRATE_HARNESS_CUH_
#define TILESIM_HWTESTS_CALIBRATE_HARNESS_CUH_

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hwtests/calibrate/device.cuh"
#include "hwtests/emit/host/launch.cuh"

namespace calibrate {

#define CALIBRATE_CHECK(call)                                            \
  do {                                                                   \
    if (const cudaError_t e_ = (call); e_ != cudaSuccess) {              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(e_));                              \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

// A number or a word, as JSON.
struct Value {
  std::string json;
  Value(const char* text) : json("\"" + std::string(text) + "\"") {}
  template <class Number,
            class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Value(Number number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", static_cast<double>(number));
    json = text;
  }
};
using Parameters = std::vector<std::pair<std::string, Value>>;
using Samples = std::vector<double>;

// The smallest sample that `fraction` of them do not exceed.
inline double Percentile(Samples& samples, double fraction) {
  const size_t at = std::min(samples.size() - 1,
                             static_cast<size_t>(fraction * samples.size()));
  std::nth_element(samples.begin(), samples.begin() + at, samples.end());
  return samples[at];
}

inline Value Median(Samples samples) { return Percentile(samples, 0.5); }

// Readings, a line of JSON each, at once: what was read before a fault stays.
class Report {
 public:
  Report(int argc, char** argv) {
    if (argc != 2) {
      std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
      std::exit(2);
    }
    file_ = std::fopen(argv[1], "w");
    if (file_ == nullptr) {
      std::perror(argv[1]);
      std::exit(1);
    }
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() { std::fclose(file_); }

  void Add(const char* name, const Parameters& parameters, const char* unit,
           Samples samples) {
    if (samples.empty()) {
      std::fprintf(stderr, "%s: no samples\n", name);
      std::exit(1);
    }
    std::fprintf(file_, "{\"name\": \"%s\", \"parameters\": {", name);
    for (size_t i = 0; i < parameters.size(); ++i) {
      std::fprintf(file_, "%s\"%s\": %s", i == 0 ? "" : ", ",
                   parameters[i].first.c_str(),
                   parameters[i].second.json.c_str());
    }
    std::fprintf(file_,
                 "}, \"unit\": \"%s\", \"median\": %s, \"p10\": %s, "
                 "\"p90\": %s, \"repeats\": %zu}\n",
                 unit, Value(Percentile(samples, 0.5)).json.c_str(),
                 Value(Percentile(samples, 0.1)).json.c_str(),
                 Value(Percentile(samples, 0.9)).json.c_str(), samples.size());
    std::fflush(file_);
  }

 private:
  std::FILE* file_ = nullptr;
};

// Memory of the GPU, zero at first.
template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) {
    CALIBRATE_CHECK(cudaMalloc(&data_, count * sizeof(T)));
    Clear();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

  void Clear() { CALIBRATE_CHECK(cudaMemset(data_, 0, count_ * sizeof(T))); }
  T* get() const { return data_; }
  size_t size() const { return count_; }
  std::vector<T> Read(size_t count) const {
    std::vector<T> host(count);
    CALIBRATE_CHECK(cudaMemcpy(host.data(), data_, count * sizeof(T),
                               cudaMemcpyDeviceToHost));
    return host;
  }
  std::vector<T> Read() const { return Read(count_); }
  void Write(const std::vector<T>& host) {
    CALIBRATE_CHECK(cudaMemcpy(data_, host.data(), host.size() * sizeof(T),
                               cudaMemcpyHostToDevice));
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// What operands hold. Power depends on it: never constant unless asked.
enum class Data { kNormalF16, kNormalE4m3, kBits, kZero };

TILE_DEVICE uint32_t hash(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Nearly normal: eight uniform numbers of 8 bits added.
TILE_DEVICE float nearly_normal(uint32_t i) {
  const uint32_t a = hash(2 * i), b = hash(2 * i + 1);
  const int sum =
      static_cast<int>(__dp4a(a, 0x01010101u, 0u) + __dp4a(b, 0x01010101u, 0u));
  return static_cast<float>(sum - 1020) * (1.0f / 209);
}

__global__ void fill(uint32_t* words, size_t count, Data data) {
  for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < count;
       i += gridDim.x * 256ull) {
    const uint32_t at = static_cast<uint32_t>(i) * 4;
    uint32_t word = 0;
    if (data == Data::kNormalF16) {
      word = tile::pack_f16(nearly_normal(at), nearly_normal(at + 1));
    } else if (data == Data::kNormalE4m3) {
      word = tile::pack_e4m3(nearly_normal(at), nearly_normal(at + 1),
                             nearly_normal(at + 2), nearly_normal(at + 3));
    } else if (data == Data::kBits) {
      word = hash(at);
    }
    words[i] = word;
  }
}

inline void Fill(const Buffer<uint8_t>& buffer, Data data) {
  fill<<<2048, 256>>>(reinterpret_cast<uint32_t*>(buffer.get()),
                      buffer.size() / 4, data);
  CALIBRATE_CHECK(cudaDeviceSynchronize());
}

// Reads a buffer far larger than L2: nothing older stays there.
__global__ void read_all(const uint4* data, size_t count, uint32_t* sink) {
  uint32_t sum = 0;
  for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < count;
       i += gridDim.x * 256ull) {
    const uint4 v = __ldcg(&data[i]);
    sum ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x12345678) *sink = sum;
}

class Flush {
 public:
  void operator()() const {
    read_all<<<1024, 256>>>(reinterpret_cast<const uint4*>(data_.get()),
                            data_.size() / 16, sink_.get());
    CALIBRATE_CHECK(cudaDeviceSynchronize());
  }

 private:
  Buffer<uint8_t> data_{256 << 20};
  Buffer<uint32_t> sink_{1};
};

// Rows of `row_bytes` each, in boxes of 128 bytes x `box_rows`, as f16.
inline CUtensorMap MapOf(const void* data, int64_t rows, int64_t row_bytes,
                         int box_rows, int64_t pitch = 0, bool f32 = false) {
  CUtensorMap map;
  const int element = f32 ? 4 : 2;
  CALIBRATE_CHECK(host::tensor_map(
      &map, const_cast<void*>(data),
      f32 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
      CU_TENSOR_MAP_SWIZZLE_128B, {row_bytes / element, rows},
      {pitch == 0 ? row_bytes : pitch}, {kRowBytes / element, box_rows}));
  return map;
}

// A launch, not waited for.
template <class... P, class... A>
void Start(void (*kernel)(P...), int ctas, int cluster, int threads,
           int shared_bytes, const A&... args) {
  CALIBRATE_CHECK(host::launch(kernel, dim3(ctas), dim3(cluster), dim3(threads),
                               shared_bytes, false, nullptr, args...));
}

template <class... P, class... A>
void Run(void (*kernel)(P...), int ctas, int cluster, int threads,
         int shared_bytes, const A&... args) {
  Start(kernel, ctas, cluster, threads, shared_bytes, args...);
  CALIBRATE_CHECK(cudaDeviceSynchronize());
}

// The clocks of an SM at the two ends of a stretch.
struct Clocks {
  uint64_t cycles, ns;
};

__global__ void busy(uint64_t ns, Clocks* out) {
  const Clocks start = {cycles(), nanoseconds()};
  float x = threadIdx.x;
  while (nanoseconds() - start.ns < ns) {
    for (int i = 0; i < 64; ++i) x = x * 1.0001f + 0.5f;
  }
  if (x == 0.125f || threadIdx.x + blockIdx.x == 0) {
    out[0] = start;
    out[1] = {cycles(), nanoseconds()};
  }
}

// Brings the clock up, and says what it is: readings in cycles of an SM that
// runs at another clock are other readings.
inline void ReportClock(Report& report, const char* when) {
  constexpr uint64_t kNs = 100'000'000;
  Buffer<Clocks> clocks(2);
  Run(busy, kSms, 1, 256, 0, kNs, clocks.get());
  Run(busy, kSms, 1, 256, 0, kNs / 10, clocks.get());
  const std::vector<Clocks> c = clocks.Read();
  report.Add("machine.sm_clock", {{"when", when}}, "MHz",
             {1e3 * (c[1].cycles - c[0].cycles) / (c[1].ns - c[0].ns)});
}

}  // namespace calibrate

#endif  // TILESIM_HWTESTS_CALIBRATE_HARNESS_CUH_
