// What scalar instructions compute, on hand-picked inputs. scalar_device_test
// has the inputs that a GPU was asked.
#include "ptx/scalar/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <map>
#include <set>

#include "ptx/scalar/form.h"
#include "tests/ptx/files.h"

namespace tilesim::ptx {
namespace {

Instruction InstructionOf(const std::string& text) {
  Module m = MustParse(InKernel(text + "\n"));
  return m.functions[0].body[0].instruction;
}

std::vector<uint64_t> Results(const std::string& text, const Words& in) {
  std::string why;
  auto op = CompileScalar(InstructionOf(text), &why);
  if (!op) {
    ADD_FAILURE() << why;
    return {};
  }
  Words out = Execute(*op, in);
  return {out.begin(), out.begin() + op->outputs};
}

uint64_t Result(const std::string& text, const Words& in) {
  auto all = Results(text, in);
  return all.size() == 1 ? all[0] : 0xbad;
}

uint64_t F(float x) { return std::bit_cast<uint32_t>(x); }
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr uint64_t kNan = 0x7fffffff;

using V = std::vector<uint64_t>;

TEST(Scalar, IntegersWrapInTheirWidth) {
  EXPECT_EQ(Result("add.s32 %r1, %r2, %r3;", {0x7fffffff, 1}),
            0xffffffff80000000);
  EXPECT_EQ(Result("add.u32 %r1, %r2, %r3;", {0xffffffff, 1}), 0u);
  EXPECT_EQ(Result("add.sat.s32 %r1, %r2, %r3;", {0x7fffffff, 1}), 0x7fffffffu);
  EXPECT_EQ(Result("add.s16x2 %r1, %r2, %r3;", {0x0001ffff, 0x00010001}),
            0x00020000u);
  EXPECT_EQ(Result("mul.hi.u64 %rd1, %rd2, %rd3;", {~0ull, ~0ull}),
            0xfffffffffffffffe);
  EXPECT_EQ(Result("mul.wide.s32 %rd1, %r2, %r3;", {0xffffffff, 5}),
            static_cast<uint64_t>(-5));
  EXPECT_EQ(Result("mad.wide.u16 %r1, %rs2, %rs3, %r4;", {0xffff, 0xffff, 2}),
            0xfffe0003u);
  EXPECT_EQ(Results("add.cc.u32 %r1, %r2, %r3;", {0xffffffff, 1}), (V{0, 1}));
  EXPECT_EQ(Result("addc.u32 %r1, %r2, %r3;", {1, 2, 1}), 4u);
  EXPECT_EQ(Results("sub.cc.u32 %r1, %r2, %r3;", {0, 1}), (V{0xffffffff, 1}));
  EXPECT_EQ(Result("min.u16 %rs1, %rs2, %rs3;", {0xffff, 1}), 1u);
  EXPECT_EQ(Result("max.s64 %rd1, %rd2, %rd3;", {~0ull, 1}), 1u);
}

TEST(Scalar, FieldsShiftsAndPermutations) {
  EXPECT_EQ(Result("bfe.u32 %r1, %r2, 5, 2;", {0x60, 5, 2}), 3u);
  EXPECT_EQ(Result("bfe.s32 %r1, %r2, 28, 8;", {0x80000000, 28, 8}),
            0xfffffffffffffff8);
  EXPECT_EQ(Result("bfi.b32 %r1, %r2, %r3, 8, 8;", {0xff, 0, 8, 8}), 0xff00u);
  EXPECT_EQ(Result("shl.b32 %r1, %r2, 32;", {1, 32}), 0u);
  EXPECT_EQ(Result("shr.s32 %r1, %r2, 99;", {0x80000000, 99}), ~0ull);
  EXPECT_EQ(Result("shf.l.wrap.b32 %r1, %r2, %r3, 8;", {0xab000000, 1, 8}),
            0x1abu);
  EXPECT_EQ(Result("prmt.b32 %r1, %r2, %r3, 0x5410;",
                   {0x03020100, 0x07060504, 0x5410}),
            0x05040100u);
  EXPECT_EQ(Result("lop3.b32 %r1, %r2, %r3, %r4, 0xea;", {1, 3, 8, 0xea}), 9u);
  EXPECT_EQ(Results("lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0xc0, %p2;",
                    {1, 2, 0, 0xc0, 0}),
            (V{0, 0}));
  EXPECT_EQ(Result("bfind.s32 %r1, %r2;", {0xffffffff}), 0xffffffffu);
  EXPECT_EQ(Result("clz.b64 %r1, %rd2;", {1}), 63u);
  EXPECT_EQ(Result("brev.b32 %r1, %r2;", {1}), 0x80000000u);
}

TEST(Scalar, VectorsAreParts) {
  EXPECT_EQ(Result("mov.b64 %rd1, {%r1, %r2};", {1, 2}), 0x200000001u);
  EXPECT_EQ(Results("mov.b32 {%rs1, _}, %r1;", {0x20001}), (V{1, 2}));
  EXPECT_EQ(Results("mov.b128 %rq1, {%rd1, %rd2};", {1, 2}), (V{1, 2}));
  EXPECT_EQ(Results("mov.b128 {%rd1, %rd2}, %rq1;", {1, 2}), (V{1, 2}));
  EXPECT_EQ(Result("mov.pred %p1, %p2;", {1}), 1u);
}

TEST(Scalar, ComparisonsKnowNanAndPairs) {
  EXPECT_EQ(Result("setp.lt.s32 %p1, %r1, %r2;", {0xffffffff, 0}), 1u);
  EXPECT_EQ(Result("setp.lo.u32 %p1, %r1, %r2;", {0xffffffff, 0}), 0u);
  EXPECT_EQ(Results("setp.eq.s32 %p1|%p2, %r1, %r2;", {1, 2}), (V{0, 1}));
  EXPECT_EQ(Results("setp.eq.and.b32 %p1|%p2, %r1, %r2, %p3;", {1, 1, 0}),
            (V{0, 0}));
  EXPECT_EQ(Result("setp.lt.f32 %p1, %f1, %f2;", {kNan, 0}), 0u);
  EXPECT_EQ(Result("setp.ltu.f32 %p1, %f1, %f2;", {kNan, 0}), 1u);
  EXPECT_EQ(Result("setp.neu.f32 %p1, %f1, %f2;", {F(0), F(-0.f)}), 0u);
  EXPECT_EQ(Result("setp.gt.ftz.f32 %p1, %f1, %f2;", {1, 0}), 0u);
  EXPECT_EQ(Results("setp.gt.f16x2 %p1|%p2, %r1, %r2;", {0x3c000000, 0}),
            (V{0, 1}));
  EXPECT_EQ(Result("set.lt.u32.f32 %r1, %f1, %f2;", {F(1), F(2)}), 0xffffffffu);
}

TEST(Scalar, SumsAreRoundedOnce) {
  EXPECT_EQ(Result("add.f32 %f1, %f2, %f3;", {F(1), F(0x1p-24f)}), F(1));
  EXPECT_EQ(Result("add.rp.f32 %f1, %f2, %f3;", {F(1), F(0x1p-60f)}), F(1) + 1);
  EXPECT_EQ(Result("add.rm.f32 %f1, %f2, %f3;", {F(1), F(-0x1p-60f)}),
            F(1) - 1);
  EXPECT_EQ(Result("add.rm.f32 %f1, %f2, %f3;", {F(1), F(-1)}), F(-0.f));
  EXPECT_EQ(Result("fma.rn.f32 %f1, %f2, %f3, %f4;",
                   {F(1 + 0x1p-12f), F(1 + 0x1p-12f), F(-1)}),
            F(0x1p-11f + 0x1p-24f));
  EXPECT_EQ(Result("add.sat.f32 %f1, %f2, %f3;", {kNan, F(1)}), 0u);
  EXPECT_EQ(Result("mul.ftz.f32 %f1, %f2, %f3;", {0x80000001, F(1)}),
            0x80000000u);
  EXPECT_EQ(Result("max.f32 %f1, %f2, %f3;", {kNan, F(-kInf)}), F(-kInf));
  EXPECT_EQ(Result("max.NaN.f32 %f1, %f2, %f3;", {kNan, F(-kInf)}), kNan);
  EXPECT_EQ(Result("min.f32 %f1, %f2, %f3;", {F(0.f), F(-0.f)}), F(-0.f));
  EXPECT_EQ(Result("fma.rn.f16x2 %r1, %r2, %r3, %r4;",
                   {0x3c004000, 0x40003c00, 0x00003c00}),
            0x40004200u);
}

TEST(Scalar, Conversions) {
  EXPECT_EQ(Result("cvt.rn.f16x2.f32 %r1, %f1, %f2;", {F(1), F(2)}),
            0x3c004000u);
  EXPECT_EQ(Result("cvt.u64.u32 %rd1, %r1;", {0xffffffff}), 0xffffffffu);
  EXPECT_EQ(Result("cvt.s64.s32 %rd1, %r1;", {0xffffffff}), ~0ull);
  EXPECT_EQ(Result("cvt.sat.u8.s32 %rs1, %r1;", {300}), 255u);
  EXPECT_EQ(Result("cvt.rn.f32.u64 %f1, %rd1;", {0x8000008000000001}),
            F(0x1.000002p63f));
  EXPECT_EQ(Result("cvt.rzi.s32.f32 %r1, %f1;", {F(-1.5f)}), ~0ull);
  EXPECT_EQ(Result("cvt.rzi.u32.f32 %r1, %f1;", {F(-1.5f)}), 0u);
  EXPECT_EQ(Result("cvt.rni.f32.f32 %f1, %f2;", {F(2.5f)}), F(2));
  EXPECT_EQ(
      Result("cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;", {F(kInf), F(1)}),
      0x7e38u);
}

TEST(Scalar, TheReasonNamesWhatIsExecuted) {
  std::string why;
  EXPECT_FALSE(CompileScalar(InstructionOf("add.f8 %r1, %r2, %r3;"), &why));
  EXPECT_NE(why.find("`add.f8` is not executed"), std::string::npos) << why;
  EXPECT_NE(why.find("add .sat .s32"), std::string::npos) << why;
  EXPECT_FALSE(CompileScalar(InstructionOf("add.s32 %r1, %r2;"), &why));
  EXPECT_EQ(why, "`add.s32` is not executed with these operands");
  EXPECT_FALSE(CompileScalar(InstructionOf("frob.s32 %r1;"), &why));
  EXPECT_EQ(why, "`frob.s32` is no scalar instruction that is executed");
}

TEST(Scalar, ConstantsTakeTheTypeOfTheOperand) {
  Instruction i = InstructionOf("add.f32 %f1, %f2, 1.5;");
  EXPECT_EQ(ConstantBits(i.operands[2].number, Type::kF32), F(1.5f));
  i = InstructionOf("add.s32 %r1, %r2, -1;");
  EXPECT_EQ(ConstantBits(i.operands[2].number, Type::kU16), 0xffffu);
}

// Each spelling of the table is the spelling of one row only, or of rows that
// differ in operands.
TEST(Scalar, RowsDoNotOverlap) {
  std::map<std::string, std::set<std::string_view>> operands;
  for (const ScalarForm& form : AllScalarForms())
    for (const std::string& spelling : SpellingsOf(form))
      EXPECT_TRUE(operands[spelling].insert(form.operands).second) << spelling;
  EXPECT_GT(operands.size(), 900u);
}

// What Triton's kernels compute is executed; what is not has another home.
TEST(Scalar, ExecutesWhatTritonComputes) {
  std::set<std::string> refused;
  for (const std::string& path : TritonFiles()) {
    Module m = MustParse(ReadText(path));
    for (const Statement& s : m.functions[0].body) {
      if (s.kind != Statement::Kind::kInstruction ||
          !IsScalarOpcode(s.instruction.opcode))
        continue;
      std::string why;
      if (!CompileScalar(s.instruction, &why)) refused.insert(why);
    }
  }
  EXPECT_EQ(refused, std::set<std::string>());
}

}  // namespace
}  // namespace tilesim::ptx
