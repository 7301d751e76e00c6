// Every lowered file goes through nvcc, where there is one: no warnings, no
// spills.
#include <cstdio>
#include <cstdlib>

#include "gtest/gtest.h"
#include "tests/hw/testing.h"

namespace tilesim::hwtests {
namespace {

std::string Nvcc() {
  for (const char* path : {"nvcc", "/usr/local/cuda/bin/nvcc"}) {
    std::string command = std::string(path) + " --version >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return path;
  }
  return "";
}

std::string OutputOf(const std::string& command, int* exit_code) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "";
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof(buffer), pipe))
    text.append(buffer, n);
  *exit_code = pclose(pipe);
  return text;
}

std::string NameFrom(std::string path) {
  for (char& c : path) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return path;
}

// Programs that ask for more registers than a thread can have there.
bool MaySpill(const std::string& file) {
  // 160 registers of tiles, 168 a thread with nine warps.
  return file == "examples/gemm/stream_k.tile";
}

void ExpectNoSpills(const std::string& output) {
  for (size_t at = output.find(" bytes spill stores");
       at != std::string::npos;
       at = output.find(" bytes spill stores", at + 1)) {
    EXPECT_EQ(output.substr(at - 2, 2), " 0") << output;
  }
}

// Code that watches or stamps may spill: it is slower anyway.
void ExpectCompiles(const std::string& file, const EmitOptions& options,
                    const std::string& suffix) {
  LowerOutcome outcome = LowerFile(file, options);
  if (!outcome.parsed) GTEST_SKIP() << file << " does not parse";
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  std::string nvcc = Nvcc();
  if (nvcc.empty()) GTEST_SKIP() << "no nvcc to compile " << file << " with";
  std::string cu = testing::TempDir() + NameFrom(file) + suffix + ".cu";
  std::ofstream(cu) << outcome.lowered->cuda;
  std::string line = CompileLine(outcome.lowered->plan.target, cu);
  line.replace(0, 4, nvcc);
  int exit_code = 0;
  std::string output =
      OutputOf(line + " -Xptxas -v -c -o " + cu + ".o", &exit_code);
  EXPECT_EQ(exit_code, 0) << output;
  EXPECT_EQ(output.find("warning"), std::string::npos) << output;
  bool watches = options.debug || options.trace;
  if (!watches && !MaySpill(file)) ExpectNoSpills(output);
}

class CompileTest : public testing::TestWithParam<std::string> {};

TEST_P(CompileTest, WithoutWarningsOrSpills) {
  ExpectCompiles(GetParam(), {}, "");
}

// By the nvcc line that the file begins with, but for linking.
class StandaloneTest : public testing::TestWithParam<std::string> {};

TEST_P(StandaloneTest, Compiles) {
  ExpectCompiles(GetParam(), {.standalone = true}, "_standalone");
}

INSTANTIATE_TEST_SUITE_P(
    Hopper, StandaloneTest, testing::ValuesIn(TileFiles({"examples/hopper"})),
    [](const testing::TestParamInfo<std::string>& info) {
      return NameFrom(info.param);
    });

INSTANTIATE_TEST_SUITE_P(
    Files, CompileTest, testing::ValuesIn(TileFiles()),
    [](const testing::TestParamInfo<std::string>& info) {
      return NameFrom(info.param);
    });

constexpr char kExample[] = "examples/hopper/hgemm_v07.tile";

TEST(CompileOptions, Debug) {
  ExpectCompiles(kExample, {.debug = true}, "_debug");
}

TEST(CompileOptions, Trace) {
  for (const char* file : {kExample, "examples/hopper/hgemm_v10.tile",
                           "examples/attention/fmha_sm90.tile"})
    ExpectCompiles(file, {.trace = true}, "_trace");
}

TEST(CompileOptions, DebugWithDelays) {
  ExpectCompiles(kExample, {.debug = true, .delays = true}, "_delays");
}

TEST(CompileOptions, Cycles) {
  ExpectCompiles(kExample, {.cycles = true}, "_cycles");
}

// A role called `tile`, a barrier called `free`.
TEST(CompileOptions, NamesOfTheLibraries) {
  for (const char* file :
       {"examples/hopper/hgemm_v06.tile",
        "tests/peers/reads_the_slot_of_the_other_barrier.fixed.tile"})
    ExpectCompiles(file, {.standalone = true}, "_names");
}

TEST(CompileOptions, StandaloneOfTwoKernels) {
  ExpectCompiles("hwtests/emit/testdata/sm90_wgmma.tile", {.standalone = true},
                 "_standalone");
}

}  // namespace
}  // namespace tilesim::hwtests
