// Random programs in the ways in which ordinary kernels are written
// (tests/forms): parities and slots in many spellings, rings in part of an
// array, loops that may be empty, barriers that begin anew in each tile, peeks,
// pools, answers that are handed on, tiles that index arithmetic deals out,
// constants that -D gives. Of two seeds 2 i
// and 2 i + 1 the first is right at all sizes, the second is the same with one
// mutation, which may be harmless.
#ifndef TILESIM_TESTS_SIZES_FORM_H_
#define TILESIM_TESTS_SIZES_FORM_H_

#include <cstdint>
#include <set>
#include <string>

#include "ir/bind.h"

namespace tilesim::checkers {

struct Form {
  // With the constants that it has without -D.
  std::string text;
  ir::Overrides defines;
  std::string shape;     // which kind of program
  std::string mutation;  // what is wrong; empty: nothing
  // Of "index forms", "raw copies", "scopes", "exits", "-D constants".
  std::set<std::string> uses;

  // The text that has them itself.
  std::string Edited() const;
};

Form RandomForm(uint64_t seed);

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_SIZES_FORM_H_
