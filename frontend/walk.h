// Visiting all of a kernel.
#ifndef TILESIM_FRONTEND_WALK_H_
#define TILESIM_FRONTEND_WALK_H_

#include <functional>
#include <string>

#include "ir/program.h"

namespace tilesim::frontend {

using NameFn = std::function<void(const std::string&)>;

// Every name that is used, not declared, wherever it stands.
void ForEachName(const ir::Kernel& kernel, const NameFn& fn);
void ForEachName(const ir::Param& param, const NameFn& fn);
void ForEachName(const ir::Constant& constant, const NameFn& fn);
void ForEachName(const ir::Decl& decl, const NameFn& fn);
void ForEachName(const ir::Expr& expr, const NameFn& fn);

// Every statement, outer ones first.
void ForEachStmt(ir::Block& block, const std::function<void(ir::Stmt&)>& fn);
void ForEachStmt(const ir::Block& block,
                 const std::function<void(const ir::Stmt&)>& fn);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_WALK_H_
