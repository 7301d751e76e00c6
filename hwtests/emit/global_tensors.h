// Global tensors: what the host allocates, and the tensor maps that ops need.
#ifndef TILESIM_HWTESTS_EMIT_GLOBAL_TENSORS_H_
#define TILESIM_HWTESTS_EMIT_GLOBAL_TENSORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hwtests/emit/expression_printer.h"
#include "hwtests/emit/kernel_context.h"

namespace tilesim::hwtests {

class GlobalTensors {
 public:
  GlobalTensors(KernelContext& context, ExpressionPrinter& print)
      : context_(context), print_(print) {}

  // The plan's global of a declaration.
  int32_t Index(int32_t decl);
  void MarkRead(int32_t decl);
  void MarkWritten(int32_t decl);

  // Elements of a dimension, and from one of its elements to the next, as text
  // for any size of the tensor; what divides them.
  std::string Extent(int32_t decl, int dim);
  std::string Stride(int32_t decl, int dim);
  int64_t ExtentDivisor(int32_t decl, int dim) const;
  int64_t StrideDivisor(int32_t decl, int dim) const;

  // Adds a tensor map, or finds it; the plan's index.
  int32_t TensorMap(int32_t decl, const std::vector<int64_t>& box,
                    ir::Swizzle swizzle);

 private:
  KernelContext& context_;
  ExpressionPrinter& print_;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_GLOBAL_TENSORS_H_
