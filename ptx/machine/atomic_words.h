// What atomics leave of words whose values are followed.
#ifndef TILESIM_PTX_MACHINE_ATOMIC_WORDS_H_
#define TILESIM_PTX_MACHINE_ATOMIC_WORDS_H_

#include <cstdint>
#include <string_view>

namespace tilesim::ptx {

// `old`: the word before, of `bits` bits; `b`, `c`: operands. Of integers.
uint64_t AfterAtomic(std::string_view spelling, uint64_t old, uint64_t b,
                     uint64_t c, int bits);

// Whether it adds 1, up to the number that is its operand.
bool IsIncrement(std::string_view spelling);
// Whether it is of floating-point numbers, of which that says nothing.
bool IsAtomicOfFloats(std::string_view spelling);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_ATOMIC_WORDS_H_
