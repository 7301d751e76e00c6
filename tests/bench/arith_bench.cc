// MAC/s of the tensor-core arithmetic, one row a rule, operands drawn from the
// default distribution; a few with accumulators or operands that are hard.
//
//   arith_bench --benchmark_filter=wgmma
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "ir/values/convert.h"
#include "ir/values/seeded.h"
#include "sim/machine/arith/mma.h"

namespace tilesim::arith {
namespace {

using values::Distribution;

constexpr int64_t kM = 128, kN = 256, kK = 256;

struct Operand {
  DType type;
  std::vector<uint8_t> codes;
  std::vector<uint8_t> scales;
};

Operand Draw(const MmaRule& rule, DType type, int64_t rows,
             Distribution distribution, uint64_t tensor) {
  Operand operand{type, {}, {}};
  operand.codes.resize(values::BytesOf(type, rows * kK));
  values::FillSeeded(type, {1, tensor, distribution}, 0, rows * kK,
                     operand.codes.data());
  if (rule.is_scaled()) {
    const int64_t count = rows * kK / rule.scale_block;
    operand.scales.resize(count);
    values::FillSeeded(*rule.scale_type, {1, tensor + 1}, 0, count,
                       operand.scales.data());
  }
  return operand;
}

Prepared Prepare(const MmaRule& rule, const Operand& operand, int64_t rows,
                 bool is_a) {
  const CodeView codes{operand.codes.data(), operand.type, kK, 1};
  const ScaleView scales{operand.scales.data(),
                         rule.is_scaled() ? kK / rule.scale_block : 0, 1};
  return is_a ? PrepareA(rule, codes, rows, kK, scales)
              : PrepareB(rule, codes, rows, kK, scales);
}

template <typename D>
void Run(benchmark::State& state, const MmaRule& rule, DType type,
         Distribution distribution) {
  const Operand a = Draw(rule, type, kM, distribution, 10);
  const Operand b = Draw(rule, type, kN, distribution, 20);
  std::vector<D> d(kM * kN);
  for (auto _ : state) {
    const Prepared pa = Prepare(rule, a, kM, true);
    const Prepared pb = Prepare(rule, b, kN, false);
    Mma(pa, pb, d.data(), kN, false);
    benchmark::DoNotOptimize(d.data());
  }
  state.counters["MAC/s"] =
      benchmark::Counter(static_cast<double>(kM * kN * kK),
                         benchmark::Counter::kIsIterationInvariantRate);
  state.SetLabel(MmaInstructionSet());
}

DType FirstType(OperandClass operands) {
  for (const values::DTypeInfo& info : values::kDTypes) {
    if (Contains(operands, info.type)) return info.type;
  }
  return DType::kF32;
}

std::string NameOf(const MmaRule& rule) {
  constexpr const char* kUnits[] = {"wgmma", "mma.sync", "tcgen05"};
  std::string name =
      absl::StrCat(kUnits[static_cast<int>(rule.unit)], "/",
                   std::string(values::NameOf(FirstType(rule.operands))), "/",
                   std::string(values::NameOf(rule.d)), "/k", rule.k);
  if (rule.is_scaled()) {
    absl::StrAppend(&name, "/", std::string(values::NameOf(*rule.scale_type)),
                    "x", rule.scale_block);
  }
  return name;
}

void Register(const MmaRule& rule, Distribution distribution,
              const std::string& suffix) {
  const DType type = FirstType(rule.operands);
  benchmark::RegisterBenchmark(
      (NameOf(rule) + suffix).c_str(),
      [&rule, type, distribution](benchmark::State& state) {
        switch (rule.d) {
          case DType::kF16:
            return Run<uint16_t>(state, rule, type, distribution);
          case DType::kS32:
            return Run<int32_t>(state, rule, type, distribution);
          default:
            return Run<float>(state, rule, type, distribution);
        }
      });
}

const bool kRegistered = [] {
  for (const MmaRule& rule : AllRules()) {
    Register(rule, Distribution::kNormal, "");
  }
  for (const MmaRule& rule : AllRules()) {
    if (rule.unit != Unit::kWgmma || rule.is_integer()) continue;
    Register(rule, Distribution::kFiniteBits, "/any-bits");
  }
  return true;
}();

}  // namespace
}  // namespace tilesim::arith
