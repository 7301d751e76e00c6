#include "cli/version.h"

#include "commit.h"  // cli/write_commit.cmake

namespace tilesim::cli {

std::string_view Version() { return "tilesim " TILESIM_VERSION TILESIM_COMMIT; }

}  // namespace tilesim::cli
