// FNV-1a: a hash that is the same on every machine and in every version.
#ifndef TILESIM_CLI_FNV_H_
#define TILESIM_CLI_FNV_H_

#include <cstdint>
#include <string_view>

namespace tilesim::cli {

inline constexpr uint64_t kFnvStart = 0xcbf29ce484222325u;

// `start` goes on from the hash of a text before.
constexpr uint64_t FnvOf(std::string_view text, uint64_t start = kFnvStart) {
  uint64_t hash = start;
  for (char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_FNV_H_
