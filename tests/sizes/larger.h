// Whether sizes that `check` did not run are as those that it did: programs
// that it calls clean in all sizes, judged at more sizes, one by one.
//
//   Larger l = JudgeLarger(program, {}, random);
//   if (!l.wrong.empty()) ... clean in all sizes, but not in that one ...
#ifndef TILESIM_TESTS_SIZES_LARGER_H_
#define TILESIM_TESTS_SIZES_LARGER_H_

#include <cstdint>
#include <random>
#include <string>

#include "checkers/check.h"
#include "ir/program.h"

namespace tilesim::checkers {

struct Effort {
  int sizes = 24;
  int64_t max_events = 60'000;  // of a run
  int64_t max_states = 10'000;  // of a search of schedules
  double seconds = 2;           // of all sizes of a program
  // Of the GPU, if the program asks: more than sizes are told apart by
  // remainders, and little more than clusters of a grid that are run.
  int64_t sms = 33;
};

struct Larger {
  Verdict verdict = Verdict::kIncomplete;  // of all sizes
  bool all_sizes = false;
  int sizes = 0;      // that were judged one by one
  int open = 0;       // of those, neither clean nor wrong
  std::string told;   // the first error, or else why the verdict is open
  std::string wrong;  // the sizes of one that has a finding, and which
};

// The program for sizes that begin `steps` further out: none of the small ones,
// in which most mistakes show, is judged.
ir::Program WithoutSmall(ir::Program program, int64_t steps);

// Kernels of a program that have no open parameter have only one size.
bool HasOpenParam(const ir::Program& program);

// What is said of all sizes of `program`, parsed with -D; single ones are those
// of the program whose text says what -D does.
Larger JudgeLarger(const ir::Program& program, const ir::Overrides& defines,
                   const ir::Program& edited, const Effort& effort,
                   std::mt19937_64& random);
inline Larger JudgeLarger(const ir::Program& program, const Effort& effort,
                          std::mt19937_64& random) {
  return JudgeLarger(program, {}, program, effort, random);
}

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_SIZES_LARGER_H_
