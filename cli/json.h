// JSON as commands write it: members in the order in which they were added.
#ifndef TILESIM_CLI_JSON_H_
#define TILESIM_CLI_JSON_H_

#include <string>

#include "nlohmann/json.hpp"

namespace tilesim::cli {

using Json = nlohmann::ordered_json;

// Indented; bytes that are no UTF-8 become U+FFFD.
inline std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_JSON_H_
