// A report as one HTML file, with all that it needs in it.
#ifndef TILESIM_CLI_PAGE_PAGE_H_
#define TILESIM_CLI_PAGE_PAGE_H_

#include <string>

#include "nlohmann/json.hpp"

namespace tilesim::cli {

// `data` as page_data.h describes it.
std::string PageOf(const std::string& title,
                   const nlohmann::ordered_json& data);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_PAGE_PAGE_H_
