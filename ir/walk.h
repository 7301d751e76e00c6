// Visiting all of a kernel.
#ifndef TILESIM_IR_WALK_H_
#define TILESIM_IR_WALK_H_

#include <functional>
#include <string>

#include "ir/program.h"

namespace tilesim::ir {

// What the name is kept in; -1: it is no name, or a built-in one (`cta.x`,
// whose number is another).
inline int32_t SlotOf(const Expr& e) {
  return e.kind == ExprKind::kName && e.name_kind != NameKind::kBuiltin ? e.slot
                                                                        : -1;
}

using NameFn = std::function<void(const std::string&)>;

// Every name that is used, not declared, wherever it stands.
void ForEachName(const Kernel& kernel, const NameFn& fn);
void ForEachName(const Param& param, const NameFn& fn);
void ForEachName(const Constant& constant, const NameFn& fn);
void ForEachName(const Decl& decl, const NameFn& fn);
void ForEachName(const Expr& expr, const NameFn& fn);
// Of one statement; those inside it aside.
void ForEachName(const Stmt& stmt, const NameFn& fn);

using ExprFn = std::function<void(Expr&)>;

// Every whole expression of one statement, or of a kernel's declarations.
void ForEachExpr(Stmt& stmt, const ExprFn& fn);
void ForEachExpr(Kernel& kernel, const ExprFn& fn);
void ForEachExpr(Operand& operand, const ExprFn& fn);

// Calls fn for the names that statements and those inside them declare: lets,
// vars, counters, tiles, results of calls.
void ForEachDeclared(const Stmt& stmt, const NameFn& fn);

// Every statement, outer ones first.
void ForEachStmt(Block& block, const std::function<void(Stmt&)>& fn);
void ForEachStmt(const Block& block,
                 const std::function<void(const Stmt&)>& fn);
// Whether any of them is such a one.
bool Contains(const Block& block, const std::function<bool(const Stmt&)>& is);

// Whether warpgroups change how many registers they have.
bool UsesSetmaxnreg(const Block& block);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_WALK_H_
