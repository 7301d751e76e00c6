// A place in a source file. Lines and columns count from 1; 0 means unknown.
#ifndef TILESIM_IR_SPAN_H_
#define TILESIM_IR_SPAN_H_

#include <cstdint>

namespace tilesim::ir {

struct Span {
  int32_t line = 0;
  int32_t column = 0;
  int32_t length = 1;  // characters to underline, on that line

  // Spans never decide whether two programs are the same.
  friend bool operator==(const Span&, const Span&) { return true; }
};

}  // namespace tilesim::ir

#endif  // TILESIM_IR_SPAN_H_
