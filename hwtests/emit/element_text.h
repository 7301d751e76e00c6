// Elements of register tiles as C++: how one is read as a number, how numbers
// are written back, a word at a time.
#ifndef TILESIM_HWTESTS_EMIT_ELEMENT_TEXT_H_
#define TILESIM_HWTESTS_EMIT_ELEMENT_TEXT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ir/types.h"

namespace tilesim::hwtests {

// Element `index` (text) of the words `regs` as f32, or as an integer for
// 32-bit integer tiles. Empty: no such reading.
std::string ReadElement(ir::DType type, std::string_view regs,
                        std::string_view index);

// How many elements a word has.
int64_t ElementsAWord(ir::DType type);

// `regs[...] = pack(value(i), value(i + 1) ...)` for the word that starts at
// element `index`; `rounding` is cvt's modifier or empty. Empty: none.
std::string WriteWord(ir::DType type, std::string_view regs,
                      std::string_view index, std::string_view rounding,
                      const std::function<std::string(std::string)>& value);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_ELEMENT_TEXT_H_
