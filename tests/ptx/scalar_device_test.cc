// Execute against what a GPU said: hwtests/scalar/h200.txt.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/ptx/scalar_cases.h"

namespace tilesim::ptx {
namespace {

struct Recorded {
  std::string hash, words;
};

std::map<std::string, Recorded> ReadRecord() {
  std::map<std::string, Recorded> all;
  std::ifstream in("hwtests/scalar/h200.txt");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string name;
    Recorded r;
    std::getline(fields, name, '\t');
    std::getline(fields, r.hash, '\t');
    std::getline(fields, r.words);
    all.emplace(name, r);
  }
  return all;
}

std::string HashOfExecute(const ScalarCase& c) {
  uint64_t hash = kHashStart;
  for (int s = 0; s < kSamples; ++s) {
    const Words out = Execute(c.op, SampleInputs(c, s));
    for (int i = 0; i < c.op.outputs; ++i)
      hash = HashWord(hash, Comparable(c.op, i, out[i]));
  }
  std::ostringstream text;
  text.width(16);
  text.fill('0');
  text << std::hex << hash;
  return text.str();
}

// Forms of 2 and 3 inputs may share a spelling; sm_90a has those of 2 only.
bool IsRecorded(const ScalarCase& c,
                const std::map<std::string, Recorded>& record) {
  const bool three = c.op.inputs == 3 && c.op.form->meaning != nullptr &&
                     (c.instruction.opcode.starts_with("min.") ||
                      c.instruction.opcode.starts_with("max."));
  return record.contains(c.name) && !three;
}

TEST(ScalarDevice, ExactInstructionsGiveTheBitsOfAnH200) {
  const auto record = ReadRecord();
  int judged = 0;
  for (const ScalarCase& c : AllScalarCases()) {
    if (!c.op.error().is_exact() || !IsRecorded(c, record)) continue;
    ++judged;
    EXPECT_EQ(HashOfExecute(c), record.at(c.name).hash) << c.name;
  }
  EXPECT_GT(judged, 3100);
}

TEST(ScalarDevice, ApproximationsAreWithinTheirBounds) {
  const auto record = ReadRecord();
  int judged = 0;
  for (const ScalarCase& c : AllScalarCases()) {
    if (c.op.error().is_exact() || !IsRecorded(c, record)) continue;
    ++judged;
    std::istringstream words(record.at(c.name).words);
    uint64_t word = 0;
    int sample = 0;
    for (; words >> std::hex >> word; sample += kStride)
      EXPECT_TRUE(WithinBound(c.op, SampleInputs(c, sample), word))
          << c.name << " of sample " << sample;
    EXPECT_EQ(sample, kSamples) << c.name;
  }
  EXPECT_GT(judged, 20);
}

// hwtests/scalar/h200_sweep.txt: all inputs of each function.
TEST(ScalarDevice, BoundsHoldForAllInputs) {
  std::ifstream in("hwtests/scalar/h200_sweep.txt");
  std::map<std::string, ScalarCase> by_name;
  for (ScalarCase& c : AllScalarCases()) by_name.emplace(c.name, c);
  int lines = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string name;
    double ulps = 0, from = 0, absolute = 0;
    fields >> name >> ulps;
    const ErrorBound bound = by_name.at(name).op.error();
    if (bound.ulps != 0) {
      EXPECT_LE(ulps, bound.ulps) << line;
    }
    // Pairs: the least input of a binade, the greatest error in it.
    while (fields >> from >> absolute)
      EXPECT_LE(absolute, bound.absolute + bound.of_input * from) << line;
    ++lines;
  }
  EXPECT_EQ(lines, 19);
}

// What no H200 was asked is for sm_100 only; cvta is a move.
TEST(ScalarDevice, WhatIsNotRecordedIsListed) {
  const auto record = ReadRecord();
  std::set<std::string> kinds;
  for (const ScalarCase& c : AllScalarCases()) {
    if (IsRecorded(c, record)) continue;
    const TypeInfo &type = InfoOf(c.op.type), &source = InfoOf(c.op.source);
    const std::string_view opcode = c.op.form->opcode();
    std::string kind(opcode);
    kind += "." + std::string(type.word);
    if (opcode == "cvt") kind += "." + std::string(source.word);
    // ptxas refuses .sat where nothing can be out of range.
    const bool idle = opcode == "cvt" && c.op.sat && !IsFloat(c.op.type);
    if (!idle) kinds.insert(kind);
  }
  EXPECT_EQ(kinds,
            (std::set<std::string>{
                "add.f32x2", "cvt.bf16x2.ue8m0x2", "cvt.e2m1x2.f32",
                "cvt.e2m3x2.f32", "cvt.e3m2x2.f32", "cvt.f16x2.e2m1x2",
                "cvt.f16x2.e2m3x2", "cvt.f16x2.e3m2x2", "cvt.tf32.f32",
                "cvt.ue8m0x2.bf16x2", "cvt.ue8m0x2.f32", "cvta.u64",
                "fma.f32x2", "max.f32", "min.f32", "mul.f32x2", "sub.f32x2"}));
}

}  // namespace
}  // namespace tilesim::ptx
