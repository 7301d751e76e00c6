// The table of instructions, against what compilers emit.
#include "ptx/isa/isa.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/ptx/files.h"

namespace tilesim::ptx {
namespace {

std::vector<Role> Roles(const std::string& text) {
  Module m = MustParse(InKernel(text + "\n"));
  const Instruction& i = m.functions[0].body[0].instruction;
  const Op* op = FindOp(i.opcode);
  std::vector<Role> roles;
  if (op == nullptr) {
    ADD_FAILURE() << text;
    return roles;
  }
  for (size_t k = 0; k < i.operands.size(); ++k)
    roles.push_back(RoleOf(*op, i, k));
  return roles;
}

using R = std::vector<Role>;

TEST(Isa, RowsAreDifferentAndTheirLettersKnown) {
  std::set<std::string_view> seen;
  for (const Op& op : AllOps()) {
    EXPECT_TRUE(seen.insert(op.opcode).second) << op.opcode;
    ASSERT_FALSE(op.operands.empty()) << op.opcode;
    EXPECT_EQ(op.operands.find_first_not_of("drvual-"), std::string_view::npos)
        << op.opcode;
  }
  EXPECT_GT(seen.size(), 120u);
}

TEST(Isa, TheLongestRowCounts) {
  auto row = [](std::string_view s) { return FindOp(s)->opcode; };
  EXPECT_EQ(row("cp.async.bulk.tensor.2d.shared::cluster.global"),
            "cp.async.bulk.tensor");
  EXPECT_EQ(row("cp.async.cg.shared.global"), "cp.async");
  EXPECT_EQ(row("bar.warp.sync"), "bar.warp.sync");
  EXPECT_EQ(row("ld.acquire.gpu.global.b32"), "ld.acquire");
  EXPECT_EQ(row("ld.shared::cta.b32"), "ld");
  EXPECT_EQ(FindOp("addd.s32"), nullptr);
  EXPECT_EQ(FindOp("frobnicate"), nullptr);
  EXPECT_EQ(FindOp(""), nullptr);
}

TEST(Isa, RolesOfOperands) {
  using enum Role;
  EXPECT_EQ(Roles("setp.lt.s32 %p1|%p2, %r1, 4;"), (R{kDefined, kRead, kRead}));
  EXPECT_EQ(Roles("ld.shared.v2.b32 {%r1, %r2}, [%r3];"),
            (R{kDefined, kAddress}));
  EXPECT_EQ(Roles("st.shared.b32 [%r3], %r1;"), (R{kAddress, kData}));
  EXPECT_EQ(Roles("mbarrier.arrive.shared.b64 _, [%r3];"),
            (R{kDefined, kAddress}));
  EXPECT_EQ(Roles("mbarrier.arrive.release.cluster.shared::cluster.b64 "
                  "[%r3], 1;"),
            (R{kAddress, kRead}));
  EXPECT_EQ(Roles("mbarrier.try_wait.parity.shared.b64 %p1, [%r3], %r4;"),
            (R{kDefined, kAddress, kRead}));
  EXPECT_EQ(Roles("bra.uni L;"), (R{kLabel}));
  EXPECT_EQ(Roles("brx.idx %r1, ts;"), (R{kRead, kLabel}));
  // A from registers is data, a descriptor decides what is read.
  EXPECT_EQ(Roles("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                  "{%f1, %f2}, {%r1, %r2}, %rd1, p, 1, 1, 0;")[0],
            kUpdated);
  EXPECT_EQ(Roles("tcgen05.mma.cta_group::1.kind::f16 "
                  "[%r1], %rd1, %rd2, %r2, p;"),
            (R{kAddress, kRead, kRead, kRead, kRead}));
  EXPECT_EQ(Roles("tcgen05.mma.cta_group::1.kind::f16 "
                  "[%r1], [%r5], %rd2, %r2, p;")[1],
            kAddress);
}

TEST(Isa, UnitsFollowTheType) {
  EXPECT_EQ(UnitOf(*FindOp("add.s32"), "add.s32"), Unit::kInteger);
  EXPECT_EQ(UnitOf(*FindOp("add.f32"), "add.f32"), Unit::kFloat);
  EXPECT_EQ(UnitOf(*FindOp("max.bf16x2"), "max.bf16x2"), Unit::kFloat);
  EXPECT_EQ(UnitOf(*FindOp("ex2.approx.ftz.f32"), "ex2.approx.ftz.f32"),
            Unit::kSpecialFunction);
}

TEST(Isa, EveryInstructionOfTritonIsKnown) {
  std::set<std::string> unknown;
  for (const std::string& path : TritonFiles()) {
    Module m = MustParse(ReadText(path));
    for (const Statement& s : m.functions[0].body) {
      if (s.kind == Statement::Kind::kInstruction &&
          FindOp(s.instruction.opcode) == nullptr)
        unknown.insert(s.instruction.opcode);
    }
  }
  EXPECT_EQ(unknown, std::set<std::string>());
}

}  // namespace
}  // namespace tilesim::ptx
