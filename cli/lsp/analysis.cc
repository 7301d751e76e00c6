#include "cli/lsp/analysis.h"

#include <utility>

#include "checkers/check.h"
#include "cli/check_files.h"
#include "cli/input.h"
#include "cli/suppress.h"
#include "cli/uri.h"
#include "frontend/allow.h"
#include "frontend/lint.h"
#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::cli::lsp {
namespace {

// Where an editor of this text can show it.
ir::Span OwnSpan(const ir::Diagnostic& d, const ir::Source& source) {
  if (source.PathOf(d.span) == source.path) return d.span;
  for (const ir::Label& label : ir::LabelsOf(d, source)) {
    if (source.PathOf(label.span) == source.path) return label.span;
  }
  return ir::Span{1, 1, 1};
}

}  // namespace

TextAnalysis AnalyseText(const Document& document) {
  TextAnalysis out;
  out.source = ir::Source{document.path, document.text};
  if (frontend::Parse(out.source, out.diagnostics)) {
    frontend::LintText(out.source, out.diagnostics);
    frontend::FindAllows(document.text, out.diagnostics);
  }
  return out;
}

CheckAnalysis AnalyseByCheck(const Document& document) {
  CheckedFile file = CheckSource({}, ir::Source{document.path, document.text});
  Baseline none;
  Suppress(file, none);
  CheckAnalysis out;
  out.source = file.source;
  if (!file.checked()) return out;
  for (size_t i = 0; i < file.report->findings.size(); ++i) {
    if (!file.HiddenBy(i))
      out.findings.push_back(file.report->findings[i].diagnostic);
  }
  out.verdict = std::string(checkers::Name(file.report->verdict));
  return out;
}

Json ToLsp(const ir::Diagnostic& d, const ir::Source& source) {
  std::string message = d.message;
  if (!d.span_text.empty()) ir::Append(&message, "\n", d.span_text);
  for (const std::string& note : d.notes)
    ir::Append(&message, "\nnote: ", note);
  if (!d.help.empty()) ir::Append(&message, "\nhelp: ", d.help);
  Json related = Json::array();
  for (const ir::Label& label : ir::LabelsOf(d, source)) {
    if (label.span.line <= 0) continue;
    related.push_back({{"location",
                        {{"uri", UriOf(source.PathOf(label.span))},
                         {"range", RangeOf(label.span)}}},
                       {"message", label.text}});
  }
  bool error = d.severity == ir::Severity::kError;
  return {{"range", RangeOf(OwnSpan(d, source))},
          {"severity", error ? 1 : 2},
          {"code", d.code.name()},
          {"source", "tilesim"},
          {"message", message},
          {"relatedInformation", std::move(related)}};
}

}  // namespace tilesim::cli::lsp
