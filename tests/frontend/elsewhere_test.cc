// What is called otherwise here: that it is there.
#include "frontend/elsewhere.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/str_split.h"
#include "frontend/ptx_order.h"
#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/op.h"

namespace tilesim::frontend {
namespace {

// Of "`max DST, SRC, 0` here": what begins each piece in backticks.
std::vector<std::string> Named(const std::string& help) {
  std::vector<std::string> out;
  const std::vector<std::string> pieces = absl::StrSplit(help, '`');
  for (size_t i = 1; i < pieces.size(); i += 2)
    out.push_back(pieces[i].substr(0, pieces[i].find(' ')));
  return out;
}

TEST(CalledHereTest, OpsThatItNamesAreThere) {
  for (const char* name : {"__syncthreads",
                           "barrier.sync",
                           "__syncwarp",
                           "cluster.sync",
                           "__threadfence",
                           "__threadfence_block",
                           "fence.proxy_async",
                           "mbarrier.try_wait",
                           "load",
                           "store",
                           "cp.async.bulk.tensor.2d",
                           "cp.async.bulk.shared",
                           "atomicAdd",
                           "atomicCAS",
                           "atomicExch",
                           "relu",
                           "maximum",
                           "minimum",
                           "exp",
                           "exp2",
                           "log",
                           "log2",
                           "div",
                           "sqrt",
                           "rsqrt",
                           "sum",
                           "reduce_max",
                           "cast"}) {
    const std::vector<std::string> named = Named(CalledHere(name));
    EXPECT_FALSE(named.empty()) << name;
    for (const std::string& op : named) {
      // Of `fence.acq_rel.gpu` the modifiers are told too.
      const std::string first = op.substr(0, op.find('.'));
      EXPECT_TRUE(ir::OpNamed(op) != nullptr || first == "fence") << op;
    }
  }
}

TEST(CalledHereTest, NumbersThatItNamesAreThere) {
  for (const char* name :
       {"blockIdx.x", "blockIdx.y", "blockIdx.z", "gridDim.x", "gridDim.y",
        "gridDim.z", "warp_id", "cluster_ctarank"}) {
    const std::vector<std::string> named = Named(CalledHere(name));
    ASSERT_EQ(named.size(), 1u) << name;
    EXPECT_TRUE(std::any_of(std::begin(ir::kBuiltins), std::end(ir::kBuiltins),
                            [&](const auto& b) { return b.name == named[0]; }))
        << named[0];
  }
}

TEST(CalledHereTest, CopiesOfTensorsAreTold) {
  EXPECT_EQ(Named(CalledHere("cp.async.bulk.tensor.2d.shared::cta"))[0],
            "tma.load");
  EXPECT_EQ(Named(CalledHere("cp.async.bulk.shared::cta"))[0], "bulk.load");
}

TEST(CalledHereTest, OtherNamesAreNone) {
  EXPECT_EQ(CalledHere("foo"), "");
  EXPECT_EQ(CalledHere(""), "");
}

TEST(OpOfPtxTest, ModifiersStandBehindTheOp) {
  EXPECT_EQ(OpOfPtx("atom.relaxed.gpu.cas"), "atom.cas.relaxed.gpu");
  EXPECT_EQ(OpOfPtx("red.release.gpu.global.add.u32"), "red.add.release.gpu");
  EXPECT_EQ(OpOfPtx("mbarrier.arrive.release.cluster.expect_tx"),
            "mbarrier.arrive.expect_tx.release.cluster");
}

TEST(OpOfPtxTest, SpacesAndTypesAreSaidByOperands) {
  EXPECT_EQ(OpOfPtx("ld.global.relaxed.gpu.u32"), "ld.relaxed.gpu");
  EXPECT_EQ(OpOfPtx("bar.sync.aligned"), "bar.sync");
  EXPECT_EQ(OpOfPtx("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16"),
            "wgmma.mma_async");
}

TEST(OpOfPtxTest, NothingOfWhatIsNoOp) {
  for (const char* name :
       {"", ".", "atom", "atom.foo", "atom.cas.foo", "ld.global.relaxd",
        "foo.bar", "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"}) {
    EXPECT_EQ(OpOfPtx(name), "") << name;
  }
}

}  // namespace
}  // namespace tilesim::frontend
