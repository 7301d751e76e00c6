// Colours of a diagnostic on a terminal: what an SGR escape sequence of ECMA-48
// chooses of the terminal's own palette.
#ifndef TILESIM_IR_PAINT_H_
#define TILESIM_IR_PAINT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/diagnostic.h"

namespace tilesim::ir {

enum class Ink : uint8_t { kError, kWarning, kLabel, kFrame, kStrong };

struct Paint {
  bool coloured = false;

  // `text`, between escape sequences if there is colour.
  std::string operator()(Ink ink, std::string_view text) const;
};

std::string Render(const Diagnostic& diagnostic, const Source& source,
                   const Paint& paint);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_PAINT_H_
