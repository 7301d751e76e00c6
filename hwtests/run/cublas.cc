#include "hwtests/run/cublas.h"

#include <dlfcn.h>

#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

// cublas_api.h and library_types.h
constexpr int kNoTranspose = 0, kTranspose = 1;
constexpr int kComputeF32 = 68, kDefaultAlgorithm = -1;

using Handle = void*;
using Create = int (*)(Handle*);
using GemmEx = int (*)(Handle, int, int, int, int, int, const void*,
                       const void*, int, int, const void*, int, int,
                       const void*, void*, int, int, int, int);

// cudaDataType; -1: not taken.
int TypeOf(ir::DType type) {
  switch (type) {
    case ir::DType::kF32:
      return 0;
    case ir::DType::kF16:
      return 2;
    case ir::DType::kBF16:
      return 14;
    default:
      return -1;
  }
}

void* Open() {
  for (const char* name :
       {"libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.13",
        "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.12"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::function<absl::Status()>> CublasGemm(const GemmPlan& gemm,
                                                         const LaunchPlan& plan,
                                                         cuda::DevicePtr a,
                                                         cuda::DevicePtr b,
                                                         cuda::DevicePtr d) {
  const int input = TypeOf(plan.globals[gemm.a].dtype);
  const int output = TypeOf(plan.globals[gemm.d].dtype);
  if (input <= 0 || output < 0 || TypeOf(plan.globals[gemm.b].dtype) != input)
    return absl::InvalidArgumentError("no product of these types in cuBLAS");
  void* library = Open();
  if (library == nullptr)
    return absl::NotFoundError("no cuBLAS: libcublas.so could not be opened");
  auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
  auto run = reinterpret_cast<GemmEx>(dlsym(library, "cublasGemmEx"));
  Handle handle = nullptr;
  if (create == nullptr || run == nullptr || create(&handle) != 0)
    return absl::NotFoundError("cuBLAS does not start");
  // Ours are row-major: D^T = B^T * A^T, column-major.
  const int m = static_cast<int>(gemm.m), n = static_cast<int>(gemm.n);
  const int k = static_cast<int>(gemm.k);
  const bool rows_are_n = gemm.b_is_nk;
  return [=]() -> absl::Status {
    const float one = 1, zero = 0;
    int result = run(
        handle, rows_are_n ? kTranspose : kNoTranspose, kNoTranspose, n, m, k,
        &one, reinterpret_cast<const void*>(b), input, rows_are_n ? k : n,
        reinterpret_cast<const void*>(a), input, k, &zero,
        reinterpret_cast<void*>(d), output, n, kComputeF32, kDefaultAlgorithm);
    if (result == 0) return absl::OkStatus();
    return absl::AbortedError(ir::Cat("cublasGemmEx returns ", result));
  };
}

}  // namespace tilesim::hwtests
