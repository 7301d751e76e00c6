// What the functions of TileLang's asynchronous device API
// (tilelang.language.builtin) are called here, for readers who come from there
// and to show that none was forgotten. The op manual ends with it as a table.
#ifndef TILESIM_IR_TILELANG_BUILTINS_H_
#define TILESIM_IR_TILELANG_BUILTINS_H_

#include <span>
#include <string_view>

namespace tilesim::ir {

struct TileLangBuiltin {
  std::string_view function;
  // Mnemonics of ops, else constructs as in frontend/language.md. Empty ones
  // are none; if all are, the note says why.
  std::string_view words[3];
  std::string_view note;
};

// In that API's order.
std::span<const TileLangBuiltin> TileLangBuiltins();

}  // namespace tilesim::ir

#endif  // TILESIM_IR_TILELANG_BUILTINS_H_
