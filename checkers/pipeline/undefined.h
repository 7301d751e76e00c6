// Global tensors that are undefined at first (`global W : f32[N] undefined`):
// whether all that kernels read of them was written before. What was run is
// judged (program/unwritten.h). Of other sizes it is shown where a kernel
// before stores all of the tensor; else the verdict names it.
#ifndef TILESIM_CHECKERS_PIPELINE_UNDEFINED_H_
#define TILESIM_CHECKERS_PIPELINE_UNDEFINED_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {

// What one kernel does with them, by name.
struct UndefinedUse {
  std::set<std::string> read;
  std::set<std::string> stored;  // all of it, at all sizes
  bool every_cta_run = false;    // and there is one size
};

// Names.
std::set<std::string> UndefinedIn(const ir::Program& program);

// `stores_all`: whether the kernel stores all of a declaration, at all sizes.
UndefinedUse UndefinedUseOf(const ir::Program& program,
                            const machine::Code& code,
                            const std::function<bool(int32_t)>& stores_all);

// Of kernels in launch order: what is not shown, for the verdict line.
std::vector<std::string> ReadsNotShown(
    const std::vector<UndefinedUse>& kernels);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_UNDEFINED_H_
