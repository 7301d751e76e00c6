#include "ptx/record/cuda.h"

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>

namespace tilesim::ptx::record {
namespace {

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

void* OpenFirst(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (name == nullptr) continue;
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

bool OpenCupti(Cupti* cupti, const char** why) {
  void* library = OpenFirst({std::getenv("TILESIM_CUPTI"), "libcupti.so.13",
                             "libcupti.so.12", "libcupti.so",
                             "/usr/local/cuda/lib64/libcupti.so",
                             "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"});
  *why = "libcupti.so was not found; name it in TILESIM_CUPTI";
  if (library == nullptr) return false;
  *why = "libcupti.so lacks cuptiSubscribe or cuptiEnableCallback";
  return Find(library, "cuptiSubscribe", &cupti->subscribe) &&
         Find(library, "cuptiEnableCallback", &cupti->enable);
}

bool OpenDriver(Driver* d, const char** why) {
  void* library = OpenFirst({"libcuda.so.1"});
  *why = "libcuda.so.1 was not found";
  if (library == nullptr) return false;
  Find(library, "cuKernelGetParamInfo", &d->kernel_param);
  Find(library, "cuKernelGetFunction", &d->kernel_function);
  *why = "the driver is older than CUDA 12.4: it does not tell parameters";
  return Find(library, "cuFuncGetParamInfo", &d->function_param) &&
         Find(library, "cuFuncGetAttribute", &d->function_attribute) &&
         Find(library, "cuMemGetAddressRange_v2", &d->address_range) &&
         Find(library, "cuDeviceGetAttribute", &d->device_attribute) &&
         Find(library, "cuCtxGetDevice", &d->context_device) &&
         Find(library, "cuStreamIsCapturing", &d->is_capturing) &&
         Find(library, "cuStreamSynchronize", &d->synchronize) &&
         Find(library, "cuMemcpyDtoH_v2", &d->copy_to_host);
}

}  // namespace tilesim::ptx::record
