// Whatever keeps `check` from a proof is said, and never called clean: a
// program for each reason that the sources can give.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "checkers/check.h"
#include "fmt/format.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"

namespace tilesim::checkers {
namespace {

struct Limit {
  const char* reason;  // as in the source
  std::string text;    // a program, or the path of one
  CheckOptions options;
};

std::string Program(const std::string& head, const std::string& body) {
  return fmt::format(
      "kernel limit target sm_90a {{\n{}\n  mbarrier b[4]\n"
      "  warp 0, elect {{\n    for s in 0..4 {{\n"
      "      mbarrier.init b[s], 1\n    }}\n    fence.mbarrier_init\n  }}\n"
      "  bar.sync 0\n{}\n}}\n",
      head, body);
}

// Arrivals of two warps may count in either's phase: only a search can tell.
constexpr const char* kTwoArrive = R"(
  warp 0, elect { mbarrier.arrive b[0] }
  warp 1, elect { mbarrier.arrive b[0] }
)";

std::string Loop(const std::string& head, const std::string& guard) {
  return Program(head, fmt::format(R"(
  warp 0, elect {{
    for k in 0..N {{
      if {} {{ mbarrier.arrive b[0] }}
      mbarrier.wait b[0], parity = k & 1
    }}
  }}
)",
                                   guard));
}

std::string ManyLoops(int count) {
  std::string body = "  thread 0 {\n    var x = 0\n";
  for (int i = 0; i < count; ++i)
    body +=
        "    for k in 0..N {\n      mbarrier.arrive b[0]\n"
        "      mbarrier.wait b[0], parity = x & 1\n"
        "      x = x + 1\n    }\n";
  return Program("  param N : 1.. = 1\n  grid (1)\n  block 32", body + "  }");
}

CheckOptions With(int64_t max_states, int64_t max_events = 100'000) {
  CheckOptions o;
  o.max_states = max_states;
  o.max_events = max_events;
  return o;
}

CheckOptions Trips(int64_t trips) {
  CheckOptions o;
  o.trips = trips;
  return o;
}

const char kOne[] = "  param N : 1.. = 4\n  grid (1)\n  block 64";

std::vector<Limit> Limits() {
  return {
      {"the run is longer than ", Loop(kOne, "1"), With(3, 20)},
      {"not all schedules were searched: ", Program(kOne, kTwoArrive), With(3)},
      {" positions (--max-states)", Program(kOne, kTwoArrive), With(3)},
      {"control may depend on values of `", "examples/gemm/split_k.tile", {}},
      {"a thread waits for a value that another cluster may write",
       "examples/gemm/stream_k.tile",
       {}},
      {"control depends on cluster launch control",
       "examples/gemm/clc_persistent.tile",
       {}},
      {"checked for one draw of the values of `",
       "examples/gemm/fp8_block_scaled.tile",
       {}},
      {"kernels are judged one by one, but these overlap",
       "examples/gemm/pdl_pair.tile",
       {}},
      {"of grids of up to ",
       Program("  param N : 1..2 = 1\n  grid (40)\n  block 64", ""), Trips(1)},
      {"too many clusters",
       Loop("  param N : 1.. = 4\n  grid (40)\n  block 64", "1"),
       {}},
      {"too many sizes behave differently",
       Loop("  param N : 1.. = 4\n  param L : 1..30 = 1\n"
            "  param M : 1..30 = 1\n  grid (1)\n  block 64",
            "1"),
       {}},
      {"no end to what depends on `", Loop(kOne, "k * k < 5000"), {}},
      {"no permitted sizes found",
       Loop("  param N : 1.. = 4\n  requires N % 2 == 2\n"
            "  grid (1)\n  block 64",
            "1"),
       {}},
      {"the layout of a CTA depends on a size",
       Program("  param N : 1.. = 4\n  grid (1)\n  block 64\n"
               "  shared a[N] : f32[32]",
               ""),
       {}},
      {"schedules were searched", Program(kOne, kTwoArrive), {}},
      {"too many loops end differently", ManyLoops(210), {}},
      {"found no sizes in which loops go around often enough: ",
       Loop("  param N : 1..3 = 3\n  grid (1)\n  block 64", "1"),
       Trips(1'000'000)},
      {"what is decided on line ", Loop(kOne, "N - k != 90"), {}},
  };
}

std::string TextOf(const Limit& limit) {
  if (limit.text.find('\n') != std::string::npos) return limit.text;
  std::ifstream in(limit.text);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Limits, AreSaidAndNeverClean) {
  for (const Limit& limit : Limits()) {
    SCOPED_TRACE(limit.reason);
    ir::Source source{"limit.tile", TextOf(limit)};
    ir::Diagnostics diagnostics;
    auto program = frontend::Parse(source, diagnostics);
    ASSERT_TRUE(program) << ir::Render(diagnostics.all().front(), source);
    CheckReport report = Check(*program, limit.options);
    EXPECT_EQ(report.verdict, Verdict::kIncomplete);
    std::string all;
    for (const std::string& why : report.open) all += why + "\n";
    EXPECT_NE(all.find(limit.reason), std::string::npos) << all;
  }
}

}  // namespace
}  // namespace tilesim::checkers
