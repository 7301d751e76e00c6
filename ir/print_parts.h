// The text of what stands on one line of a program.
#ifndef TILESIM_IR_PRINT_PARTS_H_
#define TILESIM_IR_PRINT_PARTS_H_

#include <string>

#include "ir/program.h"

namespace tilesim::ir {

// `param M : 128.. = 4096`, `mbarrier full[4], empty[4]`. Not for kStmt.
std::string ItemText(const Kernel& kernel, const Item& item);
// Of a statement with a block, the part before `{`.
std::string StmtText(const Stmt& s);
bool HasBody(const Stmt& s);
// `fn f(k, shared a : f16)`
std::string HeadOf(const Fn& function);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_PRINT_PARTS_H_
