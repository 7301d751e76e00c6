// Functions of the lowered code: what they take (frame.h), what they compute at
// their head; a role's, and the kernel itself.
#ifndef TILESIM_HWTESTS_EMIT_FUNCTION_BUILDER_H_
#define TILESIM_HWTESTS_EMIT_FUNCTION_BUILDER_H_

#include <set>
#include <string>
#include <string_view>

#include "hwtests/emit/expression_printer.h"
#include "hwtests/emit/global_tensors.h"
#include "hwtests/emit/kernel_context.h"
#include "hwtests/emit/register_tiles.h"
#include "hwtests/emit/writer.h"

namespace tilesim::hwtests {

class FunctionBuilder {
 public:
  FunctionBuilder(KernelContext& context, ExpressionPrinter& print,
                  GlobalTensors& globals, RegisterTiles& registers)
      : context_(context),
        print_(print),
        globals_(globals),
        registers_(registers) {}

  // Lets of the kernel that the function at hand computes at its head.
  std::string Head();
  // What a function takes for a capture, what its caller gives, and what the
  // host does.
  std::string Parameter(const Capture& capture);
  std::string Argument(const Capture& capture);
  ArgPlan Arg(const Capture& capture);

  // Adds the function of a role whose body was written in `frame`, inside the
  // function at hand; returns the statement that calls it.
  std::string AddRole(std::string_view role, Frame& frame, const Writer& body);
  // The kernel, whose body was written in the function at hand; adds its plan.
  std::string Kernel(const Writer& body);
  // The functions of roles.
  const std::string& roles() const { return roles_; }

 private:
  std::string RoleName(std::string_view role);
  std::string Bounds() const;
  std::string Opening(const KernelPlan& plan, const std::string& parameters);

  KernelContext& context_;
  ExpressionPrinter& print_;
  GlobalTensors& globals_;
  RegisterTiles& registers_;
  std::string roles_;
  std::set<std::string> role_names_;
};

// "a, b, c".
void AddTo(std::string* list, std::string_view item);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_FUNCTION_BUILDER_H_
