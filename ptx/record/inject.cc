// libtilesim_record.so: what the driver loads for CUDA_INJECTION64_PATH.
//
//   TILESIM_RECORD         the folder to write to (tilesim-recorded)
//   TILESIM_RECORD_VALUES  none, hash, sample or whole: of each buffer (hash)
//   TILESIM_RECORD_BYTES   larger buffers are not read (67108864)
//   TILESIM_CUPTI          libcupti.so, if it is not found
#include <cstdio>
#include <cstdlib>

#include "ptx/record/recorder.h"

namespace tilesim::ptx::record {
namespace {

constexpr Call kHeard[] = {Call::kModuleLoadData,
                           Call::kModuleLoadDataEx,
                           Call::kModuleLoadFatBinary,
                           Call::kModuleGetFunction,
                           Call::kLaunchKernel,
                           Call::kLaunchKernelPtsz,
                           Call::kLaunchCooperativeKernel,
                           Call::kLaunchCooperativeKernelPtsz,
                           Call::kLaunchKernelEx,
                           Call::kLaunchKernelExPtsz,
                           Call::kLibraryLoadData,
                           Call::kLibraryGetKernel,
                           Call::kLibraryGetModule,
                           Call::kKernelGetFunction,
                           Call::kTensorMapEncodeTiled};

void OnCall(void* user, uint32_t domain, uint32_t call,
            const CallbackData* data) {
  if (domain == kDriverDomain)
    static_cast<Recorder*>(user)->Heard(static_cast<Call>(call), *data);
}

RecorderOptions OptionsOfEnvironment() {
  RecorderOptions options;
  if (const char* folder = std::getenv("TILESIM_RECORD"))
    options.folder = folder;
  options.keep = KeepNamed(std::getenv("TILESIM_RECORD_VALUES"));
  if (const char* bytes = std::getenv("TILESIM_RECORD_BYTES"))
    options.most_bytes = std::strtoull(bytes, nullptr, 0);
  return options;
}

void Say(const char* what) {
  std::fprintf(stderr, "tilesim: nothing is recorded: %s\n", what);
}

void Begin() {
  Cupti cupti;
  Driver driver;
  const char* why = "";
  if (!OpenDriver(&driver, &why) || !OpenCupti(&cupti, &why)) return Say(why);
  // Callbacks come until the process ends: never destroyed.
  auto* recorder = new Recorder(driver, OptionsOfEnvironment());
  if (!recorder->Start()) return Say("the folder cannot be written to");
  Handle subscriber = nullptr;
  const int code = cupti.subscribe(&subscriber, OnCall, recorder);
  if (code == kSubscriberExists)
    return Say("CUPTI has a subscriber already, such as a profiler");
  if (code != 0) return Say("CUPTI refuses to subscribe");
  for (Call call : kHeard)
    cupti.enable(1, subscriber, kDriverDomain, static_cast<uint32_t>(call));
}

}  // namespace
}  // namespace tilesim::ptx::record

// The driver calls it at cuInit; 0 would be a failure of the injection.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  tilesim::ptx::record::Begin();
  return 1;
}
