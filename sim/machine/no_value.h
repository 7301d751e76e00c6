// Scalars that hold no value, of which a program may have copies but which
// nothing may be made of.
#ifndef TILESIM_SIM_MACHINE_NO_VALUE_H_
#define TILESIM_SIM_MACHINE_NO_VALUE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/machine/code.h"
#include "sim/machine/state.h"

namespace tilesim::machine {

inline constexpr std::string_view kRefusedHelp =
    "ask what clc.query_cancel says first: of a refusal there is no place";

// Evaluate, for whoever needs the value.
inline std::optional<int64_t> ValueOf(const Code& code,
                                      const CompiledExpr& expr,
                                      const int64_t* slots, const Who& who) {
  std::optional<int64_t> v = Evaluate(code, expr, slots, who);
  return v == Strand::kNoValue ? std::nullopt : v;
}

// Why ValueOf has none: a scalar in it has none.
inline bool ReadsNoValue(const Code& code, const CompiledExpr& expr,
                         const int64_t* slots) {
  return std::any_of(code.expr_code.begin() + expr.begin,
                     code.expr_code.begin() + expr.end,
                     [&](const ExprInstr& i) {
                       return i.kind == ExprInstr::Kind::kSlot &&
                              slots[i.index] == Strand::kNoValue;
                     });
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_NO_VALUE_H_
