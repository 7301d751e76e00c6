#include "sim/machine/arith/mma_kernel.h"

#include <cstdlib>
#include <string_view>

#include "sim/machine/arith/mma_kernel_group.h"
#include "sim/machine/arith/mma_kernel_impl.h"

namespace tilesim::arith {
namespace {

template <int kBytes>
TILESIM_INLINE bool RunStrip(const StripTask& t) {
  if (t.rule->group > 0) return kernel::Grouped<kBytes>(t);
  if (t.rule->is_scaled()) return kernel::Fused<kBytes, false, true>(t);
  if (t.rule->output == Output::kF16Rne) {
    return kernel::Fused<kBytes, true, false>(t);
  }
  return kernel::Fused<kBytes, false, false>(t);
}

template <int kBytes>
TILESIM_INLINE void Integers(const IntegerTask& t) {
  using S = kernel::Simd<kBytes>;
  for (int n = 0; n < t.width; n += S::kLanes) {
    typename S::U sum = (typename S::U)S::LoadInt(t.d + n);
    for (int64_t k = 0; k < t.k; ++k) {
      sum += static_cast<uint32_t>(t.a[k]) *
             (typename S::U)S::LoadInt(t.b + k * t.b_step + n);
    }
    S::Store(t.d + n, sum);
  }
}

#if defined(__x86_64__)
#if defined(__clang__)
#define TILESIM_WIDE ""
#else
#define TILESIM_WIDE ",prefer-vector-width=512"
#endif
#define TILESIM_AVX512 \
  __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw" TILESIM_WIDE)))
#define TILESIM_AVX2 __attribute__((target("avx2")))

TILESIM_AVX512 bool StripAvx512(const StripTask& t) { return RunStrip<64>(t); }
TILESIM_AVX2 bool StripAvx2(const StripTask& t) { return RunStrip<32>(t); }
TILESIM_AVX512 void IntegersAvx512(const IntegerTask& t) { Integers<64>(t); }
TILESIM_AVX2 void IntegersAvx2(const IntegerTask& t) { Integers<32>(t); }
#endif

bool StripBase(const StripTask& t) { return RunStrip<16>(t); }
void IntegersBase(const IntegerTask& t) { Integers<16>(t); }

struct Kernels {
  const char* name;
  bool (*strip)(const StripTask&);
  void (*integers)(const IntegerTask&);
};

// By hand rather than with target_clones: ifunc resolvers run before the
// sanitizers are up. TILESIM_MMA_ISA is for the tests of the other paths.
Kernels Choose() {
#if defined(__x86_64__)
  const char* forced = std::getenv("TILESIM_MMA_ISA");
  const std::string_view limit = forced != nullptr ? forced : "avx512";
  __builtin_cpu_init();
  const bool wide =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (limit == "avx512" && wide) {
    return {"avx512", StripAvx512, IntegersAvx512};
  }
  if (limit != "base" && __builtin_cpu_supports("avx2")) {
    return {"avx2", StripAvx2, IntegersAvx2};
  }
#endif
  return {"base", StripBase, IntegersBase};
}

const Kernels& Chosen() {
  static const Kernels kernels = Choose();
  return kernels;
}

}  // namespace

bool FusedStrip(const StripTask& task) { return Chosen().strip(task); }

void IntegerStrip(const IntegerTask& task) { Chosen().integers(task); }

const char* KernelInstructionSet() { return Chosen().name; }

}  // namespace tilesim::arith
