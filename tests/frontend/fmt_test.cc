// Formatting changes nothing but space: on every .tile file of the repository,
// torn apart at random and printed at random widths, the words and the comments
// stay, and printing again changes nothing.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/lexer.h"
#include "frontend/parse.h"
#include "ir/printer.h"
#include "tests/frontend/files.h"

namespace tilesim::frontend {
namespace {

struct Text {
  std::vector<std::string> words;     // tokens but for ends of statements
  std::vector<std::string> comments;  // in order, blank lines left out

  friend bool operator==(const Text&, const Text&) = default;
};

Text TextOf(const std::string& text) {
  ir::Diagnostics diagnostics;
  Lexer lexer(text, diagnostics);
  Text out;
  for (Token t = lexer.Next(); t.kind != TokenKind::kEnd; t = lexer.Next()) {
    if (t.kind != TokenKind::kNewline && !t.is(";"))
      out.words.emplace_back(t.text);
  }
  for (const Comment& c : lexer.comments()) {
    if (!c.text.empty()) out.comments.emplace_back(c.text);
  }
  return out;
}

std::optional<ir::Program> Read(const std::string& text) {
  ir::Diagnostics diagnostics;
  return ParseSyntax({"test", text}, diagnostics);
}

// Words moved apart: blanks anywhere between them, line breaks where a line
// goes on.
std::string Torn(const std::string& text, std::mt19937& random) {
  ir::Diagnostics diagnostics;
  Lexer lexer(text, diagnostics);
  std::string out;
  size_t done = 0;
  for (Token t = lexer.Next(); t.kind != TokenKind::kEnd; t = lexer.Next()) {
    out += text.substr(done, t.offset + t.text.size() - done);
    done = t.offset + t.text.size();
    bool glued = t.kind == TokenKind::kNewline || text[done] == '.';
    if (!glued && random() % 4 == 0) out += std::string(random() % 3, ' ');
    if (t.is(",") && random() % 4 == 0) out += "\n";
  }
  return out + text.substr(done);
}

class Fmt : public testing::TestWithParam<std::string> {};

TEST_P(Fmt, KeepsWordsAndComments) {
  std::string source = ReadSource(GetParam()).text;
  std::optional<ir::Program> program = Read(source);
  if (!program) return;  // what is wrong with it is another test's business
  Text words = TextOf(ir::Print(*program));
  EXPECT_EQ(words.comments, TextOf(source).comments);
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    std::string torn = Torn(source, random);
    size_t columns = 20 + random() % 100;
    std::optional<ir::Program> again = Read(torn);
    ASSERT_TRUE(again.has_value()) << torn;
    std::string printed = ir::Print(*again, columns);
    EXPECT_TRUE(TextOf(printed) == words) << torn << "\n---\n" << printed;
    std::optional<ir::Program> last = Read(printed);
    ASSERT_TRUE(last.has_value()) << printed;
    EXPECT_EQ(ir::Print(*last, columns), printed);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Fmt, testing::ValuesIn(FilesBelow(".", ".tile")),
                         [](const auto& test) { return TestName(test.param); });

}  // namespace
}  // namespace tilesim::frontend
