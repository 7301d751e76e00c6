// What a result that was compared does not show: it is that of one size.
#ifndef TILESIM_CLI_RUN_OTHER_SIZES_H_
#define TILESIM_CLI_RUN_OTHER_SIZES_H_

#include <string>
#include <vector>

#include "sim/machine/code.h"

namespace tilesim::cli {

// "these sizes only; COLS also takes sizes that are no multiple of CHUNK: try
// -D COLS=4097". Empty: kernels without parameters.
std::string ComparedAt(const std::vector<const machine::Code*>& codes);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_OTHER_SIZES_H_
