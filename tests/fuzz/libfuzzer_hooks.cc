// mutate.h in place of libFuzzer's changes of bytes, which stay one of many.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/fuzz/mutate.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr uint32_t kBytesOnceIn = 8;

std::string Text(const uint8_t* data, size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

size_t Put(const std::string& text, uint8_t* out, size_t max_size) {
  size_t size = std::min(text.size(), max_size);
  std::memcpy(out, text.data(), size);
  return size;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  if (size == 0 || seed % kBytesOnceIn == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  return Put(tilesim::fuzz::Mutate(Text(data, size), seed), data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size,
                                            const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t max_size,
                                            unsigned int seed) {
  return Put(tilesim::fuzz::Splice(Text(a, a_size), Text(b, b_size), seed), out,
             max_size);
}
