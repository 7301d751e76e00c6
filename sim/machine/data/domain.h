// The values that the text permits of an integer global.
#ifndef TILESIM_SIM_MACHINE_DATA_DOMAIN_H_
#define TILESIM_SIM_MACHINE_DATA_DOMAIN_H_

#include <optional>

#include "ir/bind.h"
#include "ir/values/seeded.h"

namespace tilesim::machine {

// nullopt: any.
std::optional<values::IntegerRange> DomainOf(const ir::Decl& decl,
                                             const ir::BoundKernel& bound);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_DOMAIN_H_
