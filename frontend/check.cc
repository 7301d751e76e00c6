#include "frontend/check.h"

#include "frontend/resolve.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

void CheckKernelNames(const ir::Program& program,
                      ir::Diagnostics& diagnostics) {
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (program.kernels[i].name != program.kernels[j].name) continue;
      diagnostics
          .Error("name/duplicate", program.kernels[i].span,
                 ir::Cat("there are two kernels `", program.kernels[i].name,
                         "`"))
          .labels.push_back({program.kernels[j].span, "the first"});
      break;
    }
  }
}

}  // namespace

void Check(ir::Program& program, ir::Diagnostics& diagnostics) {
  CheckKernelNames(program, diagnostics);
  for (size_t i = 0; i < program.kernels.size(); ++i)
    Resolve(program, i, diagnostics);
}

}  // namespace tilesim::frontend
