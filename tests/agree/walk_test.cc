// What a walk of a kernel's scalars says that each CTA touches
// (checkers/launch/walk.h) against what the machine does: every kernel of the
// tree, at small sizes, one run of each cluster.
#include "checkers/launch/walk.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checkers/launch/outline.h"
#include "checkers/plan/instance.h"
#include "checkers/run/environment.h"
#include "checkers/run/runner.h"
#include "frontend/parse.h"
#include "ir/cat.h"
#include "sim/machine/place.h"

namespace tilesim::checkers {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kMaxClusters = 40;

// CTA, line, operand, whether it writes, object, start, extent.
using Touched = std::tuple<int64_t, int32_t, int, bool, int32_t,
                           std::array<int64_t, ir::kMaxRank>,
                           std::array<int32_t, ir::kMaxRank>>;

Touched Of(int64_t cta, const ir::Op& op, int operand, bool write,
           const ir::TileValue& box) {
  return {cta, op.span.line, operand, write, box.index, box.start, box.extent};
}

struct Seen : launch::Walker::Visitor {
  std::set<Touched> all, sure;
  bool failed = false;

  void Touches(const launch::Visit& v) override {
    Touched t =
        Of(v.cta.linear, *v.op.op, v.touch.operand, v.touch.write, v.box);
    all.insert(t);
    if (!v.may) sure.insert(t);
  }
  void Fails(const machine::Cta&, ir::Span) override { failed = true; }
};

// What is followed of what a cluster does. nullopt: its run was not to the end.
std::optional<std::set<Touched>> Executed(const machine::Code& code,
                                          const launch::Outline& outline,
                                          int64_t cluster) {
  run::RunOptions options;
  options.cluster = cluster;
  run::Environment none;
  none.handed_out.emplace();
  options.environment = &none;
  options.max_events = 20'000;
  run::Log log = RunCluster(code, options);
  if (!log.finished || log.faulted) return std::nullopt;
  std::set<Touched> out;
  const ir::BoundKernel& b = code.bound;
  for (const run::Event& e : log.events) {
    if (e.kind != run::Event::Kind::kOp) continue;
    machine::Cta cta;
    Place(b, cluster, e.concrete().cluster_rank, cta);
    for (const grid::Touch& t :
         outline.touches[e.instance->compiled - code.ops.data()])
      out.insert(Of(cta.linear, *e.concrete().op, t.operand, t.write,
                    e.concrete().tile(t.operand)));
  }
  return out;
}

struct Count {
  int compared = 0;  // clusters
  int limited = 0;   // kernels
};

void Compare(const std::string& path, const machine::Code& code, Count& count) {
  launch::Outline outline = launch::OutlineOf(code, {});
  if (!outline.limit.empty()) {
    ++count.limited;
    return;
  }
  const ir::BoundKernel& b = code.bound;
  const int64_t clusters = b.ctas() / b.cluster_size();
  for (int64_t c = 0; c < std::min(clusters, kMaxClusters); ++c) {
    auto executed = Executed(code, outline, c);
    if (!executed) continue;
    Seen seen;
    int64_t steps = 1'000'000;
    launch::Walker walker(code, outline, steps, seen);
    for (int64_t rank = 0; rank < b.cluster_size(); ++rank) {
      machine::Cta cta;
      machine::Place(b, c, static_cast<int>(rank), cta);
      walker.Walk(cta);
    }
    ASSERT_GT(steps, 0) << path;
    ++count.compared;
    for (const Touched& t : *executed)
      ASSERT_EQ(seen.all.count(t), 1u)
          << path << ":" << std::get<1>(t) << ": not walked, cluster " << c;
    for (const Touched& t : seen.sure)
      ASSERT_EQ(executed->count(t), 1u)
          << path << ":" << std::get<1>(t) << ": not executed, cluster " << c;
    ASSERT_FALSE(seen.failed) << path;
  }
}

void CompareFile(const std::string& path, Count& count) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  ir::Source source{path, text.str()};
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse(source, diagnostics);
  if (!program) return;
  for (const ir::Kernel& kernel : program->kernels) {
    ir::Diagnostics ignored;
    plan::Instances instances = plan::ChooseInstances(kernel, {}, ignored);
    if (!instances.all.empty())
      Compare(path, *instances.all.back().code, count);
  }
}

TEST(Walk, TouchesWhatTheMachineTouches) {
  Count count;
  for (const char* folder :
       {"examples", "tests/verify", "tests/peers", "tests/catalogue",
        "tests/rules", "tests/run", "tests/sizes"}) {
    for (const auto& e : fs::recursive_directory_iterator(folder)) {
      if (e.path().extension() == ".tile")
        CompareFile(e.path().string(), count);
    }
  }
  RecordProperty("clusters", count.compared);
  RecordProperty("limited", count.limited);
  EXPECT_GE(count.compared, 900);
  EXPECT_LE(count.limited, 60);
}

}  // namespace
}  // namespace tilesim::checkers
