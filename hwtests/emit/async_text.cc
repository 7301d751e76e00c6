#include "hwtests/emit/async_text.h"

#include "ir/cat.h"

namespace tilesim::hwtests {

using ir::Cat;

void PinAsyncRegisters(OpEmitter& e) {
  for (int32_t decl : e.kernel().registers().Asynchronous(e.print().frame())) {
    std::string name = e.print().RegName(decl);
    const ir::BoundDecl& bound = e.kernel().bound().decls[decl];
    std::string first = name;
    if (bound.array_rank > 0) {
      first = Cat("&", name);
      for (int d = 0; d <= bound.array_rank; ++d) first += "[0]";
    }
    e.Call(Cat("pin<", e.kernel().registers().Words(decl) * bound.objects, ">"),
           {first});
  }
}

std::string AccumulateText(OpEmitter& e, int operand, const std::string& kk,
                           int64_t instructions) {
  std::optional<int64_t> constant = e.Constant(operand);
  if (constant && *constant != 0) return "1";
  if (instructions == 1) return constant ? "0" : e.Int(operand);
  std::string later = Cat(kk, " > 0");
  return constant ? later : Cat(later, " || ", e.Int(operand));
}

}  // namespace tilesim::hwtests
