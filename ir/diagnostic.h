// What is wrong with a program, as data, and how to show it.
//
//   error[type/shape]: `a[s]` is 128x64 but the box of `A` is 128x32
//     --> gemm.tile:41:14
//      |
//   41 |     tma.load a[s], A[m:+128, k:+32], full[s]
//      |              ^^^^ 128x64 tile
//      = help: make both 128x64
//
// Wording: lower case, no full stop, the user's own names, what happened.
// tilesim explain CODE has a page for each code.
#ifndef TILESIM_IR_DIAGNOSTIC_H_
#define TILESIM_IR_DIAGNOSTIC_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/code.h"
#include "ir/span.h"

namespace tilesim::ir {

struct Label {
  Span span;
  std::string text;
};

struct Diagnostic {
  Code code;
  Severity severity = Severity::kError;
  std::string message;
  Span span;
  std::string span_text;  // beside the carets; may be empty
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::string help;
  int64_t times = 1;  // how often it was seen; the first is described
};

// Text that is not the file's own, or that is there because of a call.
struct Place {
  std::string path;                         // of the file it is read from
  std::shared_ptr<const std::string> text;  // its own; null: the source's
  std::string function;  // whose call put it there; empty: an `include` did
  Span call;             // that call or `include`
};

// A source file as read, kept for rendering.
struct Source {
  std::string path;
  std::string text;
  // Those of spans, from place 1 on: the parser adds them. Copies of a source
  // share them.
  std::shared_ptr<std::vector<Place>> places =
      std::make_shared<std::vector<Place>>();

  const std::string& PathOf(Span span) const;
  const std::string& TextOf(Span span) const;
};

// Collects the diagnostics of one file, in the order found. After kLimit
// errors the rest are counted, not kept.
class Diagnostics {
 public:
  static constexpr size_t kLimit = 100;

  Diagnostic& Error(Code code, Span span, std::string message);
  Diagnostic& Warning(Code code, Span span, std::string message);

  // All that others hold, after these.
  void Append(const Diagnostics& others);

  bool has_errors() const { return errors_ > 0; }
  size_t errors() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }

 private:
  Diagnostic& Add(Severity severity, Code code, Span span, std::string message);

  std::vector<Diagnostic> all_;
  Diagnostic dropped_;  // takes what comes after kLimit
  size_t errors_ = 0;
};

// The labels of a diagnostic, and the calls by which the program comes to what
// they and it point at, the nearest first.
std::vector<Label> LabelsOf(const Diagnostic& diagnostic, const Source& source);

// The frame drawn above. Never fails: a span outside the text shows no line.
std::string Render(const Diagnostic& diagnostic, const Source& source);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_DIAGNOSTIC_H_
