// Questions about the text of a block: what it sets, and how it ends.
#ifndef TILESIM_CHECKERS_GRID_TEXT_H_
#define TILESIM_CHECKERS_GRID_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <set>

#include "ir/program.h"

namespace tilesim::checkers::grid {

bool IsVariable(const ir::Op& op, size_t operand);  // that the op sets

// Slots that a block sets: declared outside or in it.
std::set<int32_t> SetIn(const ir::Block& block);
std::set<int32_t> SetIn(const ir::Stmt& s);

// Whether a `break` or `continue` of this loop is in its body.
bool Jumps(const ir::Block& body, ir::Stmt::Kind kind);
bool EndsInJump(const ir::Block& block);

bool Mentions(const ir::Expr& e, const std::set<int32_t>& slots);

// The same whatever the launch: of literals and constants that are no `let`.
bool OfConstants(const ir::Expr& e);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_TEXT_H_
