// What is said of the word under the pointer, as Markdown.
#ifndef TILESIM_CLI_LSP_HOVER_H_
#define TILESIM_CLI_LSP_HOVER_H_

#include <string>

#include "cli/lsp/symbols.h"

namespace tilesim::cli::lsp {

// "": nothing is known of it. An op: its page of the manual; a name: the line
// that declares it; a word of the language: what it means.
std::string HoverText(const Word& word, const Symbol* symbol);
// The page of a finding code, without its program.
std::string CodeText(const std::string& code);

}  // namespace tilesim::cli::lsp

#endif  // TILESIM_CLI_LSP_HOVER_H_
