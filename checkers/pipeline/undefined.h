// Global tensors that are undefined at first (`global W : f32[N] undefined`):
// whether all that kernels read of them was written before. What was run is
// judged (program/unwritten.h). Of other sizes it is shown where a kernel
// before stores all of the tensor, and else the verdict is open. Where a kernel
// reads what its own CTAs alone store, it is not judged who comes first; the
// verdict names it.
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
  std::string kernel = "";
  std::set<std::string> read;
  std::set<std::string> stored;   // all of it, at all sizes
  std::set<std::string> written;  // some of it, not only added to
  bool every_cta_run = false;     // and there is one size
};

// Names.
std::set<std::string> UndefinedIn(const ir::Program& program);

// `stores_all`: whether the kernel stores all of a declaration, at all sizes.
UndefinedUse UndefinedUseOf(const ir::Program& program,
                            const machine::Code& code,
                            const std::function<bool(int32_t)>& stores_all);

// Whether it reads what it writes: that this comes first is asked of runs.
// That those before it store all that it reads, of the text.
bool ReadsOwn(const UndefinedUse& use);

struct ReadsNotShown {
  std::vector<std::string> open;        // reasons for an incomplete verdict
  std::vector<std::string> not_judged;  // for the verdict line
  bool none() const { return open.empty() && not_judged.empty(); }
};

// Of kernels in launch order.
ReadsNotShown ReadsNotShownOf(const std::vector<UndefinedUse>& kernels);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_UNDEFINED_H_
