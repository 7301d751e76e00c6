// A place in the text. Lines and columns count from 1; 0 means unknown.
#ifndef TILESIM_IR_SPAN_H_
#define TILESIM_IR_SPAN_H_

#include <cstdint>

namespace tilesim::ir {

// The statements of a function stand in a program once for each call of it, and
// included files have lines of their own: `line` counts through the lines of
// all of these places, so that it tells each statement from every other.
inline constexpr int32_t kLinesOfPlace = 1 << 20;
inline constexpr int32_t kMaxPlaces = 2047;

struct Span {
  int32_t line = 0;
  int32_t column = 0;
  int32_t length = 1;  // characters to underline, on that line

  // The line of its file, as it is shown.
  int32_t text_line() const { return line % kLinesOfPlace; }
  // Source::place has what it is; 0 is the file itself.
  int32_t place() const { return line / kLinesOfPlace; }
  // The same text in another place.
  Span In(int32_t place) const {
    return {place * kLinesOfPlace + text_line(), column, length};
  }

  // Spans never decide whether two programs are the same.
  friend bool operator==(const Span&, const Span&) { return true; }
};

}  // namespace tilesim::ir

#endif  // TILESIM_IR_SPAN_H_
