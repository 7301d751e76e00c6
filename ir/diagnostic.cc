#include "ir/diagnostic.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/cat.h"
#include "ir/paint.h"
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

// What the lines of a frame are drawn with: how wide the numbers are, and in
// which colours.
struct Frame {
  const Source& source;
  const Paint& paint;
  size_t gutter;

  // The edge of a line without a number, and of one with.
  std::string Edge(std::string_view mark) const {
    return paint(Ink::kFrame, Cat(std::string(gutter, ' '), mark));
  }

  void DrawLine(std::string& out, const Span& span, std::string_view text,
                char mark, Ink ink) const {
    std::string number = Cat(span.text_line());
    std::string line = Printable(LineOf(source.TextOf(span), span.text_line()));
    Append(&out,
           paint(Ink::kFrame,
                 Cat(std::string(gutter - number.size(), ' '), number, " | ")),
           line, "\n");
    size_t column = std::max(span.column, 1) - 1;
    if (column > line.size()) return;
    size_t room = std::max<size_t>(line.size() - column, 1);
    size_t length = std::clamp<size_t>(std::max(span.length, 1), 1, room);
    std::string marks(length, mark);
    Append(&out, Edge(" | "), std::string(column, ' '),
           paint(ink, Cat(marks, text.empty() ? "" : " ", text)), "\n");
  }
};

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

// What is told already of a place, as what two kernels of a file require, is
// told once.
void Diagnostics::Append(const Diagnostics& others) {
  errors_ += others.errors_;
  for (const Diagnostic& d : others.all_) {
    const bool told = std::any_of(all_.begin(), all_.end(), [&](const auto& a) {
      return a.code == d.code && a.span.line == d.span.line &&
             a.span.column == d.span.column && a.message == d.message;
    });
    if (!told && all_.size() < kLimit) all_.push_back(d);
  }
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

std::string Paint::operator()(Ink ink, std::string_view text) const {
  static constexpr std::string_view kSequences[] = {
      "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[1;34m", "\x1b[1m",
  };
  if (!coloured || text.empty()) return std::string(text);
  return Cat(kSequences[static_cast<size_t>(ink)], text, "\x1b[0m");
}

std::string Render(const Diagnostic& d, const Source& source) {
  return Render(d, source, Paint());
}

std::string Render(const Diagnostic& d, const Source& source,
                   const Paint& paint) {
  bool error = d.severity == Severity::kError;
  Ink ink = error ? Ink::kError : Ink::kWarning;
  std::string out =
      Cat(paint(ink, Cat(error ? "error" : "warning", "[", d.code.name(), "]")),
          paint(Ink::kStrong, Cat(": ", d.message)), "\n");
  std::vector<Label> labels = LabelsOf(d, source);
  int32_t last_line = d.span.text_line();
  for (const Label& label : labels)
    last_line = std::max(last_line, label.span.text_line());
  Frame frame{source, paint, Cat(last_line).size()};
  const std::string* path = &source.PathOf(d.span);
  if (d.span.line > 0) {
    Append(&out, frame.Edge("--> "), *path, ":", d.span.text_line(), ":",
           d.span.column, "\n", frame.Edge(" |"), "\n");
    frame.DrawLine(out, d.span, d.span_text, '^', ink);
  } else {
    Append(&out, frame.Edge("--> "), source.path, "\n");
  }
  for (const Label& label : labels) {
    if (label.span.line <= 0) continue;
    const std::string* other = &source.PathOf(label.span);
    if (*other != *path) {
      Append(&out, frame.Edge("::: "), *other, ":", label.span.text_line(), ":",
             label.span.column, "\n");
      path = other;
    }
    frame.DrawLine(out, label.span, label.text, '-', Ink::kLabel);
  }
  for (const std::string& note : d.notes)
    Append(&out, frame.Edge(" = "), paint(Ink::kStrong, "note: "), note, "\n");
  if (!d.help.empty())
    Append(&out, frame.Edge(" = "), paint(Ink::kStrong, "help: "), d.help,
           "\n");
  return out;
}

}  // namespace tilesim::ir
