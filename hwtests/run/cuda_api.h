// The little of the CUDA driver API and of NVRTC that the runtime uses, so
// that it builds without the toolkit; both libraries are opened at run time.
// cuda_api_test.cc compares this with <cuda.h> where that is installed.
#ifndef TILESIM_HWTESTS_RUN_CUDA_API_H_
#define TILESIM_HWTESTS_RUN_CUDA_API_H_

#include <cstddef>
#include <cstdint>

namespace tilesim::hwtests::cuda {

using Result = int;  // CUresult; 0: success
using Device = int;
using DevicePtr = uint64_t;  // CUdeviceptr
using Context = void*;
using Module = void*;
using Function = void*;
using Stream = void*;
using Event = void*;

inline constexpr Result kErrorNoDevice = 100;
inline constexpr Result kErrorLaunchTimeout = 702;

// CUdevice_attribute
inline constexpr int kClockRate = 13;  // kHz
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kL2CacheSize = 38;
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;
// CUfunction_attribute
inline constexpr int kMaxDynamicSharedSize = 8;
inline constexpr int kNonPortableClusterSize = 14;
// cuMemHostAlloc
inline constexpr unsigned kHostAllocDeviceMap = 2;

struct alignas(128) TensorMap {  // 64 before CUDA 13
  uint64_t opaque[16];
};

// CUtensorMapDataType
enum TensorMapType : int {
  kU8 = 0,
  kU16 = 1,
  kU32 = 2,
  kS32 = 3,
  kU64 = 4,
  kS64 = 5,
  kF16 = 6,
  kF32 = 7,
  kF64 = 8,
  kBF16 = 9,
  kU4x16Align8 = 13,
};
// CUtensorMapSwizzle
enum TensorMapSwizzle : int {
  kSwizzleNone = 0,
  kSwizzle32 = 1,
  kSwizzle64 = 2,
  kSwizzle128 = 3,
};
inline constexpr int kPromotion256 = 3;  // CUtensorMapL2promotion

// CUlaunchAttribute
enum LaunchAttributeId : int {
  kClusterDimension = 4,
  kProgrammaticStreamSerialization = 6,
};
union LaunchAttributeValue {
  char pad[64];
  unsigned cluster[3];
  int programmatic;
};
struct LaunchAttribute {
  int id;
  char pad[4];
  LaunchAttributeValue value;
};
struct LaunchConfig {  // CUlaunchConfig
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

using NvrtcProgram = void*;

}  // namespace tilesim::hwtests::cuda

#endif  // TILESIM_HWTESTS_RUN_CUDA_API_H_
