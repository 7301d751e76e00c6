// What may stand where one types.
#ifndef TILESIM_CLI_LSP_COMPLETION_H_
#define TILESIM_CLI_LSP_COMPLETION_H_

#include "cli/lsp/symbols.h"

namespace tilesim::cli::lsp {

// Behind `target`, `swizzle`, `fragment` and a type's `:` only what fits there;
// else names, words, and ops with their modifiers. A list of CompletionItem,
// each of which replaces the word that was begun.
Json Completions(const Document& document, const Symbols& symbols, Position at);

}  // namespace tilesim::cli::lsp

#endif  // TILESIM_CLI_LSP_COMPLETION_H_
