// Why a command cannot do what it was asked: said on stderr for people, and
// where `--format json` was asked for, told in the answer as well.
//
//   Complain("no architecture `{}`; there are {}", name, known);
#ifndef TILESIM_CLI_COMPLAIN_H_
#define TILESIM_CLI_COMPLAIN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/json.h"
#include "fmt/format.h"
#include "ir/diagnostic.h"

namespace tilesim::cli {

// Prints "tilesim: WHAT".
void ComplainOf(std::string_view what);
template <typename... Args>
void Complain(fmt::format_string<Args...> format, Args&&... args) {
  ComplainOf(fmt::format(format, std::forward<Args>(args)...));
}
// Prints them as frames.
void ComplainOf(const ir::Diagnostics& diagnostics, const ir::Source& source);

// Whether all of what `option` chooses is below `count`; if not, it is said.
bool NumbersFrom0(std::string_view option, const std::vector<int64_t>& chosen,
                  int64_t count);

// The answer of a command that was asked for JSON. Each has one.
void PrintAnswer(const Json& answer);

// To be called last: if a command that was asked for JSON ends with `exit`,
// which is not kClean, and has printed no answer, prints one of what it
// complained of. `file` is what it was asked about; may be empty.
void AnswerComplaints(const std::string& file, int exit);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_COMPLAIN_H_
