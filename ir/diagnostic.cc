#include "ir/diagnostic.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "ir/cat.h"
#include "ir/values/check.h"

namespace tilesim::ir {
namespace {

constexpr size_t kMaxShownColumns = 160;

std::string_view LineOf(std::string_view text, int32_t line) {
  size_t begin = 0;
  for (int32_t i = 1; i < line; ++i) {
    size_t newline = text.find('\n', begin);
    if (newline == std::string_view::npos) return {};
    begin = newline + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

// Tabs count as one column and control bytes as '?', so that carets line up
// and a terminal survives.
std::string Printable(std::string_view line) {
  std::string out(line.substr(0, kMaxShownColumns));
  for (char& c : out) {
    if (c == '\t') c = ' ';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

void DrawLine(std::string& out, const Source& source, const Span& span,
              std::string_view text, char mark, size_t gutter) {
  std::string number = Cat(span.text_line());
  std::string line = Printable(LineOf(source.TextOf(span), span.text_line()));
  Append(&out, std::string(gutter - number.size(), ' '), number, " | ", line,
         "\n");
  size_t column = std::max(span.column, 1) - 1;
  if (column > line.size()) return;
  size_t room = std::max<size_t>(line.size() - column, 1);
  size_t length = std::clamp<size_t>(std::max(span.length, 1), 1, room);
  Append(&out, std::string(gutter, ' '), " | ", std::string(column, ' '),
         std::string(length, mark), text.empty() ? "" : " ", text, "\n");
}

const Place* PlaceOf(const Source& source, Span span) {
  auto place = static_cast<size_t>(span.place());
  bool known = span.line > 0 && place > 0 && place <= source.places->size();
  return known ? &(*source.places)[place - 1] : nullptr;
}

}  // namespace

Diagnostic& Diagnostics::Error(Code code, Span span, std::string message) {
  values::Check(code.may_err(), "a warning is reported as an error");
  ++errors_;
  return Add(Severity::kError, code, span, std::move(message));
}

Diagnostic& Diagnostics::Warning(Code code, Span span, std::string message) {
  values::Check(code.may_warn(), "an error is reported as a warning");
  return Add(Severity::kWarning, code, span, std::move(message));
}

void Diagnostics::Append(const Diagnostics& others) {
  errors_ += others.errors_;
  size_t room = kLimit - std::min(kLimit, all_.size());
  auto end = others.all_.begin();
  std::advance(end, std::min(room, others.all_.size()));
  all_.insert(all_.end(), others.all_.begin(), end);
}

Diagnostic& Diagnostics::Add(Severity severity, Code code, Span span,
                             std::string message) {
  Diagnostic d;
  d.code = code;
  d.severity = severity;
  d.span = span;
  d.message = std::move(message);
  if (all_.size() >= kLimit) {
    dropped_ = std::move(d);
    return dropped_;
  }
  // Callers keep the reference only until the next Add.
  all_.push_back(std::move(d));
  return all_.back();
}

const std::string& Source::PathOf(Span span) const {
  const Place* place = PlaceOf(*this, span);
  return place == nullptr ? path : place->path;
}

const std::string& Source::TextOf(Span span) const {
  const Place* place = PlaceOf(*this, span);
  return place == nullptr || place->text == nullptr ? text : *place->text;
}

std::vector<Label> LabelsOf(const Diagnostic& d, const Source& source) {
  std::vector<Label> labels = d.labels;
  std::set<int32_t> told;
  auto add = [&](Span span) {
    while (const Place* place = PlaceOf(source, span)) {
      if (!told.insert(span.place()).second) return;
      span = place->call;
      labels.push_back(
          {span, place->function.empty()
                     ? "included here"
                     : Cat("`", place->function, "` is called here")});
    }
  };
  add(d.span);
  for (const Label& label : d.labels) add(label.span);
  return labels;
}

std::string Render(const Diagnostic& d, const Source& source) {
  std::string out = Cat(d.severity == Severity::kError ? "error" : "warning",
                        "[", d.code.name(), "]: ", d.message, "\n");
  std::vector<Label> labels = LabelsOf(d, source);
  int32_t last_line = d.span.text_line();
  for (const Label& label : labels)
    last_line = std::max(last_line, label.span.text_line());
  size_t gutter = Cat(last_line).size();
  std::string pad(gutter, ' ');
  const std::string* path = &source.PathOf(d.span);
  if (d.span.line > 0) {
    Append(&out, pad, "--> ", *path, ":", d.span.text_line(), ":",
           d.span.column, "\n", pad, " |\n");
    DrawLine(out, source, d.span, d.span_text, '^', gutter);
  } else {
    Append(&out, pad, "--> ", source.path, "\n");
  }
  for (const Label& label : labels) {
    if (label.span.line <= 0) continue;
    const std::string* other = &source.PathOf(label.span);
    if (*other != *path) {
      Append(&out, pad, "::: ", *other, ":", label.span.text_line(), ":",
             label.span.column, "\n");
      path = other;
    }
    DrawLine(out, source, label.span, label.text, '-', gutter);
  }
  for (const std::string& note : d.notes)
    Append(&out, pad, " = note: ", note, "\n");
  if (!d.help.empty()) Append(&out, pad, " = help: ", d.help, "\n");
  return out;
}

}  // namespace tilesim::ir
