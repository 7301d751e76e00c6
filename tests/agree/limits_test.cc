// Whatever keeps `check` from a proof is said, and never called clean: a
// program for each reason that the sources can give.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/check.h"
#include "checkers/order/room.h"
#include "fmt/format.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "tests/agree/reasons.h"

namespace tilesim::checkers {
namespace {

struct Limit {
  const char* reason;  // as in the source
  std::string text;    // a program, or the path of one
  CheckOptions options;
  int64_t room = order::Room::kBytes;  // for clocks
};

const std::string kHere = "tests/agree/limits/";
const std::string kStores = kHere + "stores_whose_reads_are_awaited.tile";

std::string Read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Program(const std::string& head, const std::string& body) {
  return fmt::format(
      "kernel limit target sm_90a {{\n{}\n  mbarrier b\n  thread 0 {{\n"
      "    mbarrier.init b, 1\n    fence.mbarrier_init\n  }}\n  bar.sync 0\n"
      "{}\n}}\n",
      head, body);
}

const std::string kNoElement = Program(
    "  param N : 1.. = 4\n  global F : u32[N | N / 2]\n"
    "  grid (N)\n  block 64",
    "  thread 0 { red.add F[cta.x / 4], 1 }");

// Two rows a CTA, or one in the last.
const std::string kTwoShapes = R"(kernel shapes target sm_90a {
  param M : 1.. = 5
  global A : f32[M, 32]
  global D : f32[M, 32]
  computes D = A
  grid (cdiv(M, 2))
  block 32
  reg two : f32[2, 32] fragment blocked(1)
  reg one : f32[1, 32] fragment blocked(1)
  if cta.x * 2 + 2 <= M {
    ld.global two, A[cta.x * 2 :+ 2, :]
    st.global D[cta.x * 2 :+ 2, :], two
  } else {
    ld.global one, A[cta.x * 2 :+ 1, :]
    st.global D[cta.x * 2 :+ 1, :], one
  }
}
)";

const char kOne[] = "  param N : 1.. = 4\n  grid (1)\n  block 64";

// One thread arrives where `guard` holds, and waits for it.
std::string Loop(const std::string& head, const std::string& guard) {
  return Program(head, fmt::format(R"(
  thread 0 {{
    for k in 0..N {{
      if {} {{ mbarrier.arrive b }}
      mbarrier.wait b, parity = k & 1
    }}
  }}
)",
                                   guard));
}

std::string ManyLoops(int count) {
  std::string body = "  thread 0 {\n    var x = 0\n";
  for (int i = 0; i < count; ++i)
    body +=
        "    for k in 0..N {\n      mbarrier.arrive b\n"
        "      mbarrier.wait b, parity = x & 1\n      x = x + 1\n    }\n";
  return Program(kOne, body + "  }");
}

// Two warps arrive at `count` barriers: whose arrival is in which phase, a
// schedule decides.
std::string Ambiguous(int count, const std::string& before) {
  return Program(fmt::format("  grid (1)\n  block 64\n  mbarrier c[{}]", count),
                 fmt::format(R"(
  thread 0 {{
    for i in 0..{0} {{ mbarrier.init c[i], 1 }}
  }}
  bar.sync 0
  thread 0 {{
{1}
  }}
  warps 0..2, elect {{
    for i in 0..{0} {{ mbarrier.arrive c[i] }}
  }}
)",
                             count, before));
}

std::string Asks() {
  return Program("  grid (1)\n  block 64", R"(
  warp 0, elect { mbarrier.arrive b }
  warp 1, elect {
    var seen = 0
    mbarrier.test_wait seen, b, parity = 0
    if seen != 0 { mbarrier.arrive b }
  }
)");
}

// CTA 0 counts up a flag; the others wait until it has.
std::string Flag(int ctas, const std::string& words) {
  return fmt::format(R"(kernel flag target sm_90a {{
  global flag : u32[{1}] zero
  grid ({0})
  block 32
  thread 0 {{
    if cta.x == 0 {{
      red.add.release.gpu flag[0], 1
    }} else {{
      var seen = 0
      while !seen {{ ld.acquire.gpu seen, flag[0] }}
    }}
  }}
}}
)",
                     ctas, words);
}

// One thread of each CTA counts in one word.
std::string CountsOf(int ctas) {
  return fmt::format(R"(kernel counts target sm_90a {{
  global Arrived : u32[1] zero
  global D : u32[1]
  grid ({})
  block 32
  thread 0 {{
    var n = 0
    atom.add.acq_rel.gpu n, Arrived[0], 1
    if n == 1 {{ st D[0], 1 }}
  }}
}}
)",
                     ctas);
}

// CTAs that count, with a flag that is set; what CTA 0 does before, and the
// others after.
std::string FlagOf(const std::string& ctas, const std::string& before = "",
                   const std::string& after = "",
                   const std::string& setter = "0") {
  return fmt::format(R"(kernel flag target sm_90a {{
  param N : 2.. = 3
  global flag : u32[1] zero
  global Data : f32[32, 32]
  global Word : u32[1] in 0..1
  global More : u32[1] zero
  grid ({0})
  block 32
  mbarrier full
  shared s : f32[32, 32]
  reg v : f32[32, 32] fragment blocked(1)
  elect {{
    mbarrier.init full, 1
    fence.mbarrier_init
  }}
  bar.warp.sync
  if cta.x == {3} {{
    {1}
    bar.warp.sync
    thread 0 {{ st.release.gpu flag[0], 1 }}
  }} else {{
    thread 0 {{
      var seen = 0
      while !seen {{ ld.acquire.gpu seen, flag[0] }}
      {2}
    }}
  }}
}}
)",
                     ctas, before, after, setter);
}

const char kLoad[] = R"(fence.proxy.async.global
      mbarrier.arrive.expect_tx full, bytes(s)
      tma.load s, Data, full
      mbarrier.wait full, parity = 0)";

// Whether a word that comes from a register tile is there decides.
std::string Computed() {
  return Program("  shared s : u32[1, 32]\n  grid (1)\n  block 64", R"(
  warp 0 {
    reg v : u32[1, 32] fragment blocked(1)
    mov v, 1
    st.shared s, v
  }
  warp 1, elect {
    var seen = 0
    ld seen, s[0, 0]
    if seen { mbarrier.arrive b }
  }
)");
}

std::string HandsOut(const std::string& grid, const std::string& who,
                     const std::string& head = "") {
  return fmt::format(R"(kernel hands_out target sm_100a {{
  {2}
  grid ({0})
  block 64
  mbarrier answered[2]
  shared answer[2] : u32[4]
  thread 0 {{
    mbarrier.init answered[0], 1
    mbarrier.init answered[1], 1
    fence.mbarrier_init
  }}
  bar.sync 0
  {1}, elect {{
    var more = 0
    var x = 0
    var y = 0
    mbarrier.arrive.expect_tx answered[warp], 16
    clc.try_cancel answer[warp], answered[warp]
    mbarrier.wait answered[warp], parity = 0
    clc.query_cancel more, x, y, answer[warp]
    if more {{ fence.proxy.async }}
  }}
}}
)",
                     grid, who, head);
}

// A kernel, and one below it that may begin when the first has begun.
std::string Dependent(const std::string& first) {
  return fmt::format(
      "kernel first target sm_90a {{\n  global A : u32[2] zero\n"
      "  global B : u32[2]\n  grid (1)\n  block 32\n  elect {{ {} }}\n"
      "  griddepcontrol.launch_dependents\n}}\n"
      "kernel second target sm_90a programmatic {{\n  grid (1)\n  block 32\n"
      "  elect {{\n    var x = 0\n    ld x, A[0]\n    st B[0], x\n  }}\n}}\n",
      first);
}

// Right, but for a search to say.
constexpr const char* kSearched =
    "tests/verify/next_tile_from_a_counter.fixed.tile";

std::string SearchedInAllSizes() {
  std::string text = Read(kSearched);
  text.insert(text.find("  grid"), "  param N : 1.. = 4\n");
  return text;
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

// In one run, or in the schedules.
std::vector<Limit> OfSchedules() {
  return {
      {"the run is longer than ", Loop(kOne, "1"), With(3, 4)},
      {"what comes before what takes more than 200000 ", kStores, {}, 200'000},
      {"what comes before what takes more than ", kStores, {}, 1},
      {"not all of a run could be followed",
       kHere + "loop_whose_end_is_not_awaited.tile",
       {}},
      {"line 7: a loop goes on for more than ",
       kHere + "loop_whose_end_is_not_awaited.tile",
       {}},
      {"not all schedules were searched: ", kSearched, With(3)},
      {"more than ", kSearched, With(3)},
      {"control depends on mbarrier.test_wait", Asks(), With(3)},
      {"a thread polls memory for ever", kHere + "polls_for_ever.tile", {}},
      {"a schedule may go round for ever", kHere + "polls_for_ever.tile", {}},
      {"control may depend on values of `v`, which are computed",
       Computed(),
       {}},
      {"control may depend on values of `flag`, which another kernel writes",
       kHere + "a_second_kernel_decides_by_a_flag_of_the_first.tile",
       {}},
      {"several words are read while they may be written",
       kHere + "two_flags_each_read_while_written.tile",
       {}},
      {"control depends on ",
       kHere + "shared_memory_that_nobody_wrote.tile",
       {}},
      {"requests of cluster launch control come in any order",
       HandsOut("2", "warps 0..2"), With(3)},
      {"of the clusters that cluster launch control may hand out only ",
       HandsOut("8", "warp cta.x / 4"),
       {}},
      {"found no larger grid for `",
       HandsOut("N / 100000000 + 1", "warp 0", "param N : 1.. = 4"),
       {}},
      {"checked for some draws of the values of `",
       Program("  global any : u32[3] in 0..99\n  grid (1)\n  block 64", R"(
  thread 0 {
    var x = 0
    var y = 0
    ld x, any[0]
    ld y, any[1]
    if x * y == 6000 { mbarrier.arrive b }
  }
)"),
       {}},
      {"checked for one draw of the values of `",
       Program("  global any : u32[1]\n  grid (1)\n  block 64", R"(
  thread 0 {
    var x = 0
    ld x, any[0]
    if x { mbarrier.arrive b }
  }
)"),
       {}},
  };
}

// Between kernels, and in grids.
std::vector<Limit> OfKernelsAndGrids() {
  return {
      {"neither an order nor a race was shown of kernels ",
       Dependent("st A[1], 1"),
       {}},
      // A fence before the trigger: an order that is not judged.
      {"neither an order nor a race was shown of kernels ",
       Dependent("st A[0], 1; fence.acq_rel.gpu"),
       {}},
      {"tensor memory that kernel ",
       kHere + "a_second_kernel_has_all_tensor_memory.tile",
       {}},
      {"no grid was run whole: `",
       "tests/attacks/added_onto_nothing.tile",
       {.defines = {{"N", 100'000}}}},
      {"two elements of O lie in one byte, and it was not shown ",
       Read("tests/attacks/byte_shared_by_a_late_cta.tile"),
       {}},
      {"of grids of up to ",
       Program("  param N : 1..2 = 1\n  grid (40)\n  block 64", ""), Trips(1)},
  };
}

// Where CTAs talk, or are handed out.
std::vector<Limit> OfTalk() {
  return {
      {"which cluster it works for decides, and cluster launch control",
       Read("tests/attacks/two_clusters_handed_in_turn.tile"),
       {}},
      {"control may depend on values of ", Flag(5, "1"), {}},
      {"it was not checked that every flag is set", FlagOf("300"), {}},
      {"a cluster that cluster launch control hands out is not launched",
       Read("tests/attacks/flag_of_a_cluster_that_is_taken_over.tile"),
       {}},
      {"cluster launch control hands out clusters, and ",
       "tests/sizes/conditions/every_other_answer_is_not_read.tile",
       {}},
      {"CTAs communicate other than by counters and flags",
       FlagOf("N", "red.add.release.gpu More[0], 1",
              "var more = 0; while !more { ld.acquire.gpu more, More[0] }"),
       {}},
      {"what a flag hands over that is set several times ",
       FlagOf("5", "thread 0 { st Word[0], 1; st.release.gpu flag[0], 1 }",
              "var part = 0; ld part, Word[0]"),
       {}},
      {"of the numbers that a CTA may draw only ", CountsOf(300), {}},
      {"numbers that CTAs draw by atomics decide what is touched of ",
       "tests/attacks/slots_of_two_counters.tile",
       {}},
      {"asynchronous accesses to ",
       FlagOf("5", "mov v, 1.0; st.global Data, v", kLoad),
       {}},
      {"a thread waits for a value that another cluster may write",
       Flag(5, "1"),
       {}},
      {"control may depend on values of `flag`, which other clusters write",
       Flag(5, "1"),
       {}},
      {"control may depend on values of `flag`, which are read and written in "
       "any order",
       Flag(2, "1"), With(1)},
      {"control may depend on values of `flag`, which is too large to be "
       "searched",
       Flag(2, "5000"),
       {}},
  };
}

// In global memory. The second one meets after more copies than a run has.
std::vector<Limit> OfGlobalMemory() {
  return {
      {"it was not shown that no two clusters touch the same elements of ",
       Program("  param P : 4.. = 4\n  global W : u32[P]\n  grid (4)\n"
               "  block 32\n  let first = cta.x * P * P / 4",
               "  thread 0 { st W[(first + P - 1) / P % P], 1 }"),
       {}},
      {"it was not shown that the divisor `",
       Loop(kOne, "7 / (N * N % 1000003 - 5) < 8"),
       {}},
      {"it was not shown that the shift by `",
       Loop(kOne, "1 << (N * N % 4 * 40) > 0"),
       {}},
      {"it was not shown that threads of one cluster are in order where they "
       "touch the same elements of ",
       Program("  param N : 1.. = 4\n  global W : f32[1920000, 32]\n"
               "  grid (1)\n  block 32\n  shared s : f32[32, 32]\n"
               "  reg v : f32[32, 32] fragment blocked(1)",
               R"(
  mov v, 1.0
  st.shared s, v
  fence.proxy.async
  bar.sync 0
  thread 0 {
    for i in 0..N {
      tma.store W[i % 60000 * 32 :+ 32, :], s
      bulk.commit_group
    }
    bulk.wait_group 0
  }
)"),
       {}}};
}

// In what a search may take.
std::vector<Limit> OfSearches() {
  return {
      {"it is not shown that all that `",
       "tests/attacks/scratch_of_a_kernel_that_stops_at_a_product.tile",
       {}},
      {"an element of `",
       "tests/attacks/read_by_a_flag_from_the_three_hundredth_on.tile",
       {}},
      {"a schedule of more than ",
       Ambiguous(1,
                 "    for k in 0..30000 {\n      mbarrier.arrive b\n"
                 "      mbarrier.wait b, parity = k & 1\n    }\n"),
       {}},
      {"a schedule whose states take more than ",
       kHere + "eight_ctas_of_32_warps.tile",
       {}},
      {"more than 256 different orders", Ambiguous(9, ""), {}},
  };
}

// In what stands for other sizes.
std::vector<Limit> OfSizes() {
  return {
      {"too many sizes behave differently",
       kHere + "products_of_five_sizes.tile",
       {}},
      {"more and more sizes of `", Loop(kOne, "k * k < 5000000"), {}},
      {"it is not shown that all of `", kTwoShapes, {}},
      {"whether the element, or the start of a box, on line ", kNoElement, {}},
      {"for some branches no sizes were found that `requires` permits, ",
       Loop("  param N : 1.. = 5000\n  requires N / 5000 >= 1\n"
            "  grid (1)\n  block 64",
            "1"),
       {}},
      {"schedules had to be searched, ", SearchedInAllSizes(), {}},
      {"that every CTA sets a word of `", FlagOf("N", "", "", "1"), {}},
      {"taken for any number, ",
       Loop("  param N : 1.. = 4\n  let few = N % (N / 3 + 1)\n"
            "  grid (1)\n  block 64",
            "few != 3"),
       {}},
      {"what CTAs do to each other on line ",
       kHere + "ctas_meet_in_few_sizes.tile",
       {}},
      {"how many CTAs count in one word is not shown",
       kHere + "counts_in_one_word_or_two.tile",
       {}},
      {"`Arrived` is put back by another than the thread ",
       "tests/sizes/conditions/put_back_by_the_last_but_one.tile",
       {}},
      {"whether registers or tensor memory run out depends on ",
       "tests/catalogue/"
       "K08_registers_of_two_producers_and_two_consumers.tile",
       With(1)},
      {"too many loops end differently", ManyLoops(210), {}},
      {"found no sizes in which loops go around often enough: ",
       Loop(kOne, "1"), Trips(1'000'000)},
      {"it would take too long runs",
       Program(kOne, R"(
  thread 0 {
    for k in 0..45000 {
      mbarrier.arrive b
      mbarrier.wait b, parity = k & 1
    }
    for k in 0..N {
      if k * k < 5000 { mbarrier.arrive b }
      mbarrier.wait b, parity = k & 1
    }
  }
)"),
       {}},
      {"what is decided on line ", Loop(kOne, "N - k != 900"), {}},
  };
}

std::vector<Limit> Limits() {
  std::vector<Limit> all = OfSchedules();
  for (const auto& some : {OfKernelsAndGrids(), OfTalk(), OfGlobalMemory(),
                           OfSearches(), OfSizes()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::string TextOf(const Limit& limit) {
  return limit.text.ends_with('\n') ? limit.text : Read(limit.text);
}

TEST(Limits, AreSaidAndNeverClean) {
  for (const Limit& limit : Limits()) {
    SCOPED_TRACE(limit.reason);
    ir::Source source{"limit.tile", TextOf(limit)};
    ir::Diagnostics diagnostics;
    auto program = frontend::Parse(source, diagnostics);
    ASSERT_TRUE(program) << ir::Render(diagnostics.all().front(), source);
    const order::Room room(limit.room);
    CheckReport report = Check(*program, limit.options);
    EXPECT_NE(report.verdict, Verdict::kClean);
    std::string all;
    for (const std::string& why : report.open) all += why + "\n";
    EXPECT_NE(all.find(limit.reason), std::string::npos) << all;
  }
}

// Reasons that no program is known for: they would be mistakes of ours, or are
// told with a finding.
const std::set<std::string> kNotForced = {
    // Of grids of flags that no other reason has stopped before: none is known.
    "flags between CTAs are followed only in grids that are run",
    "not all sizes: ", "this may enter barrier ",
    "our bug: a move that was possible could not be made",
    "our bug: the grid is not what it was shown to be",
    "our bug: a CTA counts other than once",
    "our bug: nobody draws a number of the cell",
    "our bug: a size does what was shown that it does not",
    "the search stopped after what it found",
    "schedules were not all searched",  // another reason says why
    "no larger sizes found for `",      // there are some, in a few steps
    "the run does not get to its end",
    // The language allows no such layout yet.
    "the layout of a CTA depends on a size",
    "the run is over before its repeats are",
    // Locks, which PTX alone has: tests/ptx/check/mutants.json, `locked` and
    // `partials`.
    "it was not checked that each lock is held by one CTA at a ",
    "several threads take the lock of line ", "the lock of line ",
    "threads that try to take a lock in a loop with a barrier meet others ",
    "clusters touch the same bytes of ",
    // Likewise polls of all threads: `rounds`.
    "threads that wait for a word in a loop with a barrier meet others ",
    // Likewise barriers of the grid, one after the other; values of words that
    // are read and written in any order are told before.
    "whether all threads that ask for a round of "};

TEST(Limits, HaveAProgramEach) {
  std::vector<Limit> limits = Limits();
  std::vector<std::string> sources = Sources("checkers");
  EXPECT_GT(sources.size(), 50u);
  for (const std::string& path : sources) {
    for (const std::string& reason : ReasonsIn(path)) {
      bool forced = std::any_of(
          limits.begin(), limits.end(),
          [&](const Limit& l) { return reason.rfind(l.reason, 0) == 0; });
      EXPECT_TRUE(forced || kNotForced.count(reason) != 0)
          << path << ": \"" << reason << '"';
    }
  }
}

}  // namespace
}  // namespace tilesim::checkers
