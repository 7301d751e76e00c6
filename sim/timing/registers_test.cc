// Registers a thread: the estimate beside what ptxas 13.0 says that it takes
// (`lower`, then nvcc -Xptxas -v).
#include "sim/timing/registers.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "frontend/bind.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {

constexpr int64_t kSms = 132;
// At worst ptxas puts a result where its accumulators were, which this does not
// see.
constexpr double kResultTile = 32;

// Of the first kernel of a file, at its own sizes.
std::optional<int64_t> EstimateOf(const std::string& path) {
  std::ifstream in(path);
  ir::Source source{path, {std::istreambuf_iterator<char>(in), {}}};
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse(source, diagnostics, {});
  if (!program) return std::nullopt;
  auto bound = frontend::BindProgram(*program, {}, kSms, diagnostics);
  if (!bound) return std::nullopt;
  return RegistersOf(bound->front());
}

struct Taken {
  const char* file;
  int64_t registers;  // by ptxas
};
constexpr Taken kTaken[] = {
    {"examples/gemm/split_k.tile", 143},
    {"examples/hopper/hgemm_v02.tile", 220},
    {"examples/hopper/hgemm_v03.tile", 226},
    {"examples/hopper/hgemm_v04.tile", 154},
    {"examples/hopper/hgemm_v05.tile", 154},
    {"examples/hopper/hgemm_v06.tile", 179},
    {"examples/hopper/hgemm_v07.tile", 161},
    {"examples/hopper/hgemm_v08.tile", 178},
    {"examples/hopper/hgemm_v09.tile", 182},
    {"examples/mlir/matmul_multistage.tile", 154},
    {"examples/wgmma/gemm_cp_async.tile", 206},
    {"examples/wgmma/gemm_tma.tile", 154},
    {"hwtests/dataset/programs/attention_small.tile", 108},
    {"hwtests/dataset/programs/row_softmax.tile", 76},
    {"hwtests/dataset/unseen/cluster_norm.tile", 56},
    {"hwtests/dataset/unseen/quant.tile", 144},
    {"hwtests/dataset/unseen/splitk_last.tile", 150},
};

TEST(Registers, AreAboutWhatPtxasTakes) {
  for (const auto& [file, taken] : kTaken) {
    const std::optional<int64_t> estimated = EstimateOf(file);
    ASSERT_TRUE(estimated.has_value()) << file;
    std::printf("%-45s %4lld taken %4lld estimated\n", file,
                static_cast<long long>(taken),
                static_cast<long long>(*estimated));
    EXPECT_NEAR(static_cast<double>(*estimated), static_cast<double>(taken),
                kResultTile)
        << file;
  }
}

TEST(Registers, AreWhatIsSaidWhereSetmaxnregHandsThemOut) {
  EXPECT_EQ(EstimateOf("examples/hopper/hgemm_v10.tile"), 168);
}

}  // namespace
}  // namespace tilesim::timing
