// What a kernel is started with: buffers, tensor maps, launches in order. JSON
// outside (launch.schema.json), these structs inside.
//
// read.cc      from JSON, with errors for people
// write.cc     to JSON
// fits.cc      does a launch fit the kernel that the PTX has?
// skeleton.cc  a description made from PTX, with gaps to fill in
#ifndef TILESIM_PTX_LAUNCH_LAUNCH_H_
#define TILESIM_PTX_LAUNCH_LAUNCH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/text/module.h"

namespace tilesim::ptx {

// What a buffer holds at the start.
struct Start {
  // kUndefined: nothing until it is written, so that reading it is a mistake.
  // kExternal: anything at any time, as the host or another GPU writes it while
  // the kernel runs.
  enum class Kind : uint8_t {
    kNotGiven,
    kZero,
    kSeeded,
    kUndefined,
    kNpy,
    kExternal
  };
  Kind kind = Kind::kNotGiven;
  std::string npy;  // the file, of kNpy
  // The bytes of that file's array, once they were read; empty: not.
  std::vector<uint8_t> bytes;

  friend bool operator==(const Start&, const Start&) = default;
};

// Global memory that was allocated as one.
struct Buffer {
  std::string name;
  std::optional<uint64_t> address;  // not given: any
  uint64_t bytes = 0;
  std::string dtype;           // "f16"; empty: not given
  std::vector<int64_t> shape;  // outermost first; empty: not given
  Start start;
  std::optional<std::pair<int64_t, int64_t>> domain;  // least, greatest
  bool distinct = false;  // no two elements of the domain are the same
  std::string expect;     // the .npy of its values at the end; empty: not given
  // Tensor maps that the host has put into it: offset, index of each.
  std::vector<std::pair<uint64_t, size_t>> maps;
  bool of_module = false;  // a variable of the module (AddVariables)
  // Of a piece (pieces.h): of which buffer of the description it is one, where
  // it begins there, and how many bytes that one has.
  struct Piece {
    size_t of = 0;
    uint64_t begin = 0, whole = 0;

    friend bool operator==(const Piece&, const Piece&) = default;
  };
  std::optional<Piece> piece;

  friend bool operator==(const Buffer&, const Buffer&) = default;
};

// What cuTensorMapEncodeTiled takes, in its order: innermost dimension first,
// strides in bytes, one fewer than dims.
struct TensorMap {
  size_t buffer = 0;    // index into LaunchFile::buffers
  uint64_t offset = 0;  // of its first element, in bytes
  std::string dtype;
  std::vector<int64_t> dims, strides, box, element_strides;
  std::string swizzle = "none", interleave = "none", oob = "zero";
  std::vector<uint8_t> bytes;  // the 128 that were encoded; empty: not given

  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

inline constexpr size_t kTensorMapBytes = 128;
inline constexpr size_t kPointerBytes = 8;

// An address in a buffer, or a tensor map, in the bytes of a parameter.
struct Reference {
  bool is_tensormap = false;
  size_t index = 0;     // into LaunchFile::buffers or tensormaps
  uint64_t offset = 0;  // of an address: from the start of the buffer

  friend bool operator==(const Reference&, const Reference&) = default;
};

struct Param {
  enum class Kind : uint8_t { kReference, kScalar, kStruct };
  Kind kind = Kind::kScalar;
  std::string name;            // as the PTX names it; empty: not given
  Reference reference;         // of kReference
  std::string type;            // of kScalar: "u32"
  uint64_t bits = 0;           // of kScalar
  std::vector<uint8_t> bytes;  // of kStruct
  std::vector<std::pair<uint64_t, Reference>> places;  // of kStruct, by offset

  uint64_t size() const;
  friend bool operator==(const Param&, const Param&) = default;
};

using Dim3 = std::array<int64_t, 3>;

struct Launch {
  std::string kernel;
  std::string ptx;  // the file that has it; empty: the one at hand
  Dim3 grid = {1, 1, 1};
  std::optional<Dim3> block, cluster;
  std::optional<uint64_t> dynamic_shared;
  std::optional<uint64_t> registers;
  bool programmatic = false;
  std::vector<Param> params;

  friend bool operator==(const Launch&, const Launch&) = default;
};

struct LaunchFile {
  std::string target;           // "sm_90a"
  std::optional<uint64_t> sms;  // not given: those of the architecture
  std::vector<Buffer> buffers;
  std::vector<TensorMap> tensormaps;
  std::vector<Launch> launches;
  std::string computes;  // empty: not given

  friend bool operator==(const LaunchFile&, const LaunchFile&) = default;
};

struct LaunchError {
  std::string where;    // "launches[0].params[3]"
  std::string message;  // what is wrong, what is expected, what the PTX says
};

// Bytes of a scalar type ("u32", "f64", "b8"); 0: there is none of that name.
uint64_t ScalarBytes(std::string_view type);

// A type that elements of a buffer may have: "f16".
bool IsBufferType(std::string_view word);

// nullopt when `errors` got one.
std::optional<LaunchFile> ReadLaunch(std::string_view json,
                                     std::vector<LaunchError>& errors);

std::string WriteLaunch(const LaunchFile& file);

// What keeps launches[index] from being started with the kernel of this module;
// empty: it fits.
std::vector<LaunchError> Fits(const Module& module, const LaunchFile& file,
                              size_t index);

// JSON of a launch for each kernel of the module. What the PTX does not say is
// null, which ReadLaunch names as a gap.
std::string LaunchSkeleton(const Module& module, std::string_view file_name);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_LAUNCH_LAUNCH_H_
