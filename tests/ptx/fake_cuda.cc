// A driver and a CUPTI for recorder_test: they answer from a few lines of
// memory, and FakeCall makes the callbacks that a call of a program would.
#include <cstdlib>
#include <cstring>

#include "ptx/record/cuda.h"

namespace {

using namespace tilesim::ptx::record;

Callback callback = nullptr;
void* callback_user = nullptr;
uint8_t memory[4096];  // the one allocation

// Parameters of the one function: a pointer, a u32, a map, a struct of a u64
// and a pointer.
constexpr size_t kOffsets[] = {0, 8, 64, 192}, kSizes[] = {8, 4, 128, 16};

int Param(size_t i, size_t* offset, size_t* size) {
  if (i >= 4) return 1;
  *offset = kOffsets[i];
  *size = kSizes[i];
  return 0;
}

}  // namespace

extern "C" {

uint8_t* FakeMemory() { return memory; }

void FakeCall(uint32_t call, const void* params, int result) {
  static uint32_t correlation = 0;
  if (callback == nullptr) return;
  CallbackData data{};
  data.params = params;
  data.result = &result;
  data.correlation_id = ++correlation;
  callback(callback_user, kDriverDomain, call, &data);
  memory[0] += 1;  // what the kernel does
  data.site = 1;
  callback(callback_user, kDriverDomain, call, &data);
}

int cuptiSubscribe(Handle*, Callback given, void* user) {
  if (std::getenv("FAKE_SUBSCRIBED") != nullptr) return kSubscriberExists;
  callback = given;
  callback_user = user;
  return 0;
}
int cuptiEnableCallback(uint32_t, Handle, uint32_t, uint32_t) { return 0; }

int cuFuncGetParamInfo(Handle, size_t i, size_t* offset, size_t* size) {
  return Param(i, offset, size);
}
int cuKernelGetParamInfo(Handle, size_t i, size_t* offset, size_t* size) {
  return Param(i, offset, size);
}
int cuFuncGetAttribute(int* value, int, Handle) {
  *value = 40;
  return 0;
}
int cuKernelGetFunction(Handle* function, Handle kernel) {
  GetPartParams params = {function, kernel};
  *function = kernel;
  FakeCall(static_cast<uint32_t>(Call::kKernelGetFunction), &params, 0);
  return 0;
}
int cuMemGetAddressRange_v2(uint64_t* base, size_t* size, uint64_t address) {
  const auto start = reinterpret_cast<uint64_t>(memory);
  if (address < start || address >= start + sizeof memory) return 1;
  *base = start;
  *size = sizeof memory;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 16 ? 132 : attribute == 75 ? 9 : 0;
  return 0;
}
int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cuStreamIsCapturing(Handle stream, int* status) {
  *status = stream != nullptr ? 1 : 0;
  return 0;
}
int cuStreamSynchronize(Handle) { return 0; }
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}

}  // extern "C"
