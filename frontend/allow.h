// Findings that the author of a program knows of and wants to keep:
//
//   // tilesim: allow(race/war) the two halves never meet: see the paper
//   tma.load a[s], A[m :+ 128, k :+ 64], full[s]
//
// About the statement it stands behind, or, when it stands alone, the next line
// of code. Several
// codes are separated by commas.
#ifndef TILESIM_FRONTEND_ALLOW_H_
#define TILESIM_FRONTEND_ALLOW_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/code.h"
#include "ir/diagnostic.h"

namespace tilesim::frontend {

struct Allow {
  ir::Code code;
  std::string reason;
  int32_t line = 0;  // of the findings
  ir::Span span;     // of the comment
};

// Those of a text. What cannot be understood, or gives no reason, is a warning
// lint/allow and allows nothing.
std::vector<Allow> FindAllows(const std::string& text,
                              ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_ALLOW_H_
