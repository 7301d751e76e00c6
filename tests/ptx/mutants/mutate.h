// Every way to break one statement of a kernel's synchronisation, on the tree
// of its PTX.
//
//   std::vector<Mutant> mutants = MutantsOf(module, 0);
//   ptx::Module broken = Apply(module, mutants[3]);
#ifndef TILESIM_TESTS_PTX_MUTANTS_MUTATE_H_
#define TILESIM_TESTS_PTX_MUTANTS_MUTATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/module.h"

namespace tilesim::ptx_mutants {

// What is done to one place of a body.
using Body = std::vector<ptx::Statement>;
using Edit = std::function<void(Body&, size_t)>;

struct Mutant {
  std::string_view kind;  // of Kinds()
  std::string what;       // "count + 1"
  size_t function = 0;    // of the module
  size_t at = 0;          // the statement that is changed
  bool in_loop = false;   // that statement stands in a loop
  Edit edit;
};

// drop, double, swap, count, parity, stage, guard, fence.
const std::vector<std::string_view>& Kinds();

// Of that function. Not every one is a kernel that means anything.
std::vector<Mutant> MutantsOf(const ptx::Module& module, size_t function);

ptx::Module Apply(const ptx::Module& module, const Mutant& mutant);

}  // namespace tilesim::ptx_mutants

#endif  // TILESIM_TESTS_PTX_MUTANTS_MUTATE_H_
