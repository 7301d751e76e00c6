#include "checkers/sizes/partition/known_numbers.h"

#include <utility>

namespace tilesim::checkers::sizes::partition {

KnownNumbers::KnownNumbers(const ir::Overrides& defines,
                           const ir::Kernel& kernel)
    : slots_(kernel.slots) {
  for (const ir::Constant& c : kernel.constants) {
    // -D names constants, never lets: those depend on sizes.
    auto defined = c.is_let ? defines.end() : defines.find(c.name);
    slots_[c.slot] = defined != defines.end() ? ir::Value::Int(defined->second)
                                              : ValueOf(c.value);
  }
}

std::optional<int64_t> KnownNumbers::Of(const ir::Expr& e) const {
  auto value = ValueOf(e);
  if (!value || value->is_float) return std::nullopt;
  return value->number;
}

std::optional<int64_t> KnownNumbers::Of(
    const ir::Expr& e, const std::map<int32_t, int64_t>& values) {
  for (const auto& [slot, value] : values) slots_[slot] = ir::Value::Int(value);
  auto number = Of(e);
  for (const auto& [slot, value] : values) slots_[slot].reset();
  return number;
}

std::optional<ir::Value> KnownNumbers::ValueOf(const ir::Expr& e) const {
  // What cannot be evaluated without sizes is not known, which is no error.
  ir::EvalError ignored;
  return ir::Evaluate(e, {slots_, {}, {}}, &ignored);
}

}  // namespace tilesim::checkers::sizes::partition
