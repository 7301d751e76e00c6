// Writes what a GPU is asked: FOLDER/scalar.ptx, inputs.bin, cases.txt.
//
//   scalar_write FOLDER sm_90a
//
// inputs.bin has kSamples 64-bit words for each type and position, in the order
// in which cases.txt first names them: "k17 spelling outputs type:position
// ...". A line for each kernel; widths of outputs in bits, parted by commas.
#include <fstream>
#include <map>

#include "fmt/format.h"
#include "tests/ptx/scalar_cases.h"

namespace tilesim::ptx {
namespace {

using Pool = std::pair<Type, int>;

void WriteCases(const std::string& folder, const std::string& target) {
  std::ofstream ptx(folder + "/scalar.ptx"), cases(folder + "/cases.txt");
  std::ofstream inputs(folder + "/inputs.bin", std::ios::binary);
  ptx << ".version 9.0\n.target " << target << "\n.address_size 64\n";
  std::map<Pool, size_t> pools;
  int number = 0;
  for (const ScalarCase& c : AllScalarCases()) {
    const std::string kernel = fmt::format("k{}", number++);
    ptx << KernelText(c, kernel);
    cases << kernel << '\t' << c.name << '\t';
    for (int i = 0; i < c.op.outputs; ++i)
      cases << (i > 0 ? "," : "") << BitsOf(c.op.output_types[i]);
    for (int i = 0; i < c.op.inputs; ++i) {
      const Pool pool = {c.op.input_types[i], i};
      if (pools.emplace(pool, pools.size()).second) {
        for (int s = 0; s < kSamples; ++s) {
          const uint64_t word = SampleInput(pool.first, i, s);
          inputs.write(reinterpret_cast<const char*>(&word), sizeof word);
        }
      }
      cases << '\t' << pools.at(pool);
    }
    cases << '\n';
  }
}

}  // namespace
}  // namespace tilesim::ptx

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: scalar_write FOLDER TARGET\n");
    return 2;
  }
  tilesim::ptx::WriteCases(argv[1], argv[2]);
}
