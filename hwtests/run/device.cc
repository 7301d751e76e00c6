#include "hwtests/run/device.h"

#include <algorithm>

#include "hwtests/run/exchange.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::DType;

int TensorMapTypeOf(DType type) {
  switch (type) {
    case DType::kF32:
    case DType::kTF32:
      return cuda::kF32;
    case DType::kF16:
      return cuda::kF16;
    case DType::kBF16:
      return cuda::kBF16;
    case DType::kS32:
      return cuda::kS32;
    case DType::kU32:
      return cuda::kU32;
    case DType::kS64:
      return cuda::kS64;
    case DType::kU64:
      return cuda::kU64;
    case DType::kE2M1:
      return cuda::kU4x16Align8;
    default:
      return cuda::kU8;
  }
}

int TensorMapSwizzleOf(ir::Swizzle swizzle) {
  switch (swizzle) {
    case ir::Swizzle::kNone:
      return cuda::kSwizzleNone;
    case ir::Swizzle::k32B:
      return cuda::kSwizzle32;
    case ir::Swizzle::k64B:
      return cuda::kSwizzle64;
    case ir::Swizzle::k128B:
      return cuda::kSwizzle128;
  }
  return cuda::kSwizzleNone;
}

}  // namespace

absl::StatusOr<Gpu> Gpu::Open() {
  absl::StatusOr<cuda::Driver> driver = cuda::OpenDriver();
  if (!driver.ok())
    return HwFailure(HwError::kNoDriver,
                     std::string(driver.status().message()));
  Gpu gpu;
  gpu.driver_ = *driver;
  cuda::Result result = gpu.driver_.Init(0);
  int count = 0;
  if (result == 0) result = gpu.driver_.DeviceGetCount(&count);
  if (result != 0 || count == 0)
    return HwFailure(HwError::kNoDevice,
                     result == 0 ? std::string("there is no CUDA device")
                                 : cuda::ErrorText(gpu.driver_, result));
  cuda::Context context = nullptr;
  result = gpu.driver_.DeviceGet(&gpu.device_, 0);
  if (result == 0) result = gpu.driver_.PrimaryCtxRetain(&context, gpu.device_);
  if (result == 0) result = gpu.driver_.CtxSetCurrent(context);
  if (result != 0)
    return HwFailure(HwError::kNoDevice, cuda::ErrorText(gpu.driver_, result));
  return gpu;
}

std::string Gpu::name() const {
  char text[256] = "";
  driver_.DeviceGetName(text, sizeof(text), device_);
  return text;
}

std::string Gpu::driver_version() const {
  int version = 0;
  driver_.DriverGetVersion(&version);
  return Cat(version / 1000, ".", version % 1000 / 10);
}

int Gpu::Attribute(int which) const {
  int value = 0;
  driver_.DeviceGetAttribute(&value, which, device_);
  return value;
}

absl::Status Gpu::CheckArch(ir::Target target) const {
  int major = Attribute(cuda::kComputeCapabilityMajor);
  int minor = Attribute(cuda::kComputeCapabilityMinor);
  // Code with the `a` suffix runs on its own architecture only.
  if (major == ir::InfoOf(target).compute_capability && minor == 0)
    return absl::OkStatus();
  return HwFailure(HwError::kWrongArch,
                   Cat("the program is for ", ir::Name(target), ", but ",
                       name(), " is sm_", major, minor));
}

absl::Status Gpu::Check(cuda::Result result, std::string_view doing) const {
  if (result == 0) return absl::OkStatus();
  return HwFailure(HwError::kLaunch,
                   Cat(doing, ": ", cuda::ErrorText(driver_, result)));
}

absl::StatusOr<cuda::DevicePtr> Gpu::Allocate(int64_t bytes) const {
  cuda::DevicePtr p = 0;
  absl::Status status = Check(
      driver_.MemAlloc(&p, static_cast<size_t>(std::max<int64_t>(bytes, 16))),
      "allocating device memory");
  if (!status.ok()) return status;
  return p;
}

absl::StatusOr<cuda::TensorMap> EncodeTensorMap(const Gpu& gpu,
                                                const TensorMapPlan& map,
                                                DType dtype,
                                                cuda::DevicePtr base) {
  uint64_t dims[5], strides[5] = {};
  uint32_t box[5], steps[5];
  for (int i = 0; i < map.rank; ++i) {
    dims[i] = static_cast<uint64_t>(map.dims[i]);
    box[i] = static_cast<uint32_t>(map.box[i]);
    steps[i] = 1;
    if (i > 0) strides[i - 1] = static_cast<uint64_t>(map.strides[i - 1]);
  }
  cuda::TensorMap encoded;
  constexpr int kNoInterleave = 0, kZeroFill = 0;
  absl::Status status = gpu.Check(
      gpu.driver().TensorMapEncodeTiled(
          &encoded, TensorMapTypeOf(dtype), static_cast<uint32_t>(map.rank),
          reinterpret_cast<void*>(base), dims, strides, box, steps,
          kNoInterleave, TensorMapSwizzleOf(map.swizzle), cuda::kPromotion256,
          kZeroFill),
      Cat("encoding tensor map ", map.name));
  if (!status.ok()) return status;
  return encoded;
}

}  // namespace tilesim::hwtests
