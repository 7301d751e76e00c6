// Calls a fuzz target once for every file of the given folders, without
// libFuzzer: a corpus as a test.
//
//   run_replay tests/fuzz/corpus/run
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/entry.h"

namespace {

namespace fs = std::filesystem;

int Replay(const fs::path& folder) {
  int count = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    std::ifstream in(file.path(), std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    // Named first: what follows may be a crash.
    std::printf("%s\n", file.path().c_str());
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()),
                           text.size());
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) count += Replay(argv[i]);
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 2;
}
