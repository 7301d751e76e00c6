// Free checks on every .tile file of the repository: what is printed is read
// back as the same program, and printing is a fixed point.
#include <gtest/gtest.h>

#include "frontend/parse.h"
#include "ir/printer.h"
#include "tests/frontend/files.h"

namespace tilesim::frontend {
namespace {

using ParseFn = std::optional<ir::Program> (*)(const ir::Source&,
                                               ir::Diagnostics&);

void RoundTrip(const ir::Source& source, ParseFn parse) {
  ir::Diagnostics diagnostics, again;
  std::optional<ir::Program> program = parse(source, diagnostics);
  if (!program) return;  // what is wrong with it is another test's business
  ir::Source printed{"printed", ir::Print(*program)};
  std::optional<ir::Program> reread = parse(printed, again);
  ASSERT_TRUE(reread.has_value()) << printed.text;
  EXPECT_EQ(*reread, *program) << printed.text;
  EXPECT_EQ(ir::Print(*reread), printed.text);
}

class TileFile : public testing::TestWithParam<std::string> {};

TEST_P(TileFile, IsReadBackAsPrinted) {
  ir::Source source = ReadSource(GetParam());
  RoundTrip(source, ParseSyntax);
  RoundTrip(source, Parse);
}

INSTANTIATE_TEST_SUITE_P(All, TileFile,
                         testing::ValuesIn(FilesBelow(".", ".tile")),
                         [](const auto& test) { return TestName(test.param); });

}  // namespace
}  // namespace tilesim::frontend
