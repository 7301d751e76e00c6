// What the commands share that use the GPU of this machine.
#ifndef TILESIM_CLI_DEVICE_H_
#define TILESIM_CLI_DEVICE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tilesim::cli {

// Whether it says that this machine lacks a GPU, a driver or a compiler.
bool IsMissing(const absl::Status& status);
// All that it lacks, of which `status` is one thing: a line each.
std::vector<std::string> MissingHere(const absl::Status& status);
// The same on stderr. Returns kNoDevice.
int SayMissing(const absl::Status& status);

// Of at least one.
double Median(std::vector<double> values);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_DEVICE_H_
