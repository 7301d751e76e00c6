// What is wrong with a text, as an editor shows it.
#ifndef TILESIM_CLI_LSP_ANALYSIS_H_
#define TILESIM_CLI_LSP_ANALYSIS_H_

#include "cli/lsp/document.h"
#include "ir/diagnostic.h"

namespace tilesim::cli::lsp {

// Of the text alone: grammar, names, the rules of the hardware for the default
// sizes, lints. Milliseconds.
struct TextAnalysis {
  ir::Source source;
  ir::Diagnostics diagnostics;
};
TextAnalysis AnalyseText(const Document& document);

// Of all schedules and sizes, as `tilesim check` says it; what is wrong with
// the text is not told again. It may take minutes. The verdict in a line.
struct CheckAnalysis {
  ir::Source source;
  std::vector<ir::Diagnostic> findings;
  std::string verdict;
};
CheckAnalysis AnalyseByCheck(const Document& document);

// A diagnostic of the protocol. What is said of an included file, or of a
// function that a call put there, stands at the include or call in this one.
Json ToLsp(const ir::Diagnostic& diagnostic, const ir::Source& source);

}  // namespace tilesim::cli::lsp

#endif  // TILESIM_CLI_LSP_ANALYSIS_H_
