// Functions are the statements that they stand for.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontend/parse.h"
#include "ir/cat.h"
#include "ir/printer.h"

namespace tilesim::frontend {
namespace {

constexpr char kHead[] =
    "kernel k target sm_90a {\n"
    "  const S = 2\n"
    "  grid (1)\n"
    "  block 128\n"
    "  shared a[S] : f16[64, 64]\n"
    "  mbarrier full[S]\n";

// The program with all calls replaced, or what is wrong with it.
std::string Inlined(const std::string& text, const std::string& path = "t") {
  ir::Source source{path, text};
  ir::Diagnostics diagnostics;
  auto program = Parse(source, diagnostics);
  std::string out;
  for (const ir::Diagnostic& d : diagnostics.all())
    out += ir::Render(d, source);
  return program ? ir::Print(*program) : out;
}

void ExpectSame(const std::string& functions, const std::string& calls,
                const std::string& written_out) {
  std::string wanted = Inlined(ir::Cat(kHead, written_out, "}\n"));
  ASSERT_TRUE(wanted.starts_with("kernel")) << wanted;
  EXPECT_EQ(Inlined(ir::Cat(functions, kHead, calls, "}\n")), wanted);
}

TEST(Functions, ResultsBecomeLetsVarsAndAssignments) {
  ExpectSame("fn f(n) {\n let h = n / 2\n return h, h + 1\n}\n",
             "warp 0 {\n let p, q = f(6)\n var c, d = f(8)\n}\n",
             "warp 0 {\n let h = 6 / 2\n let p = h\n let q = h + 1\n"
             " let h_2 = 8 / 2\n var c = h_2\n var d = h_2 + 1\n}\n");
}

TEST(Functions, SeveralResultsAreCalculatedBeforeOneIsAssigned) {
  ExpectSame("fn swap(a, b) {\n return b, a\n}\n",
             "var x = 1\nvar y = 2\nx, y = swap(x, y)\n",
             "var x = 1\nvar y = 2\nlet swap_result = y\n"
             "let swap_result_2 = x\nx = swap_result\ny = swap_result_2\n");
}

// Not twice, and not after what the function assigns.
TEST(Functions, NumbersAreCalculatedOnce) {
  ExpectSame("fn f(n, var x) {\n x = x + n\n x = x + n\n}\n",
             "var x = 1\nf(x, x)\nf(2 * x, x)\nf(S * 3, x)\n",
             "var x = 1\nlet n = x\nx = x + n\nx = x + n\n"
             "let n_2 = 2 * x\nx = x + n_2\nx = x + n_2\n"
             "x = x + S * 3\nx = x + S * 3\n");
}

TEST(Functions, SubscriptsCountInTheBoxThatIsPassed) {
  ExpectSame(
      "fn f(shared t : f16, mbarrier b) {\n"
      " tma.load t, A[0 :+ 64, 0 :+ 64], b\n}\n"
      "fn g(shared t, reg r) {\n ld.shared r, t[8 :+ 32, :]\n}\n",
      "global A : f16[64, 64]\nlet s = cta.x % S\n"
      "thread 0 {\n f(a[s], full[s])\n}\n"
      "warp 0 {\n reg r : f16[32, 64] fragment row\n"
      " g(a[1][s * 16 :+ 48, :], r)\n}\n",
      "global A : f16[64, 64]\nlet s = cta.x % S\n"
      "thread 0 {\n tma.load a[s], A[0 :+ 64, 0 :+ 64], full[s]\n}\n"
      "warp 0 {\n reg r : f16[32, 64] fragment row\n"
      " ld.shared r, a[1, s * 16 + 8 :+ 32, :]\n}\n");
}

TEST(Functions, NamesOfTheCallerAreLeftAlone) {
  ExpectSame(
      "fn f(n) {\n var i = n\n i = i + 1\n return i\n}\n",
      "for i in 0..4 {\n let x = f(i)\n}\n",
      "for i in 0..4 {\n var i_2 = i\n i_2 = i_2 + 1\n let x = i_2\n}\n");
}

TEST(Functions, ExpressionsCallFunctionsThatCallFunctions) {
  ExpectSame(
      "fn twice(n) {\n return n + n\n}\n"
      "fn four(n) {\n return twice(twice(n))\n}\n",
      "let x = four(cta.x) * 2\n",
      "let x = (cta.x + cta.x + (cta.x + cta.x)) * 2\n");
}

// Copies of a statement are told from each other, and shown where they stand.
TEST(Functions, EachCallHasItsOwnPlace) {
  ir::Source source{"t", ir::Cat("fn f(n) {\n var i = n\n i = i + 1\n}\n",
                                 kHead, "f(1)\nf(2)\n}\n")};
  ir::Diagnostics diagnostics;
  auto program = Parse(source, diagnostics);
  ASSERT_TRUE(program.has_value());
  const ir::Block& body = program->kernels[0].body;
  ASSERT_EQ(body.size(), 4u);
  EXPECT_NE(body[1].span.line, body[3].span.line);
  EXPECT_EQ(body[1].span.text_line(), 3);
  EXPECT_EQ(body[3].span.text_line(), 3);
  ir::Diagnostic d;
  d.span = body[3].span;
  std::vector<ir::Label> calls = LabelsOf(d, source);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].span.line, 12);
  EXPECT_EQ(calls[0].text, "`f` is called here");
}

// 2^40 nodes if they were written out.
TEST(Functions, WhatCallsExplodeIntoIsRefused) {
  std::string text = "fn f0(n) {\n return n + n\n}\n";
  for (int i = 1; i < 40; ++i)
    ir::Append(&text, "fn f", i, "(n) {\n return f", i - 1, "(n) + f", i - 1,
               "(n)\n}\n");
  std::string said = Inlined(ir::Cat(text, kHead, "let x = f39(1)\n}\n"));
  EXPECT_NE(said.find("syntax/too-"), std::string::npos) << said;
  text = "fn g0(var x) {\n x = x + 1\n}\n";
  for (int i = 1; i < 40; ++i)
    ir::Append(&text, "fn g", i, "(var x) {\n g", i - 1, "(x)\n g", i - 1,
               "(x)\n}\n");
  said = Inlined(ir::Cat(text, kHead, "var x = 0\ng39(x)\n}\n"));
  EXPECT_NE(said.find("more than 2047 calls"), std::string::npos) << said;
}

class Includes : public testing::Test {
 protected:
  Includes() { std::filesystem::create_directories(folder_ / "lib"); }
  ~Includes() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ir::Cat("includes_",
              testing::UnitTest::GetInstance()->current_test_info()->name());
};

// Relative to the file that has the include; each file once.
TEST_F(Includes, FunctionsOfOtherFiles) {
  Write("lib/one.tile",
        "include \"two.tile\"\nfn one(n) {\n return two(n)\n}\n");
  Write("lib/two.tile", "fn two(n) {\n return n * 2\n}\n");
  std::string text =
      ir::Cat("include \"lib/one.tile\"\ninclude \"lib/two.tile\"\n", kHead,
              "let x = one(cta.x) + two(1)\n}\n");
  EXPECT_EQ(Inlined(text, Write("main.tile", text)),
            Inlined(ir::Cat(kHead, "let x = cta.x * 2 + 1 * 2\n}\n")));
}

TEST_F(Includes, ErrorsAreShownInTheirFile) {
  std::string lib = Write("lib/one.tile", "\nfn one(n) {\n return n / 0\n}\n");
  std::string text =
      ir::Cat("include \"lib/one.tile\"\n", kHead, "let x = one(4) + 1\n}\n");
  std::string path = Write("main.tile", text);
  std::string said = Inlined(text, path);
  EXPECT_NE(said.find(lib + ":3:9"), std::string::npos) << said;
  EXPECT_NE(said.find("::: " + path + ":8:9"), std::string::npos) << said;
  EXPECT_NE(said.find("`one` is called here"), std::string::npos) << said;
  Write("lib/one.tile", "\nfn one(n) {\n return n +\n}\n");
  said = Inlined(text, path);
  EXPECT_NE(said.find(lib + ":3:12"), std::string::npos) << said;
  EXPECT_NE(said.find("included here"), std::string::npos) << said;
}

TEST_F(Includes, FileWithoutAFunctionMayBeIncluded) {
  Write("lib/one.tile", "// nothing yet\n");
  std::string text = ir::Cat("include \"lib/one.tile\"\n", kHead, "}\n");
  EXPECT_TRUE(Inlined(text, Write("main.tile", text)).starts_with("kernel"));
}

TEST_F(Includes, CyclesAndKernelsAreRefused) {
  Write("lib/one.tile", "include \"two.tile\"\n");
  Write("lib/two.tile", "include \"one.tile\"\n");
  std::string text = ir::Cat("include \"lib/one.tile\"\n", kHead, "}\n");
  std::string said = Inlined(text, Write("main.tile", text));
  EXPECT_NE(said.find("include/cycle"), std::string::npos) << said;
  Write("lib/one.tile", ir::Cat(kHead, "}\n"));
  said = Inlined(text, Write("main.tile", text));
  EXPECT_NE(said.find("has functions only"), std::string::npos) << said;
}

}  // namespace
}  // namespace tilesim::frontend
