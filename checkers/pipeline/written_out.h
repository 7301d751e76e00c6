// Expressions with the lets of one iteration put in.
#ifndef TILESIM_CHECKERS_PIPELINE_WRITTEN_OUT_H_
#define TILESIM_CHECKERS_PIPELINE_WRITTEN_OUT_H_

#include <cstdint>
#include <map>

#include "ir/walk.h"

namespace tilesim::checkers::pipeline {

using Lets = std::map<int32_t, const ir::Expr*>;  // by slot

inline ir::Expr WrittenOut(const ir::Expr& e, const Lets& lets) {
  const auto let = lets.find(ir::SlotOf(e));
  if (let != lets.end()) return WrittenOut(*let->second, lets);
  ir::Expr out = e;
  for (ir::Expr& arg : out.args) arg = WrittenOut(arg, lets);
  return out;
}

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_WRITTEN_OUT_H_
