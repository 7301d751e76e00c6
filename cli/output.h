// Files that a command writes: whole, or not at all.
#ifndef TILESIM_CLI_OUTPUT_H_
#define TILESIM_CLI_OUTPUT_H_

#include <string>
#include <string_view>

namespace tilesim::cli {

// False, said on stderr: it could not be written, and what was there stays.
bool WriteFile(const std::string& path, std::string_view bytes);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_OUTPUT_H_
