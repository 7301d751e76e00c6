// What the buffers of a launch hold, before it and after it.
#ifndef TILESIM_PTX_RECORD_VALUES_H_
#define TILESIM_PTX_RECORD_VALUES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilesim::ptx::record {

enum class Keep : uint8_t { kNothing, kHash, kSample, kWhole };

// "none", "hash", "sample", "whole" of TILESIM_RECORD_VALUES; else the hash.
Keep KeepNamed(const char* word);

// FNV-1a of the bytes, in hexadecimal.
std::string HashOf(std::span<const uint8_t> bytes);

// 64 words of 64 bits, evenly spaced, in hexadecimal: "offset:word".
std::vector<std::string> SampleOf(std::span<const uint8_t> bytes);

// An NPY file of these bytes.
std::string Npy(std::span<const uint8_t> bytes);

}  // namespace tilesim::ptx::record

#endif  // TILESIM_PTX_RECORD_VALUES_H_
