#include "hwtests/run/driver.h"

#include <dlfcn.h>

#include "absl/status/status.h"
#include "ir/cat.h"

namespace tilesim::hwtests::cuda {
namespace {

template <typename F>
bool Load(void* library, const char* symbol, F* function) {
  *function = reinterpret_cast<F>(dlsym(library, symbol));
  return *function != nullptr;
}

}  // namespace

absl::StatusOr<Driver> OpenDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return absl::NotFoundError(ir::Cat("no CUDA driver: ", dlerror()));
  Driver driver;
  const char* missing = nullptr;
#define DRIVER(member, symbol, parameters) \
  if (!Load(library, symbol, &driver.member)) missing = symbol;
#include "hwtests/run/driver.def"
#undef DRIVER
  if (missing == nullptr) return driver;
  return absl::NotFoundError(
      ir::Cat("the CUDA driver is too old: it has no ", missing));
}

std::string ErrorText(const Driver& driver, Result result) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.GetErrorName(result, &name);
  driver.GetErrorString(result, &text);
  return ir::Cat(name == nullptr ? "CUDA error" : name, ": ",
                 text == nullptr ? "" : text);
}

}  // namespace tilesim::hwtests::cuda
