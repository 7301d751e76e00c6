// Text of a program, line by line, with blocks indented.
#ifndef TILESIM_TESTS_SIZES_TEXT_WRITER_H_
#define TILESIM_TESTS_SIZES_TEXT_WRITER_H_

#include <functional>
#include <string>
#include <utility>

#include "fmt/format.h"

namespace tilesim::checkers {

class TextWriter {
 public:
  using Body = std::function<void()>;

  std::string TakeText() { return std::move(text_); }

 protected:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  void Block(const std::string& head, const Body& body) {
    Line("{} {{", head);
    ++depth_;
    body();
    --depth_;
    Line("}}");
  }

  std::string text_;
  size_t depth_ = 0;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_SIZES_TEXT_WRITER_H_
