// Ops written as PTX writes them: modifiers in front of what the op does, words
// for state space and type, which operands tell here.
//   OpOfPtx("atom.relaxed.gpu.cas") == "atom.cas.relaxed.gpu"
//   OpOfPtx("red.global.add.u32") == "red.add"
//   OpOfPtx("atom.foo") == ""
#ifndef TILESIM_FRONTEND_PTX_ORDER_H_
#define TILESIM_FRONTEND_PTX_ORDER_H_

#include <string>
#include <string_view>

namespace tilesim::frontend {

// What it is here, or "" of what is no such spelling of an op.
std::string OpOfPtx(std::string_view name);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_PTX_ORDER_H_
