// Calls of functions whose bodies are in the module, as nvcc leaves them at -G,
// -Xcicc -O0 and where a function is __noinline__: their bodies take the place
// of the calls.
//
//   { .param .b32 p; st.param.b32 [p], %r1;      { .reg .b32 %p$1_0; mov.b32
//     call.uni f, (p); }                           %p$1_0, %r1; { body } }
//
// Parameters become registers, a register each piece that is stored and loaded
// as one; those that are accessed otherwise become local memory. A body keeps
// its lines.
#ifndef TILESIM_PTX_FLOW_INLINE_CALLS_H_
#define TILESIM_PTX_FLOW_INLINE_CALLS_H_

#include <cstdint>
#include <map>
#include <string>

#include "ptx/text/module.h"

namespace tilesim::ptx {

struct Inlined {
  Function function;
  // Calls that stay, by line, and why: recursion, a function that is not known.
  std::map<int32_t, std::string> left;
};

// Whether the kernel calls anything.
bool Calls(const Function& function);

Inlined InlineCalls(const Module& module, const Function& kernel);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_INLINE_CALLS_H_
