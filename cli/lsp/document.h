// Texts that an editor has open. Lines and characters of the protocol count
// from 0, characters in UTF-16 units; outside comments a .tile text is ASCII,
// where these are bytes.
#ifndef TILESIM_CLI_LSP_DOCUMENT_H_
#define TILESIM_CLI_LSP_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/lsp/channel.h"
#include "ir/span.h"

namespace tilesim::cli::lsp {

struct Document {
  std::string uri;
  std::string path;  // of the file, for includes
  std::string text;
  int64_t version = 0;
};

struct Position {
  int64_t line = 0;
  int64_t character = 0;
};

// Whole lines without their ends; "" beyond the last.
std::string_view LineOf(std::string_view text, int64_t line);

Json RangeOf(const ir::Span& span);
Json WholeRange(std::string_view text);
std::optional<Position> PositionOf(const Json& params);

// The word at a position: letters, digits, `_`, with `.` and `::` inside, as
// the lexer has names and ops.
struct Word {
  std::string text;
  int64_t first = 0;  // character on its line
};
Word WordAt(std::string_view text, Position at);

}  // namespace tilesim::cli::lsp

#endif  // TILESIM_CLI_LSP_DOCUMENT_H_
