#include "hwtests/emit/emit.h"

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hwtests/emit/device_header.h"
#include "ir/cat.h"
#include "ir/op.h"
#include "ir/reference_functions.h"
#include "nlohmann/json.hpp"
#include "tests/hw/testing.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

void CollectKinds(const ir::Block& block, std::set<ir::OpKind>* kinds) {
  for (const ir::Stmt& stmt : block) {
    if (stmt.op) kinds->insert(stmt.op->info->kind);
    CollectKinds(stmt.body, kinds);
    CollectKinds(stmt.orelse, kinds);
  }
}

// Every op has a lowering; an entry in exempt.def fails here.
TEST(Emit, NoOpIsExempt) {
  EXPECT_TRUE(ExemptOps().empty()) << ExemptOps().front();
}

// A file is launched without another line: tensor maps, grid, cluster.
TEST(Emit, EveryExampleHasItsHostSide) {
  for (const std::string& file : TileFiles({"examples"})) {
    LowerOutcome outcome = LowerFile(file);
    ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
    const std::string& text = outcome.lowered->cuda;
    EXPECT_NE(text.find("inline cudaError_t launch("), text.npos) << file;
    bool maps = !outcome.lowered->plan.maps.empty();
    EXPECT_EQ(text.find("inline cudaError_t encode(") != text.npos, maps)
        << file;
  }
}

TEST(Emit, EveryOtherOpIsLoweredInSomeFile) {
  std::set<ir::OpKind> kinds;
  for (const std::string& file : TileFiles()) {
    LowerOutcome outcome = LowerFile(file);
    if (!outcome.lowered) continue;
    for (const ir::Kernel& k : outcome.program->kernels)
      CollectKinds(k.body, &kinds);
  }
  std::set<std::string_view> exempt;
  for (std::string_view op : ExemptOps()) exempt.insert(op);
  for (const ir::OpInfo* info : ir::AllOps()) {
    EXPECT_NE(kinds.contains(info->kind), exempt.contains(info->mnemonic))
        << info->mnemonic << " is in no file that is lowered";
  }
}

TEST(Emit, SameTextTwice) {
  for (const std::string& file : TileFiles()) {
    LowerOutcome once = LowerFile(file), again = LowerFile(file);
    if (!once.lowered) continue;
    EXPECT_EQ(once.lowered->cuda, again.lowered->cuda) << file;
    EXPECT_EQ(once.lowered->plan, again.lowered->plan) << file;
  }
}

// The whole text of one small program. After a change that is meant, copy the
// file that the failure names over the golden one.
TEST(Emit, GoldenText) {
  LowerOutcome outcome = LowerFile("hwtests/emit/golden/scale.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  std::string actual = testing::TempDir() + "scale.cu";
  std::ofstream(actual) << outcome.lowered->cuda;
  EXPECT_EQ(outcome.lowered->cuda, ReadText("hwtests/emit/golden/scale.cu"))
      << "the text is now " << actual;
}

TEST(Emit, UnsupportedOperandsAreDiagnosed) {
  LowerOutcome outcome = LowerText("bad.tile", R"(
kernel bad target sm_90a {
  grid (1)
  block 128
  shared a : f16[64, 16]
  shared b : f16[64, 16]
  warpgroup 0 {
    reg d : f32[64, 64] fragment wgmma
    wgmma.fence
    wgmma.mma_async d, a, b, accumulate = 0
    wgmma.commit_group
    wgmma.wait_group 0
  }
}
)");
  EXPECT_FALSE(outcome.lowered);
  // The checks before may know better; it must not pass.
  EXPECT_FALSE(outcome.diagnostics.empty());
}

std::string WithPending(std::string_view pending) {
  return ir::Cat(R"(
kernel k target sm_90a {
  param K : 1.. = 40
  global a : f16[64, 64]
  grid (1)
  block 32
  shared s : f16[32, 64]
  for k in 0..K {
    cp.async s, a[0 :+ 32, 0 :+ 64]
    cp.async.commit_group
    cp.async.wait_group )",
                 pending, R"(
  }
}
)");
}

TEST(Emit, FewNumbersOfGroupsAreASwitch) {
  LowerOutcome outcome = LowerText("a.tile", WithPending("min(k, 2)"));
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  const std::string& text = outcome.lowered->cuda;
  EXPECT_NE(text.find("case 2: tile::cp_async_wait_group<2>(); break;"),
            std::string::npos);
  EXPECT_NE(text.find("case 1: tile::cp_async_wait_group<1>(); break;"),
            std::string::npos);
  EXPECT_NE(text.find("default: tile::cp_async_wait_group<0>();"),
            std::string::npos);
  EXPECT_EQ(text.find("cp_async_wait_group<3>"), std::string::npos);
}

TEST(Emit, ManyNumbersOfGroupsAreRefused) {
  for (std::string_view pending : {"min(k, 7)", "min(K - 1 - k, 3)"}) {
    LowerOutcome outcome = LowerText("a.tile", WithPending(pending));
    EXPECT_TRUE(outcome.lowered) << outcome.diagnostics;
  }
  for (std::string_view pending : {"k", "min(k, 8)"}) {
    LowerOutcome outcome = LowerText("a.tile", WithPending(pending));
    EXPECT_FALSE(outcome.lowered) << pending;
    EXPECT_NE(outcome.diagnostics.find("lower/unsupported"), std::string::npos)
        << outcome.diagnostics;
  }
}

TEST(Emit, APeersTileIsReachedThroughMapa) {
  LowerOutcome outcome = LowerFile("hwtests/emit/testdata/sm90_peers.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  const std::string& text = outcome.lowered->cuda;
  for (std::string_view part :
       {"tile::st_shared_cluster<tile::Wgmma<64>, 16, 2, 64, 64",
        "tile::ld_shared_cluster<tile::Blocked<64, 64, 8, 128, 0>, 16, 8, 64",
        "tile::mapa(smem + x", "tile::mapa(smem + y"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_NE(text.find("st.shared::cluster.b32"), std::string::npos);
  EXPECT_NE(text.find("ld.shared::cluster.v4.b32"), std::string::npos);
}

TEST(Emit, NamesOfTheTextMeetNoKeywords) {
  LowerOutcome outcome = LowerText("names.tile", R"(
kernel main target sm_90a {
  const int = 4, tile = 2
  global float : f32[64, 64]
  grid (1)
  block 128
  role default = warpgroup 0 {
    reg template : f32[64, 64] fragment blocked(4)
    for this in 0..int {
      ld.global template, float[0 :+ 64, :]
      mul template, template, tile + this
      st.global float[0 :+ 64, :], template
    }
  }
}
)");
  ASSERT_TRUE(outcome.parsed) << outcome.diagnostics;
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  EXPECT_NE(outcome.lowered->cuda.find("default_("), std::string::npos);
}

// What a box has before its tensor is neither read nor written.
TEST(Emit, BoxesThatBeginBeforeTheirTensors) {
  LowerOutcome outcome =
      LowerFile("tests/verify/boxes_that_begin_before_their_tensors.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  for (std::string_view text :
       {"-(int(blockIdx.x) * 8 - 6), -(c * 16 - 3));",
        "-(int(blockIdx.x) * 8 - 4), -(c * 16 - 1));",
        "int(blockIdx.x) - 1 >= 0 && int(blockIdx.x) - 1 < H"})
    EXPECT_NE(outcome.lowered->cuda.find(text), std::string::npos) << text;
}

// A let keeps the number of a variable that is set again later: no difference
// of the two shows a sign.
TEST(Emit, ABoxAtADifferenceThatMayBeNegative) {
  auto text = [](std::string_view set_again) {
    LowerOutcome outcome = LowerText(
        "k.tile", Cat("kernel k target sm_90a {\n  param N : 1..4 = 1\n"
                      "  global Y : f32[64, 32]\n  grid (2)\n  block 32\n"
                      "  reg v : f32[8, 32] fragment blocked(1)\n"
                      "  mov v, 1.0\n  var e = cta.x * 8 + N\n"
                      "  let head = min(e, 12)\n",
                      set_again, "  st.global Y[e - head :+ 8, :], v\n}\n"));
    EXPECT_TRUE(outcome.lowered) << outcome.diagnostics;
    return outcome.lowered ? outcome.lowered->cuda : "";
  };
  EXPECT_NE(text("  e = 0\n").find("st_global_from"), std::string::npos);
  EXPECT_EQ(text("").find("st_global_from"), std::string::npos);
}

// Of the warp that a run names, not of the CTA.
TEST(Emit, TilesAreSharedOutOverTheWarpThatACounterNames) {
  LowerOutcome outcome =
      LowerFile("tests/attacks/warps_that_a_counter_names.fixed.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  for (std::string_view text :
       {"int(threadIdx.x) % 32", "tile::BlockedOfAny<1, 128, 1, 32>",
        "tile::BlockedOfAny<1, 256, 2, 128>"})
    EXPECT_NE(outcome.lowered->cuda.find(text), std::string::npos) << text;
}

// What cannot be in 32 bits at the sizes lowered for is in 64; at sizes where
// it can, the text stays.
TEST(Emit, ProductsThatLeave32BitsAreIn64) {
  constexpr std::string_view kFile = "hwtests/emit/testdata/sm90_wide.tile";
  LowerOutcome large = LowerFile(std::string(kFile));
  LowerOutcome small =
      LowerFile(std::string(kFile), {}, {{"M", 64}, {"N", 64}});
  ASSERT_TRUE(large.lowered && small.lowered) << large.diagnostics;
  const std::string &wide = large.lowered->cuda, &narrow = small.lowered->cuda;
  for (std::string_view text :
       {"const int64_t row = int64_t(int(blockIdx.x)) * N;",
        "const int64_t at = row + i;", "sum = sum + int64_t(M) * N;",
        "if (int64_t(M) * N > 5)", "int64_t(int(blockIdx.x)) << 16",
        "tile::cdiv(int64_t(M) * N, 3)"}) {
    EXPECT_NE(wide.find(text), wide.npos) << text;
    EXPECT_EQ(narrow.find(text), narrow.npos) << text;
  }
  EXPECT_NE(narrow.find("const int row = int(blockIdx.x) * N;"), narrow.npos);
}

// From the range that a parameter has, too, whatever it is bound to.
TEST(Emit, ThePermittedSizesDecideHowWideAProductIs) {
  auto text = [](std::string_view range) {
    LowerOutcome outcome =
        LowerText("k.tile", Cat("kernel k target sm_90a {\n  param N : ", range,
                                " = 64\n  global A : u32[64]\n  grid (1)\n"
                                "  block 32\n  let n = N * N\n"
                                "  thread 0 { st A[n % 64], n / 64 }\n}\n"));
    EXPECT_TRUE(outcome.lowered) << outcome.diagnostics;
    return outcome.lowered ? outcome.lowered->cuda : "";
  };
  constexpr std::string_view kWide = "const int64_t n = int64_t(N) * N;";
  EXPECT_NE(text("1..65536").find(kWide), std::string::npos);
  EXPECT_EQ(text("1..1024").find(kWide), std::string::npos);
}

TEST(Emit, KernelsThatAreCalledAsSomethingOfTheirs) {
  LowerOutcome outcome = LowerFile("hwtests/emit/testdata/sm90_names.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  std::vector<std::string> names;
  for (const KernelPlan& k : outcome.lowered->plan.kernels)
    names.push_back(k.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"a_kernel_kernel", "N_kernel",
                                      "maps__kernel", "a_kernel", "norm_kernel",
                                      "sinf_kernel", "time_kernel"}));
}

// It divided by their number once.
TEST(Emit, HoldersThatASizeDecidesAreRefused) {
  for (std::string_view last : {"min(N, 128)", "40"}) {
    LowerOutcome outcome = LowerText(
        "k.tile", Cat("kernel k target sm_90a {\n  param N : 1.. = 40\n"
                      "  global A : f32[64, 8]\n  grid (1)\n  block 128\n"
                      "  threads 0..",
                      last,
                      " {\n"
                      "    reg v : f32[64, 8] fragment blocked(4)\n"
                      "    mov v, 1.0\n    st.global A, v\n  }\n}\n"));
    EXPECT_FALSE(outcome.lowered);
    EXPECT_NE(outcome.diagnostics.find("the threads that hold `v` are no whole "
                                       "warps that follow from constants"),
              std::string::npos)
        << outcome.diagnostics;
  }
}

// One scale a row, of a row of shared memory: element (r, 0) is (0, r) there.
TEST(Emit, AColumnOfRegistersAlongARowOfMemoryIsTurned) {
  LowerOutcome outcome = LowerFile("examples/gemm/fp8_block_scaled.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  EXPECT_NE(outcome.lowered->cuda.find(
                "ld_shared<tile::Turned<tile::WgmmaColumn>, 32, 1, 1, 128, 0>"),
            std::string::npos);
}

// A CTA of the text lets two of them on an SM, by shared memory and by `regs`;
// the compiler must not use more registers than that leaves.
TEST(Emit, LaunchBoundsKeepTheOccupancyOfTheText) {
  LowerOutcome outcome = LowerFile("examples/hopper/hgemm_v07.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  EXPECT_NE(outcome.lowered->cuda.find("__launch_bounds__(160, 2)"),
            std::string::npos);
}

TEST(Emit, SizesOfTheCommandLineAreCheckedBeforeLowering) {
  LowerOutcome outcome =
      LowerFile("examples/hopper/hgemm_v10.tile", {}, {{"CTAS", 1}});
  EXPECT_FALSE(outcome.lowered);
  EXPECT_NE(outcome.diagnostics.find("cluster/mask"), std::string::npos)
      << outcome.diagnostics;
}

// Lanes come together after an elected block wherever a whole warp is needed
// later: behind it, in the next turn of its loop, behind the `if` it ends.
TEST(Emit, LanesMeetAfterAnElectedBlock) {
  constexpr std::string_view kHead = R"(
kernel k target sm_90a {
  grid (1)
  block 32
  mbarrier b
  elect {
    mbarrier.init b, 1
  }
  bar.warp.sync
)";
  constexpr std::string_view kElect = "elect {\n mbarrier.arrive b\n }\n";
  auto syncs = [&](const std::string& body) {
    LowerOutcome outcome = LowerText("k.tile", Cat(kHead, body, "}\n"));
    EXPECT_TRUE(outcome.lowered) << outcome.diagnostics;
    if (!outcome.lowered) return -1;
    const std::string& text = outcome.lowered->cuda;
    int n = 0;
    for (size_t at = text.find("  __syncwarp();"); at != std::string::npos;
         at = text.find("  __syncwarp();", at + 1))
      ++n;
    return n;
  };
  const int before = syncs("");
  EXPECT_EQ(syncs(std::string(kElect)), before);
  EXPECT_EQ(syncs(Cat(kElect, "bar.sync 0\n")), before + 1);
  EXPECT_EQ(syncs(Cat("for i in 0..4 {\n", kElect, "}\n")), before + 1);
  EXPECT_EQ(syncs(Cat("if cta.x < 1 {\n", kElect, "}\nbar.sync 0\n")),
            before + 1);
}

TEST(Emit, UnitedWarpsAreOneCondition) {
  LowerOutcome outcome = LowerText("k.tile", R"(
kernel k target sm_90a {
  grid (1)
  block 288
  mbarrier b
  role init = warp 0 | warps 4..6 | warpgroup 2, elect one {
    mbarrier.init b, 1
  }
  role pair = warp 1 | warp 3, elect {
    mbarrier.arrive b
  }
  warps 1..3 | warp 3 {
    reg x : u32[1, 96] fragment blocked(1)
    mov x, 1
    elect one {
      mbarrier.arrive b
    }
  }
}
)");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  const std::string& text = outcome.lowered->cuda;
  EXPECT_NE(text.find("if (warp == 0 && tile::elect_one())"), text.npos)
      << text;
  EXPECT_NE(text.find("if ((warp == 1 || warp == 3) && tile::elect_one())"),
            text.npos);
  EXPECT_NE(text.find("if ((warp >= 1 && warp < 3) || warp == 3)"), text.npos);
  EXPECT_NE(text.find("if (warp == 1 && tile::elect_one())"), text.npos);
}

// Barriers at tiles take no room of their own; the others lie one after
// another.
TEST(Emit, BarriersLieWhereTheyAreSaidTo) {
  LowerOutcome outcome = LowerText("k.tile", R"(
kernel k target sm_90a {
  grid (1)
  block 32
  mbarrier a, b
  shared x[2] : u32[32]
  mbarrier in_x[2] at x[1] + 16, c
  thread 0 {
    mbarrier.init a, 1
    mbarrier.init b, 1
    mbarrier.init c, 1
    mbarrier.init in_x[1], 1
  }
}
)");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  const std::string& text = outcome.lowered->cuda;
  EXPECT_NE(text.find("constexpr uint32_t a = 0;"), text.npos);
  EXPECT_NE(text.find("constexpr uint32_t b = 8;"), text.npos);
  EXPECT_NE(text.find("constexpr uint32_t c = 16;"), text.npos);
  EXPECT_NE(text.find("constexpr uint32_t in_x = 272;"), text.npos) << text;
  EXPECT_NE(text.find("smem + in_x + 8"), text.npos);
}

TEST(Emit, AsynchronousStoresAreAsWideAsNeighboursAllow) {
  for (int vector : {1, 2, 4}) {
    LowerOutcome outcome = LowerText("k.tile", Cat(R"(
kernel k target sm_90a {
  grid (2)
  cluster (2)
  block 32
  shared got : u32[4, 32]
  mbarrier full
  reg x : u32[4, 32] fragment blocked()",
                                                   vector, R"()
  mov x, 1
  st.async got @ cta 1, x, full @ cta 1
}
)"));
    ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
    const std::string& text = outcome.lowered->cuda;
    EXPECT_NE(text.find(Cat("tile::st_async<tile::Blocked<4, 32, ", vector,
                            ", 32, 0>, 32, ", vector, ", ")),
              text.npos)
        << text;
    EXPECT_NE(text.find("tile::mapa(smem + full, 1)"), text.npos) << text;
  }
}

// Lanes that meet in a mask are not made to meet with the rest before it.
// Each warpgroup waits for its own accumulator.
TEST(Emit, RegistersOfAnotherScopeAreNotNamed) {
  constexpr std::string_view kScope = R"(
  warpgroup 0 {
    reg first : f32[64, 64] fragment wgmma
    wgmma.fence
    wgmma.mma_async first, a, b, accumulate = 0
    wgmma.commit_group
    wgmma.wait_group 0
  })";
  std::string second(kScope);
  for (std::string_view name : {"first", "warpgroup 0"}) {
    for (size_t at; (at = second.find(name)) != second.npos;)
      second.replace(at, name.size(),
                     name == "first" ? "later" : "warpgroup 1");
  }
  LowerOutcome outcome = LowerText("k.tile", Cat(R"(
kernel k target sm_90a {
  grid (1)
  block 256
  shared a : f16[64, 64] swizzle 128B
  shared b : f16[64, 64] swizzle 128B)",
                                                 kScope, second, "\n}\n"));
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  const std::string& text = outcome.lowered->cuda;
  const size_t begins = text.find("float later[");
  ASSERT_NE(begins, text.npos) << text;
  EXPECT_NE(text.find("pin<32>(later)", begins), text.npos) << text;
  EXPECT_EQ(text.find("pin<32>(first)", begins), text.npos) << text;
}

TEST(Emit, LanesOfAMaskMeetInIt) {
  LowerOutcome outcome = LowerText("k.tile", R"(
kernel k target sm_90a {
  grid (1)
  block 32
  mbarrier b
  thread 0 {
    mbarrier.init b, 1
  }
  bar.warp.sync 0xffffffff
  lanes 0..16 {
    lane 3 {
      mbarrier.arrive b
    }
    bar.warp.sync 0xffff
  }
}
)");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  const std::string& text = outcome.lowered->cuda;
  EXPECT_EQ(text.find("  __syncwarp();"), std::string::npos);
  EXPECT_NE(text.find("\n  __syncwarp(4294967295u);"), std::string::npos);
  EXPECT_NE(text.find("\n    __syncwarp(65535u);"), std::string::npos);
}

TEST(Emit, StandaloneChecksTheLinesThatHold) {
  for (int64_t transposed : {0, 1}) {
    LowerOutcome outcome =
        LowerFile("examples/wgmma/gemm_tma.tile", {.standalone = true},
                  {{"CR", transposed}});
    ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
    const std::string& text = outcome.lowered->cuda;
    size_t check = text.find("host::agree(\"D\"");
    ASSERT_NE(check, std::string::npos);
    EXPECT_EQ(text.find("host::agree(\"D\"", check + 1), std::string::npos);
  }
}

TEST(Emit, StandaloneKnowsEveryFunctionOfComputes) {
  for (const ir::ReferenceFunction& f : ir::kReferenceFunctions) {
    LowerOutcome outcome = LowerText(
        "all.tile",
        ir::Cat("kernel k target sm_90a {\n  grid (1)\n  block 32\n"
                "  global A : f32[32, 32]\n  global B : f32[32, 32]\n"
                "  global D : f32[32, 32]\n  computes D = A + ",
                f.name, f.arity == 1 ? "(A)" : "(A, B)",
                "\n  reg x : f32[32, 32] fragment row\n"
                "  ld.global x, A\n  ld.global x, B\n  st.global D, x\n}\n"),
        {.standalone = true});
    ASSERT_TRUE(outcome.lowered) << f.name << outcome.diagnostics;
    const std::string& text = outcome.lowered->cuda;
    EXPECT_NE(text.find("host::agree(\"D\""), std::string::npos) << f.name;
  }
}

TEST(LaunchPlan, JsonRoundTrip) {
  for (const std::string& file : TileFiles()) {
    LowerOutcome outcome =
        LowerFile(file, {.debug = true, .cycles = true, .spans = true});
    if (!outcome.lowered) continue;
    auto back = LaunchPlanFromJson(ToJson(outcome.lowered->plan));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, outcome.lowered->plan) << file;
  }
}

TEST(LaunchPlan, TwoBoxesOfATensorAreTwoMaps) {
  LowerOutcome outcome = LowerFile("hwtests/emit/testdata/sm90_copies.tile");
  ASSERT_TRUE(outcome.lowered) << outcome.diagnostics;
  int maps = 0;
  for (const TensorMapPlan& m : outcome.lowered->plan.maps)
    maps += outcome.lowered->plan.globals[m.global].name == "a";
  EXPECT_EQ(maps, 2);
}

// What asks for the missing arrivals may fault: all else is written by then.
TEST(DeviceHeader, AReportIsCompleteBeforeTheArrivalThatMayFault) {
  std::string_view header = DeviceHeader();
  size_t from = header.find("void expire(");
  std::string_view expire = header.substr(from, header.find("__trap()") - from);
  size_t filled = expire.find("filled) = 1;");
  size_t seen = expire.find("__threadfence_system();", filled);
  size_t asked = expire.find("pending_arrivals(bar)");
  ASSERT_NE(asked, std::string_view::npos);
  EXPECT_LT(expire.find("r->line = site.line"), filled);
  EXPECT_LT(filled, seen);
  EXPECT_LT(seen, asked);
}

// But scalar accesses (ld_acquire_gpu_global_s32), whose names are
// instructions.
TEST(DeviceHeader, EveryWrapperHasItsComment) {
  for (const std::string& file : TileFiles()) {
    LowerOutcome outcome = LowerFile(file);
    if (!outcome.lowered) continue;
    std::string_view text = outcome.lowered->cuda;
    text = text.substr(0, text.find("namespace host {"));
    for (size_t at = text.find("\n\nTILE_DEVICE "); at != text.npos;
         at = text.find("\n\nTILE_DEVICE ", at + 1)) {
      std::string_view line = text.substr(at + 2, 60);
      bool scalar = line.find("_global_") != line.npos ||
                    line.find("_shared_") != line.npos;
      EXPECT_TRUE(scalar) << file << ": " << line;
    }
  }
}

TEST(DeviceHeader, CarriesOnlyWhatIsUsed) {
  std::string parts = DeviceCode("tile::mbarrier_wait(b, 0)");
  EXPECT_NE(parts.find("mbarrier_try_wait"), std::string::npos);
  EXPECT_EQ(parts.find("tma_load"), std::string::npos);
  EXPECT_EQ(parts.find("mbarrier_init"), std::string::npos);
}

}  // namespace
}  // namespace tilesim::hwtests
