#include "cli/diagnostic_json.h"

#include <string>
#include <utility>

namespace tilesim::cli {
namespace {

// Lines of the file. `place` tells statements apart that a function has once
// for each call.
Json SpanJson(const ir::Source& source, const ir::Span& span) {
  Json out = {{"file", source.PathOf(span)},
              {"line", span.text_line()},
              {"column", span.column}};
  if (span.place() > 0) out["place"] = span.place();
  return out;
}

Json LabelsJson(const ir::Source& source, const ir::Diagnostic& d) {
  Json labels = Json::array();
  auto add = [&](const ir::Span& span, const std::string& text) {
    Json label = SpanJson(source, span);
    label["text"] = text;
    labels.push_back(std::move(label));
  };
  if (!d.span_text.empty()) add(d.span, d.span_text);
  for (const ir::Label& l : ir::LabelsOf(d, source)) add(l.span, l.text);
  return labels;
}

}  // namespace

Json DiagnosticJson(const ir::Source& source, const ir::Diagnostic& d) {
  bool error = d.severity == ir::Severity::kError;
  return {{"code", d.code.name()},
          {"severity", error ? "error" : "warning"},
          {"message", d.message},
          {"location", SpanJson(source, d.span)},
          {"labels", LabelsJson(source, d)},
          {"notes", d.notes},
          {"help", d.help}};
}

}  // namespace tilesim::cli
