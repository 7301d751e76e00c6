// Names of the text as C++ names.
#ifndef TILESIM_HWTESTS_EMIT_NAMES_H_
#define TILESIM_HWTESTS_EMIT_NAMES_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/program.h"

namespace tilesim::hwtests {

// The name itself, with a `_` behind it if C++ or the lowered code needs it.
std::string CppName(std::string_view name);
// The functions of a program's kernels, in their order: all in one namespace to
// the linker, and beside their own scalars and declarations to the compiler. A
// name that is taken, or that a C function has, has `_kernel` behind it.
std::vector<std::string> KernelNames(
    const std::vector<const ir::Kernel*>& kernels);
// The namespace of a kernel's code.
std::string CodeNamespace(std::string_view kernel);

// Every name that a kernel's text mentions, as C++ names.
class NameTable {
 public:
  // `function`: what the kernel itself is called.
  NameTable(const ir::Kernel& kernel, std::string_view function);

  // The first of name, name2, name3 ... that nothing is called.
  std::string Fresh(std::string_view name);
  // The same for a name of an inner block, which others may use again.
  std::string Local(std::string_view name) const;
  // True if a scalar or a declaration has this C++ name.
  bool IsObject(std::string_view name) const { return objects_.contains(name); }

 private:
  std::set<std::string, std::less<>> used_;
  std::set<std::string, std::less<>> objects_;
};

// The C++ type of an element in memory.
std::string_view ElementType(ir::DType type);
// The C++ type of a word of a register tile of such elements.
std::string_view WordType(ir::DType type);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_NAMES_H_
