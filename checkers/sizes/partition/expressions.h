// Text that rewritings of a kernel are made of.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_EXPRESSIONS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_EXPRESSIONS_H_

#include <cstdint>
#include <string>

#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Each stands where its first operand does.
ir::Expr Unary(ir::ExprOp op, ir::Expr of);
ir::Expr Binary(ir::ExprOp op, ir::Expr a, ir::Expr b);
ir::Expr Binary(ir::ExprOp op, ir::Expr a, int64_t b);

ir::Expr NameOf(ir::NameKind kind, const std::string& name, int32_t slot,
                ir::Span span);

// A statement that goes on with the loop around these, not with one inside it.
bool Continues(const ir::Block& block);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_EXPRESSIONS_H_
