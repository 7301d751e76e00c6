// A launch as a program made it, as a launch description.
#ifndef TILESIM_PTX_RECORD_DESCRIBE_H_
#define TILESIM_PTX_RECORD_DESCRIBE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/launch/launch.h"
#include "ptx/record/cuda.h"

namespace tilesim::ptx::record {

using MapBytes = std::array<uint8_t, kTensorMapBytes>;

// What cuTensorMapEncodeTiled was given.
struct EncodedMap {
  uint64_t address = 0;
  TensorMap map;    // but for its buffer
  std::string why;  // not empty: it cannot be described
};
EncodedMap DescribeMap(const EncodeTiledParams& params);

struct Allocation {
  uint64_t address = 0, bytes = 0;
};
// The allocation of device memory that an address lies in.
using FindAllocation = std::function<std::optional<Allocation>(uint64_t)>;

struct RawLaunch {
  std::string kernel;
  Dim3 grid = {1, 1, 1}, block = {1, 1, 1};
  std::optional<Dim3> cluster;
  bool programmatic = false;
  uint64_t shared = 0;
  std::optional<uint64_t> registers;
  std::vector<std::vector<uint8_t>> params;  // the bytes of each
};

// Words of parameters that are addresses of device memory become places, 128
// bytes that were encoded as a map become that map. Empty, and *why: a map
// among them cannot be described.
std::optional<LaunchFile> Describe(const RawLaunch& launch,
                                   const std::map<MapBytes, EncodedMap>& maps,
                                   const FindAllocation& allocation_of,
                                   std::string* why);

// Adds to the buffer of a description the tensor maps that lie in it, as its
// bytes show, and the buffers of their tensors. Those that cannot be described
// are left out: what uses them says so.
void AddMapsIn(size_t buffer, const std::vector<uint8_t>& bytes,
               const std::map<MapBytes, EncodedMap>& maps,
               const FindAllocation& allocation_of, LaunchFile* file);

}  // namespace tilesim::ptx::record

#endif  // TILESIM_PTX_RECORD_DESCRIBE_H_
