// What `tilesim --version` says.
#ifndef TILESIM_CLI_VERSION_H_
#define TILESIM_CLI_VERSION_H_

#include <string_view>

namespace tilesim::cli {

// "tilesim 0.1.0", with the commit that it was configured at, if git knew.
std::string_view Version();

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_VERSION_H_
