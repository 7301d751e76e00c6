// By which symbol a cell is divided that has no instance of its own: its lowest
// values are left out until there is one.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_GROWTH_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_GROWTH_H_

#include <optional>

#include "absl/functional/function_ref.h"
#include "checkers/sizes/partition/size_cell.h"

namespace tilesim::checkers::sizes::partition {

// Some fact says that all its symbols cannot be 0: one that makes it so.
std::optional<algebra::Symbol> SymbolForInstance(const SizeCell& cell);

// Of a cell that is open and whose instance is not permitted: a symbol with
// which sizes become permitted as it grows, if there is one.
algebra::Symbol SymbolForPermission(
    const SizeCell& cell,
    absl::FunctionRef<bool(const SizeCell& instance)> permitted);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_GROWTH_H_
