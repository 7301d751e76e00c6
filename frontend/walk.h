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
// Of one statement; those inside it aside.
void ForEachName(const ir::Stmt& stmt, const NameFn& fn);

using ExprFn = std::function<void(ir::Expr&)>;

// Every whole expression of one statement, or of a kernel's declarations.
void ForEachExpr(ir::Stmt& stmt, const ExprFn& fn);
void ForEachExpr(ir::Kernel& kernel, const ExprFn& fn);
void ForEachExpr(ir::Operand& operand, const ExprFn& fn);

// Calls fn for the names that statements and those inside them declare: lets,
// vars, counters, tiles, results of calls.
void ForEachDeclared(const ir::Stmt& stmt, const NameFn& fn);

// Every statement, outer ones first.
void ForEachStmt(ir::Block& block, const std::function<void(ir::Stmt&)>& fn);
void ForEachStmt(const ir::Block& block,
                 const std::function<void(const ir::Stmt&)>& fn);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_WALK_H_
