// Changes of a text: words of one place of it, written at another.
#ifndef TILESIM_CHECKERS_CAUSE_MOVED_TEXT_H_
#define TILESIM_CHECKERS_CAUSE_MOVED_TEXT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checkers/cause/rewrites.h"

namespace tilesim::checkers::cause {

// Names of scalars that are declared in statements, as one may use them.
struct Visible {
  std::string name;
  int32_t slot = -1;
  ir::NameKind kind = ir::NameKind::kLet;
};
using Names = std::vector<Visible>;

// Every statement with the names that may stand in it.
void Walk(ir::Block& block, Names& names,
          const std::function<void(ir::Stmt&, const Names&)>& visit);

// Adds what the statement declares for those behind it.
void AddDeclared(const ir::Stmt& s, Names& names);

// The same words where those are the names. False: one is not known there.
bool Move(ir::Expr& e, const ir::Kernel& kernel, const Names& names);

// An op without operands and modifiers.
ir::Stmt OpStmt(const ir::OpInfo* info, const ir::Span& span);

// Does it to the statement at that place of a copy; nothing, if it says no, or
// if there are as many rewrites as may be tried: each is a run.
void Change(const machine::Code& code, const ir::Span& place, std::string help,
            const std::function<bool(ir::Stmt&, const Names&)>& how,
            std::vector<Rewrite>& out);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_MOVED_TEXT_H_
