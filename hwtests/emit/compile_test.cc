// Every lowered file goes through nvcc, where there is one: no warnings, and
// what compiled.txt says of spills and of fences and waits that ptxas adds, no
// more and no less.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

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

// The -D of each `//! run` line of a file.
std::vector<ir::Overrides> RunsOf(const std::string& file) {
  std::vector<ir::Overrides> out;
  std::istringstream text(ReadText(file));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("//! run ")) continue;
    std::istringstream words(line.substr(8));
    ir::Overrides defines;
    for (std::string word; words >> word;) {
      size_t equals = word.find('=');
      if (equals == std::string::npos) break;  // what it is to show
      defines[word.substr(0, equals)] = std::stoll(word.substr(equals + 1));
    }
    if (!defines.empty()) out.push_back(defines);
  }
  return out;
}

// What is known of programs: file, -D, how it is lowered, then spills or adds.
std::set<std::string> Known() {
  std::ifstream in("hwtests/emit/compiled.txt");
  std::set<std::string> out;
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find('#'));
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) out.insert(line);
  }
  return out;
}

bool Spills(const std::string& output) {
  constexpr std::string_view kTold = " bytes spill stores";
  for (size_t at = output.find(kTold); at != std::string::npos;
       at = output.find(kTold, at + 1)) {
    if (output.substr(at - 2, 2) != " 0") return true;
  }
  return false;
}

// C7510 to C7519: what ptxas does so that registers of a wgmma in flight may be
// used, up to serialising.
bool Adds(const std::string& output) {
  return output.find("(C751") != std::string::npos;
}

// One program as it is lowered once.
struct Lowering {
  std::string file;
  std::string how = "plain";  // standalone, stamped ...
  EmitOptions options = {};
  ir::Overrides defines = {};

  std::string Name() const {
    std::string name = file;
    for (const auto& [param, value] : defines)
      name += " " + param + "=" + std::to_string(value);
    return name + " " + how;
  }
};

// Without a warning, and with spills exactly where the list says so.
void ExpectCompiles(const Lowering& l) {
  LowerOutcome outcome = LowerFile(l.file, l.options, l.defines);
  if (!outcome.parsed) GTEST_SKIP() << l.file << " does not parse";
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  std::string nvcc = Nvcc();
  if (nvcc.empty()) GTEST_SKIP() << "no nvcc to compile " << l.file << " with";
  std::string cu = testing::TempDir() + NameFrom(l.Name()) + ".cu";
  std::ofstream(cu) << outcome.lowered->cuda;
  std::string line = CompileLine(outcome.lowered->plan.target, cu);
  line.replace(0, 4, nvcc);
  // Without a host side there is nothing for the host's compiler.
  std::string_view until = l.options.HasHostSide() ? " -c -o " : " -cubin -o ";
  int exit_code = 0;
  std::string output = OutputOf(
      line + " -Xptxas -v" + std::string(until) + cu + ".o", &exit_code);
  EXPECT_EQ(exit_code, 0) << output;
  EXPECT_EQ(output.find("warning"), std::string::npos) << output;
  // Stamps stand between a wgmma and its wait: `hw --trace` says the cost.
  const bool adds = l.options.HasHostSide() && Adds(output);
  for (auto [does, found] :
       {std::pair(" spills", Spills(output)), std::pair(" adds", adds)})
    EXPECT_EQ(found, Known().contains(l.Name() + does))
        << "hwtests/emit/compiled.txt, `" << l.Name() << does << "`\n"
        << output;
  std::remove(cu.c_str());
  std::remove((cu + ".o").c_str());
}

class CompileTest : public testing::TestWithParam<std::string> {};

TEST_P(CompileTest, WithoutWarningsOrSpills) { ExpectCompiles({GetParam()}); }

// What examples are run at: code that differs from that of the defaults.
TEST_P(CompileTest, AtOtherSizes) {
  const std::string code = LowerFile(GetParam()).lowered->cuda;
  for (const ir::Overrides& defines : RunsOf(GetParam())) {
    Lowering l{GetParam(), "plain", {}, defines};
    LowerOutcome outcome = LowerFile(l.file, l.options, l.defines);
    ASSERT_TRUE(outcome.lowered) << l.Name() << outcome.diagnostics;
    if (outcome.lowered->cuda != code) ExpectCompiles(l);
  }
}

// With the stamps of `hw --trace`.
TEST_P(CompileTest, Stamped) {
  ExpectCompiles({GetParam(), "stamped", {.trace = true}});
}

// By the nvcc line that the file begins with, but for linking.
TEST_P(CompileTest, Standalone) {
  ExpectCompiles({GetParam(), "standalone", {.standalone = true}});
}

std::string TestName(const testing::TestParamInfo<std::string>& file) {
  return NameFrom(file.param);
}

INSTANTIATE_TEST_SUITE_P(Examples, CompileTest,
                         testing::ValuesIn(TileFiles({"examples"})), TestName);
INSTANTIATE_TEST_SUITE_P(
    Ops, CompileTest, testing::ValuesIn(TileFiles({"hwtests/emit/testdata"})),
    TestName);

TEST(CompileList, NamesWhatIsThere) {
  for (const std::string& listed : Known()) {
    std::string file = listed.substr(0, listed.find(' '));
    EXPECT_TRUE(std::ifstream(file).good()) << listed;
  }
}

constexpr char kExample[] = "examples/hopper/hgemm_v07.tile";

TEST(CompileOptions, Debug) {
  ExpectCompiles({kExample, "debug", {.debug = true}});
}

TEST(CompileOptions, DebugWithDelays) {
  ExpectCompiles({kExample, "delays", {.debug = true, .delays = true}});
}

TEST(CompileOptions, Cycles) {
  ExpectCompiles({kExample, "cycles", {.cycles = true}});
}

TEST(CompileOptions, Spans) {
  ExpectCompiles({kExample, "spans", {.spans = true}});
}

// A role called `tile`, a barrier called `free`.
TEST(CompileOptions, NamesOfTheLibraries) {
  for (const char* file :
       {"examples/hopper/hgemm_v06.tile",
        "tests/peers/reads_the_slot_of_the_other_barrier.fixed.tile"})
    ExpectCompiles({file, "standalone", {.standalone = true}});
}

}  // namespace
}  // namespace tilesim::hwtests
