// What the tree holds after parsing.
#include "ptx/text/parser.h"

#include <gtest/gtest.h>

#include "ptx/text/printer.h"
#include "tests/ptx/files.h"

namespace tilesim::ptx {
namespace {

using Kind = Operand::Kind;

// The one statement of a kernel.
Statement One(const std::string& text) {
  Module m = MustParse(InKernel(text + "\n"));
  if (m.functions.size() != 1 || m.functions[0].body.size() != 1) {
    ADD_FAILURE() << text;
    return {};
  }
  return m.functions[0].body[0];
}

TEST(Parser, Header) {
  Module m =
      MustParse(".version 9.0\n.target sm_100a, debug\n.address_size 64\n");
  EXPECT_EQ(m.version, "9.0");
  EXPECT_EQ(m.targets, (std::vector<std::string>{"sm_100a", "debug"}));
  EXPECT_EQ(m.address_size, 64u);
}

TEST(Parser, EntryWithParametersAndDirectives) {
  Module m = MustParse(
      ".version 8.7\n.target sm_90a\n"
      ".visible .entry k(\n.param .u64 .ptr .global .align 16 p,\n"
      ".param .align 64 .b8 map[128],\n.param .f32 s)\n"
      ".reqntid 128, 1, 1\n.maxnreg 168\n.reqnctapercluster 2\n"
      ".explicitcluster\n{ ret; }\n");
  ASSERT_EQ(m.functions.size(), 1u);
  const Function& f = m.functions[0];
  EXPECT_TRUE(f.is_entry);
  EXPECT_EQ(f.linkage, Linkage::kVisible);
  ASSERT_EQ(f.signature.params.size(), 3u);
  const Variable& pointer = f.signature.params[0];
  EXPECT_TRUE(pointer.is_pointer);
  EXPECT_EQ(pointer.pointer_space, ".global");
  EXPECT_EQ(pointer.pointer_align, 16u);
  const Variable& map = f.signature.params[1];
  EXPECT_EQ(map.align, 64u);
  EXPECT_EQ(map.names[0].dims[0], 128u);
  ASSERT_NE(f.Find(".reqntid"), nullptr);
  EXPECT_EQ(f.Find(".reqntid")->numbers.size(), 3u);
  EXPECT_EQ(f.Find(".maxnreg")->numbers[0].bits, 168u);
  EXPECT_EQ(f.Find(".explicitcluster")->numbers.size(), 0u);
  EXPECT_EQ(f.Find(".maxntid"), nullptr);
}

TEST(Parser, Registers) {
  Statement s = One(".reg .b32 %r<10>, lonely;");
  ASSERT_EQ(s.kind, Statement::Kind::kVariable);
  const Variable& v = s.variable[0];
  EXPECT_EQ(v.type, ".b32");
  ASSERT_EQ(v.names.size(), 2u);
  EXPECT_EQ(v.names[0].name, "%r");
  EXPECT_EQ(v.names[0].range, 10u);
  EXPECT_EQ(v.names[1].range, std::nullopt);
}

// Inline assembly of cuda_fp16.hpp is written so.
TEST(Parser, NoBlankBetweenDirectives) {
  Statement s = One(".reg.b32 spc, ulp;");
  ASSERT_EQ(s.kind, Statement::Kind::kVariable);
  EXPECT_EQ(s.variable[0].space, ".reg");
  EXPECT_EQ(s.variable[0].type, ".b32");
  EXPECT_EQ(One(".shared.align 16 .b8 tile[64];").variable[0].align, 16u);
}

TEST(Parser, GuardPairAndSink) {
  Statement s = One("@!%p1 elect.sync _|%p2, -1;");
  const Instruction& i = s.instruction;
  EXPECT_EQ(i.guard.reg, "%p1");
  EXPECT_TRUE(i.guard.negated);
  ASSERT_EQ(i.operands.size(), 2u);
  ASSERT_EQ(i.operands[0].kind, Kind::kPair);
  EXPECT_TRUE(i.operands[0].parts[0].is_sink());
  EXPECT_EQ(i.operands[0].parts[1].name, "%p2");
  EXPECT_EQ(i.operands[1].number.value(), -1);
}

TEST(Parser, TensorCoordinates) {
  Statement s =
      One("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
          "complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4+8];");
  const Instruction& i = s.instruction;
  EXPECT_EQ(i.opcode.substr(0, 20), "cp.async.bulk.tensor");
  ASSERT_EQ(i.operands.size(), 3u);
  ASSERT_EQ(i.operands[1].parts.size(), 2u);
  EXPECT_EQ(i.operands[1].parts[1].kind, Kind::kVector);
  EXPECT_EQ(i.operands[1].parts[1].parts[1].name, "%r3");
  EXPECT_EQ(i.operands[2].parts[0].number.value(), 8);
}

TEST(Parser, NoBlankBeforeOperands) {
  EXPECT_EQ(One("mov.b64{%r1,%r2},%rd1;"), One("mov.b64 {%r1, %r2}, %rd1;"));
  EXPECT_EQ(One("ld.shared.b32 %r1,[ %r2 + 0 ];"),
            One("ld.shared.b32 %r1, [%r2+0];"));
  EXPECT_EQ(One("ld .shared .b32 %r1, [%r2];"),
            One("ld.shared.b32 %r1, [%r2];"));
}

TEST(Parser, Constants) {
  auto bits = [](const std::string& text) {
    return One("mov.b64 %rd1, " + text + ";").instruction.operands[1].number;
  };
  EXPECT_EQ(bits("0x1fU").bits, 0x1fu);
  EXPECT_EQ(bits("017").bits, 15u);
  EXPECT_EQ(bits("0b101").bits, 5u);
  EXPECT_EQ(bits("-5").value(), -5);
  EXPECT_EQ(bits("0f3f800000").kind, Number::Kind::kF32);
  EXPECT_EQ(bits("0f3f800000").bits, 0x3f800000u);
  EXPECT_EQ(bits("0D3FF0000000000000").bits, 0x3ff0000000000000u);
  EXPECT_EQ(bits("1.0").bits, 0x3ff0000000000000u);
  EXPECT_EQ(bits("-0f3f800000").bits, 0xbf800000u);
  EXPECT_EQ(bits("0xffffffffffffffff").value(), -1);
  EXPECT_EQ(bits("4*(2+3)").bits, 20u);
  EXPECT_EQ(bits("~0").value(), -1);
}

TEST(Parser, OffsetsHaveSigns) {
  auto offset = [](const std::string& text) {
    Statement s = One("ld.global.b32 %r1, [" + text + "];");
    return s.instruction.operands[1].parts[0].number.value();
  };
  EXPECT_EQ(offset("%rd1+4"), 4);
  EXPECT_EQ(offset("%rd1-4"), -4);
  EXPECT_EQ(offset("%rd1+-4"), -4);
}

TEST(Parser, ScopesAreStatements) {
  Module m = MustParse(
      InKernel("{\n.reg .pred done;\nwaitLoop:\n"
               "mbarrier.try_wait.parity.shared.b64 done, [%r1], %r2;\n"
               "@!done bra.uni waitLoop;\n}\nret;\n"));
  std::vector<Statement::Kind> kinds;
  for (const Statement& s : m.functions[0].body) kinds.push_back(s.kind);
  using K = Statement::Kind;
  EXPECT_EQ(kinds,
            (std::vector<K>{K::kOpen, K::kVariable, K::kLabel, K::kInstruction,
                            K::kInstruction, K::kClose, K::kInstruction}));
}

TEST(Parser, LocWithInlining) {
  Statement s =
      One(".loc 2 43 17, function_name $L__info_string0+8, inlined_at 1 7 40");
  ASSERT_EQ(s.kind, Statement::Kind::kLoc);
  EXPECT_EQ(s.loc[0].place.line, 43u);
  EXPECT_EQ(s.loc[0].function, "$L__info_string0");
  EXPECT_EQ(s.loc[0].function_offset, 8u);
  ASSERT_TRUE(s.loc[0].inlined_at);
  EXPECT_EQ(s.loc[0].inlined_at->line, 7u);
}

TEST(Parser, CallsPrototypesAndTargets) {
  Module m = MustParse(
      ".version 8.7\n.target sm_90a\n"
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".visible .entry k() {\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;\n"
      "ts: .branchtargets L0, L1;\n"
      "call.uni (retval0), vprintf, (param0, param1);\n"
      "call (retval0), %rd1, (param0), proto;\n"
      "brx.idx %r1, ts;\nL0: ret;\nL1: ret;\n}\n");
  ASSERT_EQ(m.functions.size(), 2u);
  EXPECT_FALSE(m.functions[0].has_body);
  EXPECT_EQ(m.functions[0].signature.returns.size(), 1u);
  const std::vector<Statement>& body = m.functions[1].body;
  EXPECT_EQ(body[0].kind, Statement::Kind::kPrototype);
  EXPECT_EQ(body[1].targets[0].names.size(), 2u);
  EXPECT_EQ(body[2].instruction.operands[2].kind, Kind::kList);
}

TEST(Parser, Initialisers) {
  Module m = MustParse(
      ".version 8.7\n.target sm_90a\n"
      ".global .align 4 .b8 t[2][2] = {{1, 2}, {0xff, -4}};\n"
      ".const .u64 p[2] = {generic(t)+4, t};\n"
      ".global .u8 q[2] = {0xff(t), 0xff00(t)};\n");
  ASSERT_EQ(m.variables.size(), 3u);
  EXPECT_EQ(m.variables[0].names[0].initial->parts[1].parts[1].number.value(),
            -4);
  EXPECT_TRUE(m.variables[1].names[0].initial->parts[0].generic);
  EXPECT_EQ(m.variables[2].names[0].initial->parts[1].mask->bits, 0xff00u);
}

TEST(Parser, DebugSectionsAreKeptByLine) {
  Module m = MustParse(
      ".version 8.7\n.target sm_90a\n.file 1 \"k.py\", 12, 34\n"
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,0\n"
      ".b32 $L__tmp0-$L__func_begin0\n}\n");
  ASSERT_EQ(m.sections.size(), 1u);
  EXPECT_EQ(m.sections[0].lines.size(), 3u);
  EXPECT_EQ(m.files[0].stamp[1].bits, 34u);
}

TEST(Parser, TritonFiles) {
  size_t instructions = 0;
  for (const std::string& path : TritonFiles()) {
    Module m = MustParse(ReadText(path));
    ASSERT_EQ(m.functions.size(), 1u) << path;
    EXPECT_EQ(m.files.size(), 2u) << path;
    for (const Statement& s : m.functions[0].body)
      instructions += s.kind == Statement::Kind::kInstruction;
  }
  EXPECT_EQ(instructions, 6466u);
}

}  // namespace
}  // namespace tilesim::ptx
