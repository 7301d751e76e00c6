// Control flow, waits, and what decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ptx/flow/graph.h"
#include "ptx/flow/slice.h"
#include "ptx/flow/waits.h"
#include "tests/ptx/files.h"

namespace tilesim::ptx {
namespace {

// A module and the graph of its first function, which points into it.
struct Built {
  explicit Built(const std::string& text) : module(MustParse(text)) {
    ir::Diagnostics diagnostics;
    graph = BuildGraph(module.functions.at(0), diagnostics);
    for (const ir::Diagnostic& d : diagnostics.all())
      ADD_FAILURE() << d.message << " in line " << d.span.line;
  }
  Module module;
  Graph graph;
};

constexpr char kRegisters[] =
    ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n";

Built InBody(const std::string& body) {
  return Built(InKernel(kRegisters + body));
}

// How many tests of a barrier there are, and how many of them are waits.
std::pair<size_t, size_t> Waits(const std::string& body) {
  Built built = InBody(body);
  std::vector<Wait> waits = FindWaits(built.graph);
  return {waits.size(), std::count_if(waits.begin(), waits.end(),
                                      [](const Wait& w) { return w.loops; })};
}

constexpr char kTry[] =
    "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;\n";

using Pair = std::pair<size_t, size_t>;

TEST(Flow, BlocksAndDominators) {
  Built built = InBody(
      "@%p1 bra B;\nadd.s32 %r1, %r2, %r3;\nbra C;\nB: mov.b32 %r1, 0;\n"
      "C: ret;\n");
  const auto& blocks = built.graph.blocks;
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].next, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(blocks[1].next, (std::vector<int32_t>{3}));
  EXPECT_EQ(blocks[0].dominator, -1);
  EXPECT_EQ(blocks[3].dominator, 0);
  EXPECT_EQ(blocks[0].post_dominator, 3);
  EXPECT_EQ(blocks[3].post_dominator, -1);
  EXPECT_TRUE(built.graph.loops.empty());
}

// Who traps ends the kernel: the others meet where they would without.
TEST(Flow, WaysMeetBehindATrap) {
  Built built =
      InBody("@%p1 bra B;\ntrap;\nmov.b32 %r1, 0;\nB: mov.b32 %r2, 0;\nret;\n");
  const auto& blocks = built.graph.blocks;
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].post_dominator, 3);
}

// As nvcc writes calls, on several lines. An assertion that failed ends the
// kernel, printf goes on.
TEST(Flow, CallsOfTheDeviceLibrary) {
  Built built = InBody(
      "@%p1 bra B;\n{\n.param .b64 param0;\ncall.uni \n__assertfail, \n(\n"
      "param0\n);\n}\nB: mov.b32 %r1, 0;\n{\n.param .b64 param0;\n"
      ".param .b32 retval0;\ncall.uni (retval0), \nvprintf, \n(\nparam0, "
      "\nparam0\n);\n}\nret;\n");
  const auto& blocks = built.graph.blocks;
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(CalleeOf(built.graph.nodes[1]), Callee::kAssertFail);
  EXPECT_TRUE(blocks[1].next.empty());
  EXPECT_EQ(CalleeOf(built.graph.nodes[3]), Callee::kPrintf);
  EXPECT_EQ(blocks[2].next, (std::vector<int32_t>{3}));
  EXPECT_EQ(blocks[0].post_dominator, -1);
}

TEST(Flow, Loops) {
  Built built = InBody(
      "A: add.s32 %r1, %r1, 1;\nB: add.s32 %r2, %r2, 1;\n@%p1 bra B;\n"
      "@%p2 bra A;\nret;\n");
  ASSERT_EQ(built.graph.loops.size(), 2u);
  EXPECT_EQ(built.graph.loops[0].blocks.size(), 1u);
  EXPECT_EQ(built.graph.loops[1].blocks.size(), 3u);
}

TEST(Flow, ScopesPartRegistersAndLabels) {
  Built built = InBody(
      "{\n.reg .pred p;\nL: setp.eq.s32 p, %r1, 0;\n@p bra L;\n}\n"
      "{\n.reg .pred p;\nL: setp.eq.s32 p, %r1, 0;\n@p bra L;\n}\nret;\n");
  const auto& nodes = built.graph.nodes;
  EXPECT_NE(nodes[0].defines, nodes[2].defines);
  EXPECT_EQ(nodes[1].targets, (std::vector<int32_t>{0}));
  EXPECT_EQ(nodes[3].targets, (std::vector<int32_t>{1}));
}

TEST(Flow, UnknownNamesAreErrors) {
  Module m = MustParse(InKernel("@%p1 bra nowhere;\n"));
  ir::Diagnostics diagnostics;
  BuildGraph(m.functions[0], diagnostics);
  ASSERT_EQ(diagnostics.errors(), 2u);
  EXPECT_EQ(diagnostics.all()[0].message, "`%p1` is not declared");
  EXPECT_EQ(diagnostics.all()[0].span.line, 7);
  EXPECT_EQ(diagnostics.all()[1].message, "there is no label `nowhere`");
}

TEST(Flow, RegistersAreDeclaredOrSpecial) {
  Module m = MustParse(InKernel(
      ".reg .b32 %r<2>;\nmov.u32 %r1, %tid.x;\nmov.u32 %r1, %envreg3;\n"
      "ld.global.v2.b32 {%r1, %none}, [%lost];\nret;\n"));
  ir::Diagnostics diagnostics;
  BuildGraph(m.functions[0], diagnostics);
  ASSERT_EQ(diagnostics.errors(), 2u);
  EXPECT_EQ(diagnostics.all()[0].message, "`%none` is not declared");
  EXPECT_EQ(diagnostics.all()[1].message, "`%lost` is not declared");
}

TEST(Waits, AsCompilersWriteThem) {
  std::string wait = kTry;
  EXPECT_EQ(Waits("L: " + wait + "@!%p1 bra.uni L;\nret;\n"), Pair(1, 1));
  EXPECT_EQ(Waits("L: " + wait + "@%p1 bra D;\nbra L;\nD: ret;\n"), Pair(1, 1));
  EXPECT_EQ(Waits("L: " + wait +
                  "selp.b32 %r3, 1, 0, %p1;\nsetp.eq.s32 %p2, %r3, 0;\n"
                  "@%p2 bra L;\nret;\n"),
            Pair(1, 1));
  EXPECT_EQ(Waits("L: " + wait +
                  "@%p1 bra D;\nnanosleep.u32 64;\nbra L;\n"
                  "D: ret;\n"),
            Pair(1, 1));
}

TEST(Waits, WhatIsNone) {
  std::string wait = kTry;
  // Left when the phase has not completed.
  EXPECT_EQ(Waits("L: " + wait + "@%p1 bra L;\nret;\n"), Pair(1, 0));
  // No loop.
  EXPECT_EQ(Waits(wait + "ret;\n"), Pair(1, 0));
  // Never left; left in any case.
  EXPECT_EQ(Waits("L: " + wait + "bra L;\n"), Pair(1, 0));
  // Another register decides.
  EXPECT_EQ(Waits("L: " + wait + "@!%p3 bra L;\nret;\n"), Pair(1, 0));
  // A store, and a count that goes round.
  EXPECT_EQ(Waits("L: " + wait +
                  "st.shared.b32 [%r4], %r5;\n@!%p1 bra L;\n"
                  "ret;\n"),
            Pair(1, 0));
  EXPECT_EQ(Waits("L: " + wait + "add.s32 %r2, %r2, 1;\n@!%p1 bra L;\nret;\n"),
            Pair(1, 0));
}

// libcu++ counts rounds, then asks a clock how long to sleep.
TEST(Waits, BackOff) {
  const std::string wait = kTry;
  const std::string counts = "L: " + wait +
                             "@%p1 bra D;\nsetp.lt.s32 %p2, %r4, 16;\n"
                             "@%p2 bra N;\nmov.u32 %r5, %clock;\n"
                             "sub.s32 %r6, %r5, %r7;\nnanosleep.u32 %r6;\n"
                             "bra L;\nN: add.s32 %r4, %r4, 1;\nbra L;\n";
  EXPECT_EQ(Waits(counts + "D: ret;\n"), Pair(1, 1));
  // The count is read behind the loop; it is set first.
  EXPECT_EQ(Waits(counts + "D: st.shared.b32 [%r8], %r4;\nret;\n"), Pair(1, 0));
  EXPECT_EQ(Waits(counts + "D: mov.b32 %r4, 0;\nst.shared.b32 [%r8], %r4;\n"
                           "ret;\n"),
            Pair(1, 1));
  // What is computed from it is read there.
  EXPECT_EQ(Waits("L: " + wait +
                  "add.s32 %r5, %r4, 1;\nadd.s32 %r4, %r4, 1;\n@!%p1 bra L;\n"
                  "st.shared.b32 [%r8], %r5;\nret;\n"),
            Pair(1, 0));
  // It is set in some rounds, and the last is none of them.
  EXPECT_EQ(Waits("L: " + wait +
                  "@%p1 bra D;\nmov.u32 %r5, %clock;\n"
                  "setp.lt.s32 %p2, %r5, 16;\n@%p2 bra L;\nmov.b32 %r4, 1;\n"
                  "bra L;\nD: st.shared.b32 [%r8], %r4;\nret;\n"),
            Pair(1, 0));
  // It gives up after some rounds: no wait.
  EXPECT_EQ(Waits("L: " + wait +
                  "@%p1 bra D;\nadd.s32 %r4, %r4, 1;\n"
                  "setp.lt.s32 %p2, %r4, 16;\n@%p2 bra L;\nD: ret;\n"),
            Pair(1, 0));
  EXPECT_EQ(Waits("L: " + wait +
                  "@%p1 bra D;\nadd.s32 %r4, %r4, 1;\n"
                  "setp.lt.s32 %p2, %r4, 16;\n@%p2 ret;\nbra L;\nD: ret;\n"),
            Pair(1, 0));
  // Which mbarrier is asked changes from round to round.
  EXPECT_EQ(Waits("L: " + wait + "add.s32 %r1, %r1, 8;\n@!%p1 bra L;\nret;\n"),
            Pair(1, 0));
}

// Of the first test and the first wait: Wait::peek.
std::pair<int32_t, int32_t> PeekAndWait(const std::string& body) {
  Built built = InBody(body);
  std::pair<int32_t, int32_t> out = {-1, -1};
  for (const Wait& w : FindWaits(built.graph))
    (w.loops ? out.second : out.first) = w.peek;
  return out;
}

// A test, what becomes of its answer, a wait that it lets be passed over, and
// what is behind it.
std::string Peeking(const std::string& between, const std::string& branch,
                    const std::string& behind = "") {
  return kTry + between + branch + " bra Y;\nmov.u32 %r3, 1000;\n" +
         "L: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], %r2, %r3;\n"
         "@!%p2 bra L;\nY: " +
         behind + "ret;\n";
}

using None = std::pair<int32_t, int32_t>;

TEST(Peeks, LetAWaitBePassedOver) {
  for (const auto& [test, wait] :
       {PeekAndWait(Peeking("", "@%p1")),
        // As CUTLASS writes it: through a number.
        PeekAndWait(Peeking("selp.b32 %r4, 1, 0, %p1;\n"
                            "setp.ne.s32 %p3, %r4, 0;\n",
                            "@%p3")),
        // From the iteration before, or from none.
        PeekAndWait("mov.u32 %r4, 1;\nH: setp.eq.s32 %p3, %r4, 0;\n"
                    "@!%p3 bra Y;\n"
                    "L: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], %r2;\n"
                    "@!%p2 bra L;\nY: mov.u32 %r4, 1;\n@%p4 bra S;\n" +
                    std::string(kTry) +
                    "selp.b32 %r4, 1, 0, %p1;\nS: @%p5 bra H;\nret;\n")}) {
    EXPECT_GE(test, 0);
    EXPECT_EQ(test, wait);
  }
  // A yes comes to the wait.
  EXPECT_EQ(PeekAndWait(Peeking("", "@!%p1")), None(-1, -1));
  // The answer decides more.
  EXPECT_EQ(PeekAndWait(Peeking("@%p1 add.s32 %r5, %r5, 1;\n", "@%p1")),
            None(-1, -1));
  EXPECT_EQ(PeekAndWait(Peeking("selp.b32 %r4, 1, 0, %p1;\n"
                                "st.shared.u32 [%r5], %r4;\n",
                                "@%p1")),
            None(-1, -1));
  // A register that has been written since is no answer; nor is -1 another
  // number than 0xffffffff.
  EXPECT_EQ(PeekAndWait(Peeking("selp.b32 %r4, 1, 0, %p1;\n"
                                "and.b32 %r5, %r4, 0;\nmov.u32 %r5, 1;\n"
                                "setp.ne.s32 %p3, %r4, %r5;\n",
                                "@%p3")),
            None(-1, -1));
  EXPECT_EQ(PeekAndWait(Peeking("selp.b32 %r4, 0xffffffff, 0, %p1;\n"
                                "setp.ne.s32 %p3, %r4, -1;\n",
                                "@%p3")),
            None(-1, -1));
  // The answer before is read behind another test.
  EXPECT_EQ(PeekAndWait(Peeking(std::string("selp.b32 %r4, 1, 0, %p1;\n") +
                                    kTry + "setp.ne.s32 %p1, %r4, 0;\n",
                                "@%p1")),
            None(-1, -1));
  // Whether it was passed over is read behind it.
  EXPECT_EQ(PeekAndWait(Peeking("", "@%p1", "st.shared.u32 [%r5], %r3;\n")),
            None(-1, -1));
}

TEST(Peeks, GoThroughOtherInstructions) {
  for (const auto& [test, wait] :
       {// ... of 16 bits, and compared by size.
        PeekAndWait(Peeking(".reg .b16 %rs<3>;\nselp.u16 %rs1, 1, 0, %p1;\n"
                            "and.b16 %rs2, %rs1, 255;\n"
                            "cvt.s32.u16 %r4, %rs2;\n"
                            "setp.gt.s32 %p3, %r4, 0;\n",
                            "@%p3")),
        // A yes counts only where another predicate holds.
        PeekAndWait(Peeking("and.pred %p1, %p1, %p3;\n", "@%p1")),
        PeekAndWait(Peeking("and.pred %p4, %p3, %p1;\n", "@%p4")),
        PeekAndWait(Peeking("selp.b32 %r4, 1, 0, %p1;\n"
                            "setp.ne.and.s32 %p4, %r4, 0, %p3;\n",
                            "@%p4")),
        PeekAndWait(Peeking("not.pred %p4, %p1;\n"
                            "or.pred %p5, %p4, %p3;\n",
                            "@!%p5"))}) {
    EXPECT_GE(test, 0);
    EXPECT_EQ(test, wait);
  }
  EXPECT_EQ(PeekAndWait(Peeking("or.pred %p1, %p1, %p3;\n", "@%p1")),
            None(-1, -1));
  EXPECT_EQ(PeekAndWait(Peeking("xor.pred %p1, %p1, %p3;\n", "@%p1")),
            None(-1, -1));
  EXPECT_EQ(PeekAndWait(Peeking("not.pred %p4, %p1;\n"
                                "and.pred %p5, %p4, %p3;\n",
                                "@!%p5")),
            None(-1, -1));
  EXPECT_EQ(PeekAndWait(Peeking("selp.b32 %r4, 1, 0, %p1;\n"
                                "setp.eq.and.s32 %p4, %r4, 0, %p3;\n",
                                "@%p4")),
            None(-1, -1));
  EXPECT_EQ(PeekAndWait(Peeking("selp.b32 %r4, 1, 0, %p1;\n"
                                "cvt.rn.f32.s32 %r5, %r4;\n"
                                "setp.gt.f32 %p4, %r5, 0;\n",
                                "@%p4")),
            None(-1, -1));
}

TEST(Waits, AllOfTriton) {
  size_t waits = 0;
  for (const std::string& path : TritonFiles()) {
    Built built(ReadText(path));
    for (const Wait& wait : FindWaits(built.graph)) {
      ++waits;
      EXPECT_TRUE(wait.loops)
          << path << ":" << built.graph.nodes[wait.node].statement->span.line;
    }
  }
  EXPECT_EQ(waits, 28u);
}

TEST(Slice, WhatDecides) {
  Built built = InBody(
      "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\n"  // an address
      "add.f32 %f1, %f2, %f3;\n"                      // stored
      "st.shared.f32 [%r2], %f1;\n"
      "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra L;\nL: ret;\n");
  std::vector<Plane> planes = PlanesOf(built.graph);
  using enum Plane;
  EXPECT_EQ(planes, (std::vector<Plane>{kControl, kControl, kPayload, kAccess,
                                        kControl, kOp, kOp}));
}

std::vector<int32_t> StraightIn(const std::string& body) {
  Built built = InBody(body);
  std::vector<int32_t> out;
  const Straightened s = Straighten(built.graph);
  for (size_t i = 0; i < s.straight.size(); ++i) {
    if (s.straight[i] >= 0) out.push_back(static_cast<int32_t>(i));
  }
  return out;
}

// How often it was asked decides how long it sleeps, and nothing else.
TEST(Slice, BranchesOnWhichNothingDepends) {
  const std::string poll =
      "LOOP: setp.lt.s32 %p1, %r1, 16;\n@%p1 bra COUNT;\n"
      "nanosleep.u32 20;\nbra.uni ASK;\nCOUNT: add.s32 %r1, %r1, 1;\n"
      "ASK: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], %r3;\n"
      "@!%p2 bra LOOP;\n";
  EXPECT_EQ(StraightIn(poll + "ret;\n"), (std::vector<int32_t>{1}));
  // The count is an address.
  EXPECT_EQ(StraightIn(poll + "st.shared.b32 [%r1], %r3;\nret;\n"),
            (std::vector<int32_t>{}));
}

TEST(Slice, WaysThatDoMoreThanCompute) {
  for (std::string_view does :
       {"st.shared.b32 [%r2], %r3;\n", "bar.sync 0;\n", "trap;\n", "ret;\n",
        "shfl.sync.idx.b32 %r1, %r1, 0, 31, -1;\n"}) {
    const std::string body =
        std::string("setp.lt.s32 %p1, %r1, 16;\n@%p1 bra PAST;\n")
            .append(does)
            .append("PAST: ret;\n");
    EXPECT_EQ(StraightIn(body), (std::vector<int32_t>{})) << does;
  }
  // A loop may not end.
  EXPECT_EQ(StraightIn("LOOP: add.s32 %r1, %r1, 2;\n"
                       "setp.ne.s32 %p1, %r1, 7;\n@%p1 bra LOOP;\nret;\n"),
            (std::vector<int32_t>{}));
}

TEST(Slice, LoadsThatDecide) {
  Built built = InBody(
      "ld.shared.b32 %r1, [%r2];\nld.shared.f32 %f1, [%r2];\n"
      "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\nL: ret;\n");
  EXPECT_EQ(ControlLoads(built.graph), (std::vector<int32_t>{0}));
}

// Triton hands partition ids and TMEM addresses through shared memory.
TEST(Slice, Triton) {
  std::map<Plane, size_t> counts;
  std::map<std::string, size_t> loads;
  for (const std::string& path : TritonFiles()) {
    Built built(ReadText(path));
    for (Plane plane : PlanesOf(built.graph)) ++counts[plane];
    std::string name = path.substr(path.rfind('/') + 1);
    loads[name] = ControlLoads(built.graph).size();
  }
  EXPECT_EQ(counts[Plane::kUnknown], 0u);
  EXPECT_GT(counts[Plane::kControl], 1000u);
  EXPECT_GT(counts[Plane::kPayload], 1000u);
  EXPECT_GT(loads["mm_tma_ws1_sm90.ptx"], 0u);
  EXPECT_GT(loads["mm_tma_ws0_sm100.ptx"], 0u);
  EXPECT_EQ(loads["mm_tma_ws0_sm90.ptx"], 0u);
}

}  // namespace
}  // namespace tilesim::ptx
