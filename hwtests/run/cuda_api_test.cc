// Our few declarations against <cuda.h>, where it is installed.
#include "hwtests/run/cuda_api.h"

#include "gtest/gtest.h"

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace tilesim::hwtests::cuda {
namespace {

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));
static_assert(alignof(TensorMap) >= alignof(CUtensorMap));
static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchConfig, block) ==
              offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(LaunchConfig, attributes) ==
              offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(LaunchConfig, attribute_count) ==
              offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(LaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value));
static_assert(int{kClusterDimension} ==
              int{CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION});
static_assert(int{kProgrammaticStreamSerialization} ==
              int{CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION});
static_assert(int{kClockRate} == int{CU_DEVICE_ATTRIBUTE_CLOCK_RATE});
static_assert(int{kMultiprocessorCount} ==
              int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT});
static_assert(int{kL2CacheSize} == int{CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE});
static_assert(int{kComputeCapabilityMajor} ==
              int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR});
static_assert(kMaxDynamicSharedSize ==
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(kNonPortableClusterSize ==
              CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(static_cast<int>(kU4x16Align8) ==
              static_cast<int>(CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B));
static_assert(static_cast<int>(kBF16) ==
              static_cast<int>(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16));
static_assert(static_cast<int>(kSwizzle128) ==
              static_cast<int>(CU_TENSOR_MAP_SWIZZLE_128B));
static_assert(kPromotion256 == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
static_assert(kHostAllocDeviceMap == CU_MEMHOSTALLOC_DEVICEMAP);

TEST(CudaApi, AgreesWithTheToolkit) { SUCCEED(); }

}  // namespace
}  // namespace tilesim::hwtests::cuda
#else
TEST(CudaApi, AgreesWithTheToolkit) { GTEST_SKIP() << "no <cuda.h>"; }
#endif
