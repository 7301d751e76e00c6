// Writes the host side of a lowered kernel (host_code.h).
#ifndef TILESIM_HWTESTS_EMIT_HOST_SIDE_H_
#define TILESIM_HWTESTS_EMIT_HOST_SIDE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hwtests/emit/function_builder.h"
#include "hwtests/emit/host_code.h"

namespace tilesim::hwtests {

class HostSide {
 public:
  HostSide(KernelContext& context, ExpressionPrinter& print,
           GlobalTensors& globals, FunctionBuilder& functions)
      : context_(context),
        print_(print),
        globals_(globals),
        functions_(functions) {}

  // Of the kernel that was written in `kernel`.
  HostCode Write(const KernelPlan& plan, const Frame& kernel);

 private:
  std::string EncodeFunction(const std::vector<int32_t>& maps, HostCode* host);
  std::string LaunchFunction(const KernelPlan& plan, const Frame& kernel,
                             HostCode* host);
  std::string FunctionText(std::string_view given, std::string_view last,
                           const std::string& statement,
                           HostFunction* function);
  std::string EncodeText(const TensorMapPlan& map);
  std::string Dim3Text(const std::vector<ir::Expr>& extents);
  int32_t DeclOf(const GlobalPlan& global) const;

  KernelContext& context_;
  ExpressionPrinter& print_;
  GlobalTensors& globals_;
  FunctionBuilder& functions_;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_HOST_SIDE_H_
