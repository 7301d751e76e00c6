// Indented lines of C++.
#ifndef TILESIM_HWTESTS_EMIT_WRITER_H_
#define TILESIM_HWTESTS_EMIT_WRITER_H_

#include <string>
#include <string_view>

namespace tilesim::hwtests {

class Writer {
 public:
  explicit Writer(int indent = 0) : indent_(indent) {}

  // One line; an empty one is never indented.
  void Line(std::string_view line);
  // A statement, wrapped after commas and operators to 80 columns.
  void Statement(std::string_view statement);
  // `#pragma`: at the margin.
  void Margin(std::string_view line);
  // `header {` ... `}`
  void Open(std::string_view header);
  void Close(std::string_view footer = "}");
  // `{`
  void Block() { Line("{"), indent_ += 2; }
  // `} else {`
  void Else();
  // Everything of `body` as it is.
  void Append(const Writer& body) { text_ += body.text_; }

  int indent() const { return indent_; }
  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  int indent_;
  std::string text_;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_WRITER_H_
