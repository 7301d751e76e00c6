// Paths as URI references.
#ifndef TILESIM_CLI_URI_H_
#define TILESIM_CLI_URI_H_

#include <string>
#include <string_view>

namespace tilesim::cli {

// `file://` and the path, or a relative reference; what is not unreserved in
// RFC 3986 is percent-encoded.
std::string UriOf(std::string_view path);
// "file:///a%20b.tile" -> "/a b.tile". A URI of another scheme is its own path.
std::string PathOfUri(std::string_view uri);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_URI_H_
