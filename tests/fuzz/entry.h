// What libFuzzer calls with an input. parse_fuzz.cc and run_fuzz.cc each define
// it; replay.cc calls it for the files of a corpus, in any build.
#ifndef TILESIM_TESTS_FUZZ_ENTRY_H_
#define TILESIM_TESTS_FUZZ_ENTRY_H_

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif  // TILESIM_TESTS_FUZZ_ENTRY_H_
