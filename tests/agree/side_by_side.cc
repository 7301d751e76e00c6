#include "tests/agree/side_by_side.h"

#include "checkers/judge/cluster.h"
#include "gtest/gtest.h"
#include "tests/agree/check_text.h"

namespace tilesim::checkers {
using footprint::Fragments;
using judge::ClusterVerdict;
using judge::JudgeCluster;
using run::RunOptions;

namespace {

constexpr int64_t kMaxStates = 200'000;

}  // namespace

Verdict SearchedSideBySide(const std::string& text) {
  CompiledKernel k = Compiled(text);
  Fragments fragments;
  RunOptions o;
  o.clusters = k.code->bound.ctas();
  ClusterVerdict v = JudgeCluster(*k.code, o, kMaxStates, fragments);
  if (!v.findings.all().empty()) return Verdict::kFindings;
  return v.all_interleavings ? Verdict::kClean : Verdict::kIncomplete;
}

bool WrongEitherWay(const std::string& text) {
  CheckReport r = CheckText(text, {});
  EXPECT_NE(r.verdict, Verdict::kIncomplete) << text << r.open.front();
  bool wrong = r.verdict == Verdict::kFindings;
  EXPECT_EQ(r.verdict, SearchedSideBySide(text)) << text;
  return wrong;
}

}  // namespace tilesim::checkers
