// Boxes that reach outside their object.
#ifndef TILESIM_IR_BOUNDS_H_
#define TILESIM_IR_BOUNDS_H_

#include <optional>
#include <string>

#include "ir/bind.h"
#include "ir/code.h"
#include "ir/concrete.h"

namespace tilesim::ir {

struct OutOfBounds {
  Code code;  // bounds/*
  std::string message;
};

// What is wrong with where the operand lies, if it is a tile. Boxes of global
// tensors may reach past the end where that is read as zeros and not written
// (hardware.md A.5); what a tensor copy writes does not begin before. Elements,
// and what is copied by its address, must be there.
std::optional<OutOfBounds> OutOfBoundsOf(const BoundKernel& kernel,
                                         const ConcreteOp& op, int operand);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_BOUNDS_H_
