// A program as lines, of which some hold others: what `reduce` takes away from.
// It knows of the language only what the one layout shows: a line is a
// statement or a declaration, and `{` opens a block.
#ifndef TILESIM_CLI_REDUCE_LINE_TREE_H_
#define TILESIM_CLI_REDUCE_LINE_TREE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tilesim::cli::reduce {

struct Line {
  std::vector<std::string> tokens;  // without the `{` at its end
  bool block = false;
  std::vector<Line> body;

  bool IsElse() const { return !tokens.empty() && tokens[0] == "else"; }
  friend bool operator==(const Line&, const Line&) = default;
};
using Lines = std::vector<Line>;

// Of a text that ir::Print wrote, with a line for each statement however long.
// Comments are left out. An `else` is a line of its own, behind its `if`.
Lines LinesOf(std::string_view printed);
// A text that can be parsed; ir::Print makes it the one layout.
std::string TextOf(const Lines& lines);

// What there is less of in a smaller program, the first that differs: lines,
// tokens, the sum of its integers.
using Size = std::tuple<int64_t, int64_t, int64_t>;
Size SizeOf(const Lines& lines);

// The value of an integer as it is written; -1: it is none.
int64_t IntegerOf(std::string_view token);

// All blocks, the whole program first, each before those in it.
std::vector<Lines*> BlocksOf(Lines& lines);
// All lines, each before those in it.
std::vector<Line*> AllLinesOf(Lines& lines);

}  // namespace tilesim::cli::reduce

#endif  // TILESIM_CLI_REDUCE_LINE_TREE_H_
