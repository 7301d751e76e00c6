// `tilesim check KERNEL.ptx --launch L.json`.
#ifndef TILESIM_CLI_CHECK_PTX_H_
#define TILESIM_CLI_CHECK_PTX_H_

#include <string_view>

#include "checkers/check.h"
#include "cli/check_files.h"
#include "cli/launch_input.h"

namespace tilesim::cli {

// What no verdict on PTX is about.
inline constexpr std::string_view kNotJudgedOfPtx =
    "values, whether accesses of shared memory stay in their variable, and "
    "whether tiles in it are laid out as matrix descriptors and tensor maps "
    "say";

// Checks the first launch that the description has of the file.
void CheckPtx(const CheckRequest& request, CheckedFile& file);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_CHECK_PTX_H_
