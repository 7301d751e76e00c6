#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "sim/arch/calibrate/rules.h"
#include "sim/arch/calibrate/write.h"

namespace tilesim::arch {
namespace {

std::string TextOf(const char* path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Readings Recorded() {
  std::string error;
  auto readings =
      Readings::Parse(TextOf("hwtests/results/h200/calibration.json"), &error);
  EXPECT_TRUE(readings) << error;
  return std::move(*readings);
}

// The file in the tree is the one that the command writes of the recorded
// readings: `tilesim calibrate --readings ... -o sim/arch/h200.toml`.
TEST(Calibrate, TheFileOfTheH200IsWhatItsReadingsSay) {
  const Calibrated made = Calibrate(Recorded(), *FindArch("h200"), "h200");
  EXPECT_EQ(made.text, TextOf("sim/arch/h200.toml"));
  EXPECT_TRUE(made.kept.empty()) << made.kept.front();
}

TEST(Calibrate, EachRuleIsOfAParameter) {
  for (const Rule& rule : Rules()) {
    int found = 0;
    for (const ParamInfo& info : Params()) found += info.name == rule.param;
    EXPECT_EQ(found, 1) << rule.param;
  }
}

// Another GPU's readings make another file; nothing else changes it.
TEST(Calibrate, AReadingMovesItsParameter) {
  const std::string line =
      R"({"name": "launch.replacement", "parameters": {"cluster": 1, )"
      R"("threads": 128}, "median": 500, "p10": 490, "p90": 510})";
  std::string error;
  auto readings = Readings::Parse(line, &error);
  ASSERT_TRUE(readings) << error;
  readings->machine = {"another", "1.0", "2027-01-01"};
  const Calibrated made = Calibrate(*readings, *FindArch("h200"), "mine");
  EXPECT_EQ(made.from_readings, 1);
  EXPECT_EQ(made.kept.size(), Rules().size() - 1);
  auto arch = ParseArch(made.text, &error);
  ASSERT_TRUE(arch) << error;
  EXPECT_EQ(arch->name, "mine");
  EXPECT_EQ(arch->driver, "1.0");
  EXPECT_EQ(arch->cta_reuse, 500);
  EXPECT_EQ(arch->l2_bytes, FindArch("h200")->l2_bytes);
}

TEST(Calibrate, WhatIsNoReadingIsSaid) {
  for (const char* text :
       {"", "{", "[]", "{\"machine\": 1}", "{\"name\": \"x\"}\n",
        "{\"name\": \"x\", \"parameters\": {\"a\": []}, \"median\": 1, "
        "\"p10\": 1, \"p90\": 1}"}) {
    std::string error;
    EXPECT_FALSE(Readings::Parse(text, &error)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
}

}  // namespace
}  // namespace tilesim::arch
