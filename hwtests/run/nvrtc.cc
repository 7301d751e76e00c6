#include "hwtests/run/nvrtc.h"

#include <dlfcn.h>

#include <iterator>

#include "absl/status/status.h"
#include "hwtests/run/cuda_api.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using cuda::NvrtcProgram;

struct Nvrtc {
  int (*create)(NvrtcProgram*, const char*, const char*, int,
                const char* const*, const char* const*) = nullptr;
  int (*compile)(NvrtcProgram, int, const char* const*) = nullptr;
  int (*log_size)(NvrtcProgram, size_t*) = nullptr;
  int (*log)(NvrtcProgram, char*) = nullptr;
  int (*cubin_size)(NvrtcProgram, size_t*) = nullptr;
  int (*cubin)(NvrtcProgram, char*) = nullptr;
  int (*destroy)(NvrtcProgram*) = nullptr;
};

void* OpenLibrary() {
  constexpr const char* kNames[] = {
      "libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
      "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12",
      "libnvrtc.so",    "/usr/local/cuda/lib64/libnvrtc.so"};
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <typename F>
bool Load(void* library, const char* symbol, F* function) {
  *function = reinterpret_cast<F>(dlsym(library, symbol));
  return *function != nullptr;
}

absl::StatusOr<Nvrtc> OpenNvrtc() {
  void* library = OpenLibrary();
  if (library == nullptr)
    return absl::NotFoundError("no NVRTC: libnvrtc.so could not be opened");
  Nvrtc n;
  bool all = Load(library, "nvrtcCreateProgram", &n.create) &&
             Load(library, "nvrtcCompileProgram", &n.compile) &&
             Load(library, "nvrtcGetProgramLogSize", &n.log_size) &&
             Load(library, "nvrtcGetProgramLog", &n.log) &&
             Load(library, "nvrtcGetCUBINSize", &n.cubin_size) &&
             Load(library, "nvrtcGetCUBIN", &n.cubin) &&
             Load(library, "nvrtcDestroyProgram", &n.destroy);
  if (!all) return absl::NotFoundError("this NVRTC is too old");
  return n;
}

using TextFn = int (*)(NvrtcProgram, char*);
using SizeFn = int (*)(NvrtcProgram, size_t*);

std::string Fetch(NvrtcProgram program, SizeFn size_of, TextFn get) {
  size_t size = 0;
  if (size_of(program, &size) != 0 || size == 0) return "";
  std::string text(size, '\0');
  if (get(program, text.data()) != 0) return "";
  return text;
}

}  // namespace

absl::StatusOr<Compiled> CompileCuda(const std::string& source,
                                     ir::Target target) {
  absl::StatusOr<Nvrtc> nvrtc = OpenNvrtc();
  if (!nvrtc.ok()) return nvrtc.status();
  NvrtcProgram program = nullptr;
  if (nvrtc->create(&program, source.c_str(), "kernel.cu", 0, nullptr,
                    nullptr) != 0)
    return absl::InternalError("nvrtcCreateProgram failed");
  std::string arch = ir::Cat("--gpu-architecture=", ir::Name(target));
  const char* options[] = {arch.c_str(), "-std=c++17", "-fmad=false"};
  int result =
      nvrtc->compile(program, static_cast<int>(std::size(options)), options);
  Compiled compiled;
  compiled.log = Fetch(program, nvrtc->log_size, nvrtc->log);
  while (!compiled.log.empty() && compiled.log.back() == '\0')
    compiled.log.pop_back();
  if (result == 0)
    compiled.cubin = Fetch(program, nvrtc->cubin_size, nvrtc->cubin);
  nvrtc->destroy(&program);
  if (result != 0 || compiled.cubin.empty())
    return absl::InvalidArgumentError(
        ir::Cat("the lowered code does not compile:\n", compiled.log));
  return compiled;
}

}  // namespace tilesim::hwtests
