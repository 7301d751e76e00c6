// A module of PTX and how it is launched, as commands read them.
#ifndef TILESIM_CLI_LAUNCH_INPUT_H_
#define TILESIM_CLI_LAUNCH_INPUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/launch/launch.h"
#include "ptx/text/module.h"

namespace tilesim::cli {

// By its name: it ends in .ptx.
bool IsPtx(std::string_view path);
// False, said on stderr: it is PTX, and the command takes none.
bool IsNoPtx(const std::string& path);

// By its name, it ends in .json: a launch description.
bool IsLaunch(std::string_view path);
// The files of PTX that the description names, which lie beside it, each once.
// Empty: `failure` says why there are none.
std::vector<std::string> PtxOf(const std::string& launch_path,
                               std::string* failure);

// Whether launches[at] is of a kernel in that file.
bool IsLaunchOf(const ptx::LaunchFile& launches, size_t at,
                const std::string& ptx_path);

// Of a description that has none: whose launches it has.
std::string NoLaunchOf(const std::string& path, const ptx::LaunchFile& launches,
                       const std::string& ptx_path);

// The launch description of a file. nullopt: `failure` says why not.
std::optional<ptx::LaunchFile> OpenLaunches(const std::string& path,
                                            std::string* failure);

// "launch.json: error: ..." of each.
std::string TextOf(const std::string& path,
                   const std::vector<ptx::LaunchError>& errors);

// Arrays that buffers start with, from files beside the description, those of
// at most so many bytes. Errors: files that cannot be read, or hold another
// number of bytes than the buffer.
std::vector<ptx::LaunchError> ReadContents(const std::string& launch_path,
                                           uint64_t most_bytes,
                                           ptx::LaunchFile& launches);

// Gives elements that are distinct, and of which no values are given, numbers:
// one by one from the least on. The names of their buffers.
std::vector<std::string> GiveDistinct(ptx::LaunchFile& launches);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_LAUNCH_INPUT_H_
