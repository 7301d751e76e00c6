// Integers as -D takes them.
#ifndef TILESIM_CLI_INTEGER_H_
#define TILESIM_CLI_INTEGER_H_

#include <cstdint>
#include <string_view>

namespace tilesim::cli {

// The whole text as a 64-bit integer: decimal, 0x hexadecimal or 0b binary,
// with or without a minus. False: it is none.
bool ParseInteger(std::string_view text, int64_t& out);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_INTEGER_H_
