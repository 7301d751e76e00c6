// What must hold for any text, whatever the fuzzer goes on to do with it.
#ifndef TILESIM_TESTS_FUZZ_ROUND_TRIP_H_
#define TILESIM_TESTS_FUZZ_ROUND_TRIP_H_

#include <optional>
#include <string>

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::fuzz {

using ParseFn = std::optional<ir::Program> (*)(const ir::Source&,
                                               ir::Diagnostics&);

// Aborts, with `text` on stderr, unless `holds`.
void Require(bool holds, const char* what, const std::string& text);

// Every diagnostic can be drawn.
void RequireDrawn(const ir::Diagnostics& diagnostics, const ir::Source& source);

// Parses, and requires either errors or a program, and that the program is
// read back from its own print as the same one.
std::optional<ir::Program> ParseAndReread(const ir::Source& source,
                                          ParseFn parse);

}  // namespace tilesim::fuzz

#endif  // TILESIM_TESTS_FUZZ_ROUND_TRIP_H_
