// Compares what a GPU gave with Execute.
//
//   scalar_compare CASES OUTPUTS FOLDER
//
// OUTPUTS has, for each line of CASES, kSamples times its outputs as 64-bit
// words. Writes FOLDER/record.txt, a line a case: name, hash of all words, how
// many samples differ, the greatest error of an approximation in ulps and
// absolutely; and FOLDER/words.bin: all words of the cases that differ.
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <vector>

#include "fmt/format.h"
#include "tests/ptx/scalar_cases.h"

namespace tilesim::ptx {
namespace {

struct Difference {
  int samples = 0;
  int first = -1;
};

Difference Compare(const ScalarCase& c, const std::vector<uint64_t>& words) {
  Difference d;
  for (int s = 0; s < kSamples; ++s) {
    const Words expected = Execute(c.op, SampleInputs(c.op, s));
    bool same = true;
    for (int i = 0; i < c.op.outputs; ++i)
      same &= ZeroExtend(expected[i], BitsOf(c.op.output_types[i])) ==
              words[static_cast<size_t>(s * c.op.outputs + i)];
    if (same) continue;
    if (d.samples++ == 0) d.first = s;
  }
  return d;
}

void Tell(std::ostream& out, const ScalarCase& c, const Difference& d,
          const std::vector<uint64_t>& words) {
  uint64_t hash = kHashStart;
  for (uint64_t word : words) hash = HashWord(hash, word);
  out << fmt::format("{}\t{:016x}\t{}", c.name, hash, d.samples);
  if (d.first >= 0) {
    const Words in = SampleInputs(c.op, d.first), expected = Execute(c.op, in);
    out << "\t#" << d.first;
    for (int i = 0; i < c.op.inputs; ++i) out << fmt::format(" {:x}", in[i]);
    out << " =";
    for (int i = 0; i < c.op.outputs; ++i)
      out << fmt::format(
          " {:x}", words[static_cast<size_t>(d.first * c.op.outputs + i)]);
    out << " not";
    for (int i = 0; i < c.op.outputs; ++i)
      out << fmt::format(" {:x}", expected[i]);
  }
  out << '\n';
}

void CompareAll(const char* cases, const char* outputs, std::string folder) {
  std::map<std::string, ScalarCase> by_name;
  for (ScalarCase& c : AllScalarCases())
    by_name.emplace(c.name + fmt::format("/{}", c.op.inputs), c);
  std::ifstream list(cases), in(outputs, std::ios::binary);
  std::ofstream record(folder + "/record.txt"),
      raw(folder + "/words.bin", std::ios::binary);
  for (std::string line; std::getline(list, line);) {
    std::vector<std::string> fields;
    for (size_t at = 0, end; at <= line.size(); at = end + 1) {
      end = std::min(line.find('\t', at), line.size());
      fields.push_back(line.substr(at, end - at));
    }
    const ScalarCase& c =
        by_name.at(fields[1] + fmt::format("/{}", fields.size() - 3));
    std::vector<uint64_t> words(
        static_cast<size_t>(kSamples) * c.op.outputs);
    in.read(reinterpret_cast<char*>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof words[0]));
    const Difference d = Compare(c, words);
    Tell(record, c, d, words);
    if (d.samples > 0 || !c.op.error().is_exact()) {
      raw << c.name << '\n';
      for (uint64_t word : words) {
        const auto bytes = std::min<size_t>(
            8, static_cast<size_t>(BitsOf(c.op.output_types[0]) + 7) / 8);
        raw.write(reinterpret_cast<const char*>(&word),
                  static_cast<std::streamsize>(bytes));
      }
    }
  }
}

}  // namespace
}  // namespace tilesim::ptx

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: scalar_compare CASES OUTPUTS FOLDER\n");
    return 2;
  }
  tilesim::ptx::CompareAll(argv[1], argv[2], argv[3]);
}
