#include "ir/manual.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "ir/tilelang_builtins.h"
#include "tests/frontend/files.h"

namespace tilesim::ir {
namespace {

TEST(OpManual, HasEveryOpWithItsOperandsAndModifiers) {
  std::string manual = OpManual();
  for (const OpInfo* info : AllOps()) {
    std::string page = OpPage(*info);
    EXPECT_NE(manual.find(page), std::string::npos) << info->mnemonic;
    for (const OperandSpec& s : info->operands) {
      EXPECT_NE(page.find("`" + std::string(s.name)), std::string::npos)
          << info->mnemonic << " " << s.name;
      EXPECT_FALSE(s.doc.empty()) << info->mnemonic << " " << s.name;
    }
    for (const ModSpec& m : info->mods)
      EXPECT_NE(page.find(m.doc), std::string::npos) << info->mnemonic;
    EXPECT_FALSE(info->doc.empty()) << info->mnemonic;
    EXPECT_FALSE(info->source.empty()) << info->mnemonic;
  }
}

TEST(OpManual, SyntaxShowsWhatIsOptional) {
  std::string page = OpPage(*OpNamed("tma.load"));
  EXPECT_NE(page.find("    tma.load[.cta_group::1 | .cta_group::2] dst, src, "
                      "bar[, multicast = ...]\n"),
            std::string::npos)
      << page;
}

// The parts of frontend/language.md that are written as code.
std::string CodeOf(const std::string& markdown) {
  std::string code, line;
  std::istringstream lines(markdown);
  while (std::getline(lines, line)) {
    bool inside = line.starts_with("    ");
    for (char c : line) {
      if (inside) code += c;
      if (c == '`') inside = !inside;
    }
    code += '\n';
  }
  return code;
}

TEST(TileLangBuiltins, AllOfThemAreThereOnce) {
  std::set<std::string_view> functions;
  for (const TileLangBuiltin& row : TileLangBuiltins())
    EXPECT_TRUE(functions.insert(row.function).second) << row.function;
  EXPECT_EQ(functions.size(), 52);
}

TEST(TileLangBuiltins, EachHasAWordOfTheLanguageOrAReason) {
  std::string code = CodeOf(frontend::ReadSource("frontend/language.md").text);
  for (const TileLangBuiltin& row : TileLangBuiltins()) {
    bool has_word = false;
    for (std::string_view word : row.words) {
      if (word.empty()) continue;
      has_word = true;
      EXPECT_TRUE(OpNamed(word) != nullptr ||
                  code.find(word) != std::string::npos)
          << row.function << ": " << word;
    }
    EXPECT_TRUE(has_word || !row.note.empty()) << row.function;
  }
}

constexpr char kManual[] = "ir/ops.md";

TEST(OpManual, TheFileIsWhatTheTableSays) {
  EXPECT_EQ(frontend::ReadSource(kManual).text, OpManual())
      << "write it anew: frontend_test --gtest_also_run_disabled_tests "
         "--gtest_filter=OpManual.DISABLED_WriteTheFile";
}

TEST(OpManual, DISABLED_WriteTheFile) { std::ofstream(kManual) << OpManual(); }

}  // namespace
}  // namespace tilesim::ir
