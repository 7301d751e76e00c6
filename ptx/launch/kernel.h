// What the PTX says about how a kernel is launched.
#ifndef TILESIM_PTX_LAUNCH_KERNEL_H_
#define TILESIM_PTX_LAUNCH_KERNEL_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "ptx/launch/launch.h"

namespace tilesim::ptx {

// The .entry of that name, or null.
const Function* FindKernel(const Module& module, std::string_view name);

// Bytes of a variable's one name; nullopt: a size or a type is not known.
std::optional<uint64_t> VariableBytes(const Variable& v, const Declarator& d);

// Adds the .global variables of the module as buffers, but those of which the
// file has one of that name. They begin as they are initialised; where the file
// has several launches, what they hold is not known.
void AddVariables(const Module& module, LaunchFile& file);

// Adds the buffer that a cooperative launch has for barriers of its grid, for
// each launch whose kernel asks for it: a size, and a word that is 0 at first.
// The driver gives its address in %envreg1 and %envreg2.
void AddWorkspaces(const Module& module, LaunchFile& file);
// The name that it has, of that launch of the file.
std::string WorkspaceOf(const LaunchFile& file, const Launch& launch);

// What a variable of the module holds at first, as it is initialised.
Start StartOf(const Variable& v, const Declarator& d, uint64_t bytes);

// "mm_param_3 .u32", ".align 64 .b8 p[128]": for messages.
std::string Declared(const Variable& v, const Declarator& d);

// The three numbers of .reqntid and its kin, those not written being 1.
std::optional<Dim3> DirectiveDims(const Function& f, std::string_view name);

struct SharedUse {
  uint64_t fixed = 0;                 // of declarations that have a size
  const Variable* dynamic = nullptr;  // an .extern .shared array
};
// Names that operands of its body have.
std::set<std::string_view> NamesIn(const Function& function);
// Of what the kernel's body declares and names.
SharedUse SharedOf(const Module& module, const Function& kernel);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_LAUNCH_KERNEL_H_
