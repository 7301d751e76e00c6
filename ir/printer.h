// Programs as text: what `fmt` writes and messages quote.
//
// Parse(Print(x)) == x for every program. Canonical: two spaces a level, one
// declaration or statement a line (a list of names stays one), operands in
// table order, default modifiers left out, comments kept, at most one blank
// line between lines, lines broken after commas and operators at 80 columns.
#ifndef TILESIM_IR_PRINTER_H_
#define TILESIM_IR_PRINTER_H_

#include <string>

#include "ir/program.h"

namespace tilesim::ir {

std::string Print(const Program& program, size_t columns = 80);

// `tma.load a[s], A[m :+ 128, k :+ 64], full[s]`
std::string ToString(const Op& op);
// `a[s][64 :+ 64, :] @ cta 1`
std::string ToString(const Ref& ref);
// `shared a[4] : f16[128, 64] swizzle 128B`
std::string ToString(const Decl& decl);
// `reg a, b[2] : f32[64, 128] fragment wgmma`: of one type
std::string ToString(const std::vector<const Decl*>& decls);
// `A * transpose(B)`
std::string ToString(const TensorExpr& expr);
// `warp 0, elect`
std::string ToString(const std::vector<Scope>& scopes);
// `tma.load`, `tcgen05.mma.cta_group::2`: mnemonic with its modifiers
std::string Mnemonic(const Op& op);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_PRINTER_H_
