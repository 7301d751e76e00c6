#include "ptx/record/values.h"

#include <cstring>
#include <string_view>

#include "fmt/format.h"

namespace tilesim::ptx::record {

Keep KeepNamed(const char* word) {
  const std::string_view name = word == nullptr ? "" : word;
  if (name == "none") return Keep::kNothing;
  if (name == "sample") return Keep::kSample;
  if (name == "whole") return Keep::kWhole;
  return Keep::kHash;
}

std::string HashOf(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::vector<std::string> SampleOf(std::span<const uint8_t> bytes) {
  constexpr size_t kWords = 64;
  std::vector<std::string> sample;
  const size_t words = bytes.size() / 8;
  for (size_t i = 0; i < kWords && i < words; ++i) {
    const size_t offset = words <= kWords ? 8 * i : 8 * (i * words / kWords);
    uint64_t word;
    std::memcpy(&word, bytes.data() + offset, sizeof word);
    sample.push_back(fmt::format("{:x}:{:016x}", offset, word));
  }
  return sample;
}

std::string Npy(std::span<const uint8_t> bytes) {
  std::string header = fmt::format(
      "{{'descr': '|u1', 'fortran_order': False, 'shape': ({},), }}",
      bytes.size());
  constexpr size_t kStart = 10, kAlignment = 64;  // magic, version, length
  while ((kStart + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return file;
}

}  // namespace tilesim::ptx::record
