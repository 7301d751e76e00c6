#include "ir/target.h"

#include "ir/cat.h"

namespace tilesim::ir {
namespace {

constexpr bool RowsAreInOrder() {
  for (size_t i = 0; i < std::size(kTargets); ++i) {
    if (static_cast<size_t>(kTargets[i].target) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder(), "a row a target, in the enum's order");

}  // namespace

std::optional<Target> TargetNamed(std::string_view name) {
  for (const TargetInfo& info : kTargets) {
    if (info.name == name) return info.target;
  }
  return std::nullopt;
}

std::string NamesOf(uint8_t targets, std::string_view separator) {
  std::string names;
  for (const TargetInfo& info : kTargets) {
    if ((targets & BitOf(info.target)) == 0) continue;
    Append(&names, names.empty() ? "" : separator, info.name);
  }
  return names;
}

}  // namespace tilesim::ir
