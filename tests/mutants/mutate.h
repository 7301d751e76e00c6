// Every way to break one op of a program's synchronisation.
//
//   for (const Mutant& m : MutantsOf(program, codes))
//     ... m.kind, m.line, m.text ...
//
// What an op synchronises is read off its effects and what its operands mean
// off the op table; a kind of mutation is one entry of a table (mutate.cc).
#ifndef TILESIM_TESTS_MUTANTS_MUTATE_H_
#define TILESIM_TESTS_MUTANTS_MUTATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::mutants {

struct Mutant {
  std::string kind;
  int32_t line = 0;  // of what was changed, in the original
  std::string what;  // that op or scope
  std::string text;  // the whole program, changed
};

// `codes` are the program's kernels, compiled. All mutants differ in text from
// the program and from each other; not every one is a legal program.
std::vector<Mutant> MutantsOf(const ir::Program& program,
                              const std::vector<machine::Code>& codes);

}  // namespace tilesim::mutants

#endif  // TILESIM_TESTS_MUTANTS_MUTATE_H_
