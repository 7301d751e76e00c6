#include "cli/version.h"

namespace tilesim::cli {

std::string_view Version() { return "tilesim " TILESIM_VERSION TILESIM_COMMIT; }

}  // namespace tilesim::cli
