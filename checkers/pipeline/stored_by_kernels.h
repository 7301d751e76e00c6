// Whether all of a result is stored at all sizes: by the kernel that is judged,
// or by others of the file, or one part by it and the rest by another.
#ifndef TILESIM_CHECKERS_PIPELINE_STORED_BY_KERNELS_H_
#define TILESIM_CHECKERS_PIPELINE_STORED_BY_KERNELS_H_

#include <cstdint>
#include <string>

#include "checkers/pipeline/global_memory.h"
#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/plan_kernel.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// Which of the kernel's declarations is the global tensor.
int32_t DeclOf(const ir::Kernel& kernel, const std::string& tensor);

// `own`: the accesses of the kernel of `plan`.
bool StoredByKernels(const std::string& tensor, const GlobalMemory& own,
                     const KernelPlan& plan, const Judging& judging);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_STORED_BY_KERNELS_H_
