// Compares what a GPU gave with Execute.
//
//   scalar_compare CASES OUTPUTS RECORD
//
// OUTPUTS has, for each line of CASES, kSamples times its outputs as 64-bit
// words. Prints what differs and writes RECORD: a line a case, its name and a
// hash of all words; of an approximation the words of every kStride-th sample.
#include <cstdio>
#include <fstream>
#include <map>
#include <vector>

#include "fmt/format.h"
#include "tests/ptx/scalar_cases.h"

namespace tilesim::ptx {
namespace {

using Outputs = std::vector<uint64_t>;  // of all samples

// What a GPU gave for a sample is what Execute gives, or near enough.
bool Agrees(const ScalarCase& c, int sample, const Outputs& words) {
  const Words in = SampleInputs(c, sample), expected = Execute(c.op, in);
  const uint64_t* found = &words[static_cast<size_t>(sample) * c.op.outputs];
  if (!c.op.error().is_exact()) return WithinBound(c.op, in, found[0]);
  for (int i = 0; i < c.op.outputs; ++i)
    if (Comparable(c.op, i, expected[i]) != Comparable(c.op, i, found[i]))
      return false;
  return true;
}

void TellDifference(const ScalarCase& c, int sample, const Outputs& words) {
  const Words in = SampleInputs(c, sample), expected = Execute(c.op, in);
  fmt::print("{}: sample {}:", c.name, sample);
  for (int i = 0; i < c.op.inputs; ++i) fmt::print(" {:x}", in[i]);
  for (int i = 0; i < c.op.outputs; ++i)
    fmt::print(" = {:x}, not {:x}",
               words[static_cast<size_t>(sample * c.op.outputs + i)],
               ZeroExtend(expected[i], BitsOf(c.op.output_types[i])));
  fmt::print("\n");
}

std::string RecordLine(const ScalarCase& c, const Outputs& words) {
  uint64_t hash = kHashStart;
  for (size_t i = 0; i < words.size(); ++i)
    hash = HashWord(
        hash, Comparable(c.op, static_cast<int>(i) % c.op.outputs, words[i]));
  std::string line = fmt::format("{}\t{:016x}", c.name, hash);
  if (c.op.error().is_exact()) return line;
  for (size_t s = 0; s < kSamples; s += kStride)
    line += fmt::format("{}{:x}", s == 0 ? '\t' : ' ', words[s]);
  return line;
}

int CompareAll(const char* cases, const char* outputs, const char* record) {
  std::map<std::string, ScalarCase> by_name;
  for (ScalarCase& c : AllScalarCases())
    by_name.emplace(fmt::format("{}/{}", c.name, c.op.inputs), c);
  std::ifstream list(cases), in(outputs, std::ios::binary);
  std::ofstream out(record);
  int wrong = 0, all = 0;
  for (std::string line; std::getline(list, line); ++all) {
    std::vector<std::string> fields;
    for (size_t at = 0, end; at <= line.size(); at = end + 1) {
      end = std::min(line.find('\t', at), line.size());
      fields.push_back(line.substr(at, end - at));
    }
    const ScalarCase& c =
        by_name.at(fmt::format("{}/{}", fields[1], fields.size() - 3));
    Outputs words(static_cast<size_t>(kSamples) * c.op.outputs);
    in.read(reinterpret_cast<char*>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof words[0]));
    out << RecordLine(c, words) << '\n';
    int differ = 0;
    for (int s = 0; s < kSamples; ++s) {
      if (Agrees(c, s, words)) continue;
      if (differ++ < 4) TellDifference(c, s, words);
    }
    if (differ > 4) fmt::print("{}: {} samples in all\n", c.name, differ);
    wrong += differ > 0;
  }
  fmt::print("{} of {} cases differ\n", wrong, all);
  return wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace tilesim::ptx

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: scalar_compare CASES OUTPUTS RECORD\n");
    return 2;
  }
  return tilesim::ptx::CompareAll(argv[1], argv[2], argv[3]);
}
