// Words that a kernel sets to 0 for those behind it, as words that are 0 at
// first:
//
//   kernel clear {  .. st Count[cta.x], 0 .. }
//   kernel sum   {  .. atom.add n, Count[q], 1 .. }
//
// becomes
//
//   kernel clear {  .. st Count#[cta.x], 0 .. }     computes Count#
//   kernel sum   {  .. atom.add n, Count[q], 1 .. } where Count is zero
//
// docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_WORDS_AT_ZERO_H_
#define TILESIM_CHECKERS_PIPELINE_WORDS_AT_ZERO_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/program.h"

namespace tilesim::checkers::pipeline {

struct WordsAtZero {
  ir::Program program;
  // What the words are called in the kernel that sets them: results, of which
  // each element must be stored.
  std::vector<std::string> set;
};

// nullopt: there are no such words. Of a number that is not 0 the kernels
// behind it, which add to the words and use what was there, add it.
std::optional<WordsAtZero> WithWordsAtZero(const ir::Program& program);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_WORDS_AT_ZERO_H_
