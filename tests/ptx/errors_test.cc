// What is wrong with a text, where, and what to do: as people read it.
#include <gtest/gtest.h>

#include <random>

#include "ptx/text/parser.h"
#include "ptx/text/printer.h"
#include "tests/ptx/files.h"

namespace tilesim::ptx {
namespace {

std::string Rendered(const std::string& text) {
  ir::Source source{"k.ptx", text};
  ir::Diagnostics diagnostics;
  EXPECT_FALSE(Parse(source, diagnostics));
  std::string out;
  for (const ir::Diagnostic& d : diagnostics.all())
    out += ir::Render(d, source);
  return out;
}

TEST(Errors, MissingSemicolon) {
  EXPECT_EQ(Rendered(InKernel("mov.b32 %r1, 4\nret;\n")),
            "error[syntax/expected]: expected `;` after the instruction\n"
            " --> k.ptx:7:14\n"
            "  |\n"
            "7 | mov.b32 %r1, 4\n"
            "  |              ^\n"
            "  = help: end the line with `;`\n");
}

TEST(Errors, EachIsToldOnce) {
  EXPECT_EQ(Rendered(InKernel("mov.b32 %r1, ];\nbra L;\nadd.s32 %r1 %r2;\n")),
            "error[syntax/expected]: expected an operand, found `]`\n"
            " --> k.ptx:7:14\n"
            "  |\n"
            "7 | mov.b32 %r1, ];\n"
            "  |              ^\n"
            "error[syntax/expected]: expected `;` after the instruction, found "
            "`%r2`\n"
            " --> k.ptx:9:13\n"
            "  |\n"
            "9 | add.s32 %r1 %r2;\n"
            "  |             ^^^\n");
}

TEST(Errors, NotPtx) {
  EXPECT_EQ(Rendered("kernel k target sm_90a {\n}\n"),
            "error[syntax/expected]: expected `.version`, found `kernel`\n"
            " --> k.ptx:1:1\n"
            "  |\n"
            "1 | kernel k target sm_90a {\n"
            "  | ^^^^^^\n"
            "  = help: a PTX module begins with `.version 8.7`, `.target "
            "sm_90a`\n");
  EXPECT_NE(Rendered("\x7f"
                     "ELF\x02")
                .find("help: is this a cubin?"),
            std::string::npos);
  std::string much;
  for (int i = 0; i < 100; ++i) much += "a\x01 ";
  const std::string said = Rendered(much);
  EXPECT_NE(said.find("the rest is not read"), std::string::npos);
  EXPECT_LE(said.size(), 10 * much.size());
  EXPECT_NE(Rendered("").find("found the end of the text"), std::string::npos);
}

TEST(Errors, UnclosedBody) {
  EXPECT_EQ(Rendered(".version 8.7\n.target sm_90a\n.entry k() {\nret;\n"),
            "error[syntax/unclosed]: the brace is never closed\n"
            " --> k.ptx:3:12\n"
            "  |\n"
            "3 | .entry k() {\n"
            "  |            ^\n"
            "  = help: end the body or scope with `}`\n");
}

TEST(Errors, UnknownDirective) {
  EXPECT_EQ(
      Rendered(".version 8.7\n.target sm_90a\n.entry k() .reqtnid 4\n{\n}\n"),
      "error[syntax/expected]: expected `{`, `;` or a directive, found "
      "`.reqtnid`\n"
      " --> k.ptx:3:12\n"
      "  |\n"
      "3 | .entry k() .reqtnid 4\n"
      "  |            ^^^^^^^^\n"
      "  = help: known are .reqntid, .maxntid, .maxnreg, .minnctapersm, "
      ".reqnctapercluster, .explicitcluster, .maxclusterrank, .noreturn, "
      ".pragma\n");
}

TEST(Errors, NumbersThatAreNone) {
  for (std::string text : {"0x", "0f3f80", "09", "12abc", "0b12",
                           "99999999999999999999", "1.5.2", "1e"})
    EXPECT_NE(Rendered(InKernel("mov.b32 %r1, " + text + ";\n")).find(":7:"),
              std::string::npos)
        << text;
}

TEST(Errors, AnErrorDoesNotHideTheNextKernel) {
  std::string two = InKernel("mov.b32 %r1, ;\n") +
                    ".visible .entry j() {\nadd.s32 %r1, {;\n}\n";
  std::string said = Rendered(two);
  EXPECT_NE(said.find("k.ptx:7:14"), std::string::npos) << said;
  EXPECT_NE(said.find("k.ptx:10:15"), std::string::npos) << said;
}

TEST(Errors, DeepNestingEnds) {
  constexpr int kDeep = 200'000;
  std::string head = ".version 8.7\n.target sm_90a\n.global .b32 x = ";
  std::string many(kDeep, '{'), round(kDeep, '('), tilde(kDeep, '~');
  EXPECT_NE(Rendered(head + many).find("nested too deep"), std::string::npos);
  EXPECT_NE(Rendered(head + round).find("nested too deep"), std::string::npos);
  EXPECT_NE(Rendered(head + tilde).find("nested too deep"), std::string::npos);
  // Scopes nest the tree no deeper.
  std::string scopes = InKernel(many + std::string(kDeep, '}'));
  EXPECT_EQ(MustParse(scopes).functions[0].body.size(), 2u * kDeep);
}

TEST(Errors, ManyAreCounted) {
  std::string body;
  for (int i = 0; i < 1000; ++i) body += "mov.b32 ];\n";
  ir::Source source{"k.ptx", InKernel(body)};
  ir::Diagnostics diagnostics;
  EXPECT_FALSE(Parse(source, diagnostics));
  EXPECT_EQ(diagnostics.errors(), 1000u);
  EXPECT_EQ(diagnostics.all().size(), ir::Diagnostics::kLimit);
}

// Whatever is cut from or put into a real module: an answer, and what parses
// is read back from its print.
TEST(Errors, DamagedModules) {
  std::string text = ReadText("tests/ptx/testdata/triton/mm_tma_ws0_sm90.ptx");
  std::mt19937 random(7);
  size_t parsed = 0;
  for (int round = 0; round < 400; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 3; ++i) {
      size_t at = random() % damaged.size();
      if (random() % 2 == 0) {
        damaged.erase(at, random() % 20);
      } else {
        damaged.insert(at, text.substr(random() % text.size(), random() % 20));
      }
    }
    ir::Source source{"k.ptx", damaged};
    ir::Diagnostics diagnostics;
    std::optional<Module> module = Parse(source, diagnostics);
    EXPECT_NE(module.has_value(), diagnostics.has_errors());
    for (const ir::Diagnostic& d : diagnostics.all())
      EXPECT_FALSE(ir::Render(d, source).empty());
    if (!module) continue;
    ++parsed;
    EXPECT_EQ(MustParse(Print(*module)), *module);
  }
  EXPECT_GT(parsed, 10u);
  EXPECT_LT(parsed, 390u);
}

}  // namespace
}  // namespace tilesim::ptx
