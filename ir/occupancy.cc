#include "ir/occupancy.h"

#include <algorithm>

#include "ir/warp.h"

namespace tilesim::ir {
namespace {

constexpr int64_t kRegisterUnit = 256;
constexpr int64_t kSharedUnit = 128;
constexpr int64_t kMostRegisters = 255;  // an instruction can name

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t RoundUp(int64_t a, int64_t b) { return DivideUp(a, b) * b; }

int64_t CtasByRegisters(const BoundKernel& kernel, const SmLimits& limits) {
  int64_t warps_of_file =
      limits.registers / kSubCores / RegistersOfWarp(RegistersAtLaunch(kernel));
  return warps_of_file * kSubCores / WarpsOf(kernel.block);
}

}  // namespace

int64_t RegistersOfWarp(int64_t regs) {
  return RoundUp(regs * kWarpThreads, kRegisterUnit);
}

int64_t SharedOfCta(int64_t bytes, const SmLimits& limits) {
  return RoundUp(bytes + limits.shared_reserved, kSharedUnit);
}

// A launch asks for as much as if the CTA's warps filled every file alike.
int64_t MostRegisters(int64_t threads) {
  constexpr int64_t kUnit = kRegisterUnit / kWarpThreads;
  int64_t each =
      SmLimits().registers / RoundUp(threads, kWarpThreads * kSubCores);
  return std::min(kMostRegisters, each / kUnit * kUnit);
}

int64_t RegistersAtLaunch(const BoundKernel& kernel) {
  return std::min(kernel.regs, MostRegisters(kernel.block));
}

int64_t CtasPerSm(const BoundKernel& kernel, const SmLimits& limits) {
  int64_t n = std::min(limits.ctas, limits.threads / kernel.block);
  n = std::min(n,
               limits.shared_bytes / SharedOfCta(kernel.shared_bytes, limits));
  if (kernel.regs > 0) n = std::min(n, CtasByRegisters(kernel, limits));
  if (kernel.tmem_columns > 0)
    n = std::min(n, limits.tmem_columns / kernel.tmem_columns);
  return n;
}

}  // namespace tilesim::ir
