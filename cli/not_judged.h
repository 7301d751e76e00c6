// What a verdict on PTX says was not judged.
#ifndef TILESIM_CLI_NOT_JUDGED_H_
#define TILESIM_CLI_NOT_JUDGED_H_

#include <string_view>

#include "ptx/machine/guide.h"

namespace tilesim::cli {

std::string_view TextOf(ptx::NotJudged what);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_NOT_JUDGED_H_
