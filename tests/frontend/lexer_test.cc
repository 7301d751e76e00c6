#include "frontend/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilesim::frontend {
namespace {

// Tokens as text, newlines as "\n".
std::vector<std::string> Words(std::string_view text) {
  ir::Diagnostics diagnostics;
  Lexer lexer(text, diagnostics);
  std::vector<std::string> out;
  for (Token t = lexer.Next(); t.kind != TokenKind::kEnd; t = lexer.Next())
    out.emplace_back(t.kind == TokenKind::kNewline ? "\n" : t.text);
  EXPECT_EQ(diagnostics.errors(), 0u) << text;
  return out;
}

Token Only(std::string_view text) {
  ir::Diagnostics diagnostics;
  return Lexer(text, diagnostics).Next();
}

using Strings = std::vector<std::string>;

TEST(Lexer, DottedNamesAreOneToken) {
  EXPECT_EQ(Words("tcgen05.mma.cta_group::2 x"),
            (Strings{"tcgen05.mma.cta_group::2", "x"}));
  EXPECT_TRUE(Only("cta.x").dotted);
  EXPECT_FALSE(Only("cta").dotted);
}

TEST(Lexer, RangesAreNoFloats) {
  EXPECT_EQ(Words("0..4"), (Strings{"0", "..", "4"}));
  EXPECT_EQ(Words("a..b"), (Strings{"a", "..", "b"}));
  EXPECT_EQ(Words("128.. step"), (Strings{"128", "..", "step"}));
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(Only("0x1F").value, 31u);
  EXPECT_EQ(Only("0b101").value, 5u);
  EXPECT_EQ(Only("1_000").value, 1000u);
  EXPECT_EQ(Only("1.5e-3").number, 1.5e-3);
  EXPECT_EQ(Only("2e3").kind, TokenKind::kFloat);
  EXPECT_EQ(Only("128B").kind, TokenKind::kWord);
  EXPECT_EQ(Only("0x").kind, TokenKind::kWord);
  EXPECT_EQ(Only("1_").kind, TokenKind::kWord);
  EXPECT_EQ(Only("1e").kind, TokenKind::kWord);
  EXPECT_TRUE(Only("18446744073709551616").too_large);
  EXPECT_FALSE(Only("18446744073709551615").too_large);
}

TEST(Lexer, LinesGoOnInBracketsAndAfterOperators) {
  EXPECT_EQ(Words("f(a\n,\nb)\nc"),
            (Strings{"f", "(", "a", ",", "b", ")", "\n", "c"}));
  EXPECT_EQ(Words("a +\nb\n"), (Strings{"a", "+", "b", "\n"}));
  EXPECT_EQ(Words("a, // why\n\nb"), (Strings{"a", ",", "b"}));
  EXPECT_EQ(Words("128..\nx"), (Strings{"128", "..", "\n", "x"}));
}

TEST(Lexer, ABraceEndsWhatBracketsJoined) {
  EXPECT_EQ(Words("(a }\nb"), (Strings{"(", "a", "}", "\n", "b"}));
}

TEST(Lexer, PlacesCountFromOne) {
  ir::Diagnostics diagnostics;
  Lexer lexer("\n  abc", diagnostics);
  Token t = lexer.Next();
  EXPECT_EQ(t.span.line, 2);
  EXPECT_EQ(t.span.column, 3);
  EXPECT_EQ(t.span.length, 3);
  EXPECT_TRUE(t.first_on_line);
}

TEST(Lexer, CommentsAndBlankLines) {
  ir::Diagnostics diagnostics;
  Lexer lexer("// one  \n\n\n\nx // two\n", diagnostics);
  lexer.Next();
  ASSERT_EQ(lexer.comments().size(), 2u);
  EXPECT_EQ(lexer.comments()[0].text, "// one");
  EXPECT_TRUE(lexer.comments()[0].own_line);
  EXPECT_EQ(lexer.comments()[1].text, "");
  lexer.Next();
  EXPECT_EQ(lexer.comments()[2].text, "// two");
  EXPECT_FALSE(lexer.comments()[2].own_line);
}

TEST(Lexer, CommentsMustBeUtf8) {
  auto errors = [](std::string text) {
    ir::Diagnostics diagnostics;
    Lexer(text, diagnostics).Next();
    return diagnostics.errors() == 0 ? ir::Code() : diagnostics.all()[0].code;
  };
  EXPECT_EQ(errors("// gr\xc3\xbc\xc3\x9f dich, \xe2\x82\xac \xf0\x9f\x99\x82"),
            ir::Code());
  for (std::string bad : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(errors("// " + bad), ir::Code("syntax/encoding"));
    EXPECT_EQ(errors("// " + bad + " x\ny"), ir::Code("syntax/encoding"));
  }
  EXPECT_EQ(errors(std::string("// a\0b", 6)), ir::Code("syntax/encoding"));
}

TEST(Lexer, BytesThatBelongNowhereAreReportedOnce) {
  ir::Diagnostics diagnostics;
  Lexer lexer(std::string_view("a \0\x01\x02 b \xff\xfe", 10), diagnostics);
  while (lexer.Next().kind != TokenKind::kEnd) continue;
  ASSERT_EQ(diagnostics.errors(), 2u);
  EXPECT_EQ(diagnostics.all()[0].code, ir::Code("syntax/character"));
  EXPECT_EQ(diagnostics.all()[0].span.column, 3);
  EXPECT_EQ(diagnostics.all()[0].span.length, 3);
}

}  // namespace
}  // namespace tilesim::frontend
