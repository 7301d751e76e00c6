// A libcuda.so.1 whose GPU runs every kernel and does nothing, for tests of
// all that stands around a launch. TILESIM_FAKE_LAUNCH says how launches end:
// `fault` after the second one, `hang` likewise, each process anew. With
// `stamps` memory that is cleared holds ones, as if CTAs had left stamps there.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "hwtests/run/cuda_api.h"

namespace {

using namespace tilesim::hwtests::cuda;

constexpr Result kLaunchFailed = 719, kNotSupported = 801;
int launches = 0;

bool Asked(const char* how) {
  const char* asked = std::getenv("TILESIM_FAKE_LAUNCH");
  return asked != nullptr && std::strcmp(asked, how) == 0 && launches > 2;
}

bool Stamps() {
  const char* asked = std::getenv("TILESIM_FAKE_LAUNCH");
  return asked != nullptr && std::strcmp(asked, "stamps") == 0;
}

}  // namespace

extern "C" {

Result cuInit(unsigned) { return 0; }
// NVRTC asks for it, and does without.
Result cuGetExportTable(const void**, const void*) { return kNotSupported; }
Result cuDriverGetVersion(int* v) { return *v = 13000, 0; }
Result cuGetErrorString(Result, const char** s) { return *s = "it fails", 0; }
Result cuGetErrorName(Result, const char** s) { return *s = "FAKE_ERROR", 0; }
Result cuDeviceGetCount(int* n) { return *n = 1, 0; }
Result cuDeviceGet(Device* d, int) { return *d = 0, 0; }
Result cuDeviceGetName(char* name, int n, Device) {
  std::strncpy(name, "a fake GPU", static_cast<size_t>(n));
  return 0;
}
Result cuDeviceGetAttribute(int* value, int which, Device) {
  *value = which == kComputeCapabilityMajor   ? 9
           : which == kComputeCapabilityMinor ? 0
           : which == kMultiprocessorCount    ? 132
                                              : 1000;
  return 0;
}
Result cuDevicePrimaryCtxRetain(Context* c, Device) { return *c = nullptr, 0; }
Result cuCtxSetCurrent(Context) { return 0; }
Result cuCtxSynchronize() {
  while (Asked("hang")) pause();
  return Asked("fault") ? kLaunchFailed : 0;
}
Result cuModuleLoadData(Module* m, const void*) { return *m = nullptr, 0; }
Result cuModuleGetFunction(Function* f, Module, const char*) {
  return *f = nullptr, 0;
}
Result cuModuleGetGlobal_v2(DevicePtr* p, size_t* size, Module, const char*) {
  static char symbol[4096];
  *p = reinterpret_cast<DevicePtr>(symbol);
  return *size = sizeof(symbol), 0;
}
Result cuFuncSetAttribute(Function, int, int) { return 0; }
Result cuMemAlloc_v2(DevicePtr* p, size_t bytes) {
  return *p = reinterpret_cast<DevicePtr>(std::malloc(bytes)), 0;
}
Result cuMemcpyHtoD_v2(DevicePtr to, const void* from, size_t n) {
  return std::memcpy(reinterpret_cast<void*>(to), from, n), 0;
}
Result cuMemcpyDtoH_v2(void* to, DevicePtr from, size_t n) {
  return std::memcpy(to, reinterpret_cast<void*>(from), n), 0;
}
Result cuMemsetD8_v2(DevicePtr p, unsigned char byte, size_t n) {
  if (byte == 0 && Stamps()) byte = 1;
  return std::memset(reinterpret_cast<void*>(p), byte, n), 0;
}
Result cuMemHostAlloc(void** p, size_t n, unsigned) {
  return *p = std::calloc(n, 1), 0;
}
Result cuMemHostGetDevicePointer_v2(DevicePtr* p, void* host, unsigned) {
  return *p = reinterpret_cast<DevicePtr>(host), 0;
}
Result cuLaunchKernelEx(const LaunchConfig*, Function, void**, void**) {
  return ++launches, 0;
}
Result cuEventCreate(Event* e, unsigned) { return *e = nullptr, 0; }
Result cuEventRecord(Event, Stream) { return 0; }
Result cuEventSynchronize(Event) { return 0; }
Result cuEventElapsedTime(float* ms, Event, Event) { return *ms = 0.25F, 0; }
Result cuTensorMapEncodeTiled(TensorMap*, int, uint32_t, void*, const uint64_t*,
                              const uint64_t*, const uint32_t*, const uint32_t*,
                              int, int, int, int) {
  return 0;
}

}  // extern "C"
