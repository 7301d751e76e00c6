// The constants in front of lowered code: `const`s of the text, and where
// things lie in shared memory. Only what the code mentions is defined.
#ifndef TILESIM_HWTESTS_EMIT_CONSTANTS_H_
#define TILESIM_HWTESTS_EMIT_CONSTANTS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "hwtests/emit/device_header.h"
#include "hwtests/emit/expression_printer.h"
#include "hwtests/emit/kernel_context.h"

namespace tilesim::hwtests {

class Constants {
 public:
  Constants(const KernelContext& context, ExpressionPrinter& print)
      : context_(context), print_(print) {}

  // Definitions of those whose names `code` mentions, but for what an earlier
  // call has defined; constants that mention sizes come after these.
  std::string DefinedFor(std::string_view code);

 private:
  std::string Line(const ir::Constant& c);
  std::string Offsets(const Words& words);
  std::string DeclText(int32_t id) const;

  const KernelContext& context_;
  ExpressionPrinter& print_;
  Words defined_;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_CONSTANTS_H_
