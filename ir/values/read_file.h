// A whole file, or why not, in words for the user.
#ifndef TILESIM_IR_VALUES_READ_FILE_H_
#define TILESIM_IR_VALUES_READ_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tilesim::values {

// Errors, each naming `path`: NotFound, it cannot be opened or read, or is a
// folder; OutOfRange, it holds more than `limit` bytes (a device may never
// end).
absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t limit);

}  // namespace tilesim::values

#endif  // TILESIM_IR_VALUES_READ_FILE_H_
