// The files of this folder that a page consists of, embedded.
#ifndef TILESIM_CLI_PAGE_PAGE_FILES_H_
#define TILESIM_CLI_PAGE_PAGE_FILES_H_

#include <string_view>

namespace tilesim::cli {

extern const std::string_view kPageHtml, kPageCss, kPageScript;

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_PAGE_PAGE_FILES_H_
