// What the recorder needs of CUDA's driver and of CUPTI, declared here so that
// it builds where neither is. Layouts are those of the headers of CUDA 12 and
// 13, which keep them.
#ifndef TILESIM_PTX_RECORD_CUDA_H_
#define TILESIM_PTX_RECORD_CUDA_H_

#include <cstddef>
#include <cstdint>

namespace tilesim::ptx::record {

using Handle = void*;  // CUmodule, CUlibrary, CUfunction, CUkernel, CUstream

// Driver calls that are listened to, by CUPTI's number
// (CUPTI_DRIVER_TRACE_CBID_...).
enum class Call : uint32_t {
  kModuleLoadData = 19,
  kModuleLoadDataEx = 20,
  kModuleLoadFatBinary = 21,
  kModuleGetFunction = 23,
  kLaunchKernel = 307,
  kLaunchKernelPtsz = 442,
  kLaunchCooperativeKernel = 477,
  kLaunchCooperativeKernelPtsz = 478,
  kLaunchKernelEx = 652,
  kLaunchKernelExPtsz = 653,
  kLibraryLoadData = 678,
  kLibraryGetKernel = 681,
  kLibraryGetModule = 682,
  kKernelGetFunction = 683,
  kTensorMapEncodeTiled = 697,
};

// Of cuModuleLoadData, its Ex form and cuModuleLoadFatBinary.
struct LoadModuleParams {
  Handle* module;
  const void* image;
};
struct LoadLibraryParams {
  Handle* library;
  const void* image;
};
// Of cuModuleGetFunction, cuLibraryGetKernel.
struct GetFunctionParams {
  Handle* function;
  Handle owner;
  const char* name;
};
// Of cuLibraryGetModule, cuKernelGetFunction.
struct GetPartParams {
  Handle* part;
  Handle whole;
};

struct LaunchParams {
  Handle function;
  unsigned grid[3], block[3], shared;
  Handle stream;
  void** values;
  void** extra;  // not of the cooperative form
};

struct LaunchAttribute {
  uint32_t id;
  uint32_t padding;
  union {
    char bytes[64];
    unsigned cluster[3];
    int programmatic;
  };
};
inline constexpr uint32_t kClusterAttribute = 4;
inline constexpr uint32_t kProgrammaticAttribute = 6;

struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  Handle stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};
struct LaunchExParams {
  const LaunchConfig* config;
  Handle function;
  void** values;
  void** extra;
};

struct EncodeTiledParams {
  const uint8_t* map;
  uint32_t type, rank;
  uint64_t address;
  const uint64_t *dims, *strides;
  const uint32_t *box, *element_strides;
  uint32_t interleave, swizzle, promotion, oob;
};

struct CallbackData {
  uint32_t site;  // 0: before the call, 1: after it
  const char* name;
  const void* params;
  const int* result;  // after the call
  const char* symbol;
  Handle context;
  uint32_t context_id;
  uint64_t* correlation;  // the same word before and after a call
  uint32_t correlation_id;
};

using Callback = void (*)(void* user, uint32_t domain, uint32_t call,
                          const CallbackData* data);
inline constexpr uint32_t kDriverDomain = 1;
inline constexpr int kSubscriberExists = 39;

struct Cupti {
  int (*subscribe)(Handle* subscriber, Callback callback, void* user) = nullptr;
  int (*enable)(uint32_t on, Handle subscriber, uint32_t domain,
                uint32_t call) = nullptr;
};

// Driver functions that callbacks call. One that this driver lacks is null.
struct Driver {
  int (*function_param)(Handle, size_t, size_t*, size_t*) = nullptr;
  int (*kernel_param)(Handle, size_t, size_t*, size_t*) = nullptr;
  int (*function_attribute)(int*, int, Handle) = nullptr;
  int (*kernel_function)(Handle*, Handle) = nullptr;
  int (*address_range)(uint64_t*, size_t*, uint64_t) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*context_device)(int*) = nullptr;
  int (*is_capturing)(Handle, int*) = nullptr;
  int (*synchronize)(Handle) = nullptr;
  int (*copy_to_host)(void*, uint64_t, size_t) = nullptr;
};

// Both by dlopen. False: not there, and *why says so.
bool OpenCupti(Cupti* cupti, const char** why);
bool OpenDriver(Driver* driver, const char** why);

}  // namespace tilesim::ptx::record

#endif  // TILESIM_PTX_RECORD_CUDA_H_
