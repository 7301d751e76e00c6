// Random changes to a program that mostly leave it a program: whole lines and
// blocks move, vanish and double, numbers and words are exchanged. Bytes alone
// rarely get past the parser.
//
//   std::string changed = Mutate(text, seed);
#ifndef TILESIM_TESTS_FUZZ_MUTATE_H_
#define TILESIM_TESTS_FUZZ_MUTATE_H_

#include <cstdint>
#include <string>

namespace tilesim::fuzz {

// The same text and seed give the same answer.
std::string Mutate(const std::string& text, uint32_t seed);

// Lines or a block of `other`, put into or in the place of some of `text`.
std::string Splice(const std::string& text, const std::string& other,
                   uint32_t seed);

}  // namespace tilesim::fuzz

#endif  // TILESIM_TESTS_FUZZ_MUTATE_H_
