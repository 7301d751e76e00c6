// Input that no one would write: it must end, soon, with errors.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <random>
#include <string>

#include "frontend/parse.h"
#include "ir/printer.h"

namespace tilesim::frontend {
namespace {

constexpr size_t kHuge = 100 * 1000 * 1000;
// Of the processor's time, with sanitizers, too: what takes a square of the
// input's length takes hours.
constexpr double kPatience = 60;

// Parses; nothing but the end is asked for.
ir::Diagnostics Survive(std::string text) {
  ir::Source source{"torture.tile", std::move(text)};
  ir::Diagnostics diagnostics;
  const std::clock_t start = std::clock();
  std::optional<ir::Program> program = Parse(source, diagnostics);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC,
            kPatience);
  EXPECT_EQ(program.has_value(), !diagnostics.has_errors());
  EXPECT_LE(diagnostics.all().size(), ir::Diagnostics::kLimit);
  for (const ir::Diagnostic& d : diagnostics.all())
    EXPECT_FALSE(d.message.empty());
  return diagnostics;
}

std::string Repeat(std::string_view piece, size_t bytes) {
  std::string out;
  out.reserve(bytes + piece.size());
  while (out.size() < bytes) out += piece;
  return out;
}

std::string InKernel(const std::string& body) {
  return "kernel k target sm_90a {\ngrid (1)\nblock 128\n" + body + "\n}\n";
}

TEST(Torture, OneLineOf100Megabytes) {
  for (std::string_view piece :
       {"a", "1", "(", "[", "{", "}", "x,", "x+", "-", "::", "..", "a.", ";",
        " ", "//", "\xff", "let x=1;", "\"", "for "}) {
    ir::Diagnostics d = Survive(InKernel(Repeat(piece, kHuge / 4)));
    bool harmless = piece == " " || piece == ";" || piece == "//";
    EXPECT_NE(d.has_errors(), harmless) << piece;
  }
  EXPECT_TRUE(Survive(Repeat("kernel", kHuge)).has_errors());
}

TEST(Torture, LinesWithoutEnd) {
  EXPECT_TRUE(
      Survive(InKernel(Repeat("bar.sync 0\n", kHuge / 2))).has_errors());
  EXPECT_TRUE(
      Survive(InKernel(Repeat("// no\nbar\n", kHuge / 4))).has_errors());
  EXPECT_TRUE(Survive(InKernel(Repeat("// x\n", kHuge / 4))).has_errors());
  EXPECT_FALSE(Survive(InKernel(Repeat("\n", kHuge / 4))).has_errors());
}

TEST(Torture, TooLongIsSaidOnce) {
  ir::Diagnostics d = Survive(InKernel(Repeat("bar.sync 0\n", 1 << 20)));
  ASSERT_EQ(d.errors(), 1u);
  EXPECT_EQ(d.all()[0].code, ir::Code("syntax/too-long"));
}

TEST(Torture, LimitsOfAKernel) {
  std::string decls, scalars, kernels, kernel = InKernel("");
  for (int i = 0; i < 5000; ++i)
    decls += "mbarrier b" + std::to_string(i) + "\n";
  for (int i = 0; i < 40000; ++i)
    scalars += "let x" + std::to_string(i) + " = 1\n";
  for (int i = 0; i < 100; ++i) kernels += kernel;
  for (const std::string& text : {InKernel(decls), InKernel(scalars), kernels})
    EXPECT_EQ(Survive(text).all().back().code, ir::Code("syntax/too-long"));
}

// Near the limits nothing may be quadratic.
TEST(Torture, AlmostTooLong) {
  std::string text;
  for (int i = 0; i < 4000; ++i)
    text += "mbarrier b" + std::to_string(i) + "\n";
  for (int i = 0; i < 20000; ++i)
    text += "let x" + std::to_string(i) + " = bytes(b" +
            std::to_string(i % 4000) + ") + " + std::to_string(i) + "\n";
  for (int i = 0; i < 4000; ++i)
    text += "role r" + std::to_string(i) + " = warp 0 { bar.warp.sync }\n";
  EXPECT_FALSE(Survive(InKernel(text)).has_errors());
}

TEST(Torture, DeepNesting) {
  using Make = std::function<std::string(int)>;
  const Make makers[] = {
      [](int n) { return Repeat("if 1 {", 6 * n) + Repeat("}", n); },
      [](int n) { return "if 1 { }" + Repeat(" else if 1 { }", 14 * n); },
      [](int n) { return Repeat("warp 0 {", 8 * n); },
      [](int n) { return "let x = " + Repeat("(", n) + "1" + Repeat(")", n); },
      [](int n) { return "let x = " + Repeat("-", n) + "y"; },
      [](int n) { return "let x = " + Repeat("min(1, ", 7 * n); },
      [](int n) { return "let x = " + Repeat("1?2:", 4 * n) + "3"; },
      [](int n) { return "let x = " + Repeat("1<<(1+", 6 * n) + "3"; },
      [](int n) { return "let x = 1" + Repeat("*2", 2 * n); },
      [](int n) { return "computes x = " + Repeat("(", n); },
      [](int n) { return "computes x = y" + Repeat("*y", 2 * n); },
      [](int n) { return "computes x = " + Repeat("relu(", 5 * n); },
      [](int n) { return "mbarrier.arrive b" + Repeat("[b", 2 * n); },
  };
  for (const Make& make : makers) {
    for (int n : {1000, 1000000})
      EXPECT_TRUE(Survive(InKernel(make(n))).has_errors());
  }
}

// Numbers at the ends of their range wherever a number can stand.
TEST(Torture, HugeNumbers) {
  for (std::string n : {"9223372036854775807", "-9223372036854775808",
                        "4611686018427387904", "2147483648", "-1", "0"}) {
    auto at = [&n](const std::string& text) {
      std::string out = text;
      for (size_t i; (i = out.find('#')) != std::string::npos;)
        out.replace(i, 1, n);
      return out;
    };
    for (const char* body :
         {"param M : #..# step # = #",
          "global A : f16[#, #, #, #, #]",
          "global A : f16[4, 4] stride (#, #)\n"
          "elect { tma.prefetch A[# :+ #, # :+ #] }",
          "elect { prefetch.tensormap a[#], A[# :+ #, # :+ #] }",
          "shared a[#] : f16[#, 64] align #",
          "shared a[2] : f16[64, 64]\nshared b : f16[64, 64] at a[#] + #",
          "cluster (#, #, #)",
          "warps #..# { bar.sync # }",
          "warpgroup # { bar.sync 0, # }",
          "threads #..# { }",
          "lane # { }",
          "mbarrier f[2]\nelect { mbarrier.init f[#], #; mbarrier.arrive "
          "f[1] @ cta #, count = # }",
          "reg r[#] : f32[64, #] fragment wgmma",
          "reg r : f32[64, 64] fragment blocked(#)",
          "shared a : f16[8, 64]\nreg r : f16[64, 64] fragment wgmma\n"
          "ld.shared r, a[# :+ #, # :+ #]",
          "global A : f16[64, 64]\nmbarrier f\nshared a : f16[64, 64] "
          "swizzle 128B\nelect { tma.load a[# :+ 64, #], A[# :+ #, #], f, "
          "multicast = # }",
          "const X = # * # + # - # / # % # << # >> #, Y = min(#, cdiv(#, #))",
          "let w = warp * #\nif w + # > 0 { bar.warp.sync }",
          "computes A = # * A",
          "setmaxnreg.inc #",
          "for i in #..# step # { }"})
      Survive(InKernel(at(body)));
    for (const char* head : {"grid (#, #, #)\nblock 128", "grid (1)\nblock #",
                             "grid (1)\nblock 128 regs #"})
      Survive(at(std::string("kernel k target sm_100a {\n") + head + "\n}\n"));
    Survive(
        at("kernel k target sm_100a {\ngrid (1)\nblock 128\n"
           "shared w : u32[1]\ntmem p : columns # slot w\n"
           "tmem d[#] : f32[#, #] at p + #\n}\n"));
  }
}

// Every way to tear a program apart.
TEST(Torture, TruncatedAndMutatedPrograms) {
  const std::string text = InKernel(
      "param M : 1.. step 2 = 3\nconst A = 0b11, B = 1.5e-3\n"
      "global G : u32[M, 4] in 0..9 zero\nshared a[2] : f16[64, 64] swizzle "
      "128B\nmbarrier f[2]\ncomputes G = 2 * G + transpose(G)\n"
      "role p = warp 0, elect {\n  for i in 0..A step 1 {\n    if i & 1 == 0 "
      "{ continue } else { break }\n    mbarrier.wait.acquire f[i % 2] @ cta "
      "0, parity = (i / 2) & 1  // c\n    tma.load a[0], G[0 :+ 64, :], f[1]\n"
      "  }\n}\n");
  for (size_t i = 0; i <= text.size(); ++i) Survive(text.substr(0, i));
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string torn = text;
    for (int j = 0; j < 3; ++j) {
      size_t at = random() % torn.size();
      switch (random() % 3) {
        case 0:
          torn.erase(at, random() % 5);
          break;
        case 1:
          torn.insert(at, text.substr(random() % text.size(), random() % 20));
          break;
        default:
          torn[at] = static_cast<char>(random());
      }
      if (torn.empty()) torn = "x";
    }
    Survive(torn);
  }
}

TEST(Torture, BinaryJunk) {
  std::mt19937 random(2);
  std::string junk(1 << 20, '\0');
  for (char& c : junk) c = static_cast<char>(random());
  ir::Diagnostics d = Survive(junk);
  EXPECT_TRUE(d.has_errors());
  EXPECT_TRUE(Survive(InKernel(junk)).has_errors());
  EXPECT_TRUE(Survive(std::string(1000, '\0')).has_errors());
  EXPECT_TRUE(Survive("").has_errors());
}

// All messages are text that any consumer can show.
TEST(Torture, MessagesAreText) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string junk(200, '\0');
    for (char& c : junk) c = static_cast<char>(random());
    ir::Source source{"", InKernel(junk)};
    ir::Diagnostics diagnostics;
    Parse(source, diagnostics);
    for (const ir::Diagnostic& d : diagnostics.all()) {
      for (char c : d.message + d.help) {
        auto byte = static_cast<unsigned char>(c);
        EXPECT_TRUE(byte >= 0x20 && byte < 0x7f) << d.message;
      }
    }
  }
}

}  // namespace
}  // namespace tilesim::frontend
