#include "ir/define.h"

#include <algorithm>
#include <string>

namespace tilesim::ir {
namespace {

bool HasParam(const Kernel& kernel, const std::string& name) {
  return std::any_of(kernel.params.begin(), kernel.params.end(),
                     [&](const Param& p) { return p.name == name; });
}

// A constant of that name which is not derived from others.
const Constant* ConstantOf(const Kernel& kernel, const std::string& name) {
  for (const Constant& c : kernel.constants) {
    if (c.name == name && !c.is_let) return &c;
  }
  return nullptr;
}

// Whether some kernel takes it, and those whose constant it is have that value.
bool Taken(const Program& program, const std::string& name, int64_t value) {
  bool taken = false;
  for (const Kernel& kernel : program.kernels) {
    const Constant* c = ConstantOf(kernel, name);
    if (c != nullptr && !(c->value == Expr::Int(value))) return false;
    taken = taken || c != nullptr || HasParam(kernel, name);
  }
  return taken;
}

}  // namespace

bool Define(Program& program, const Overrides& defines) {
  bool some = false;
  for (Kernel& kernel : program.kernels) {
    for (Constant& c : kernel.constants) {
      auto given = defines.find(c.name);
      if (given == defines.end() || c.is_let) continue;
      c.value = Expr::Int(given->second, c.value.span);
      some = true;
    }
  }
  return some;
}

Overrides DefinesOf(const Kernel& kernel, const Overrides& defines) {
  Overrides out;
  for (const auto& [name, value] : defines) {
    if (HasParam(kernel, name) || ConstantOf(kernel, name) != nullptr)
      out[name] = value;
  }
  return out;
}

Overrides ParamsOf(const Program& program, size_t index,
                   const Overrides& defines) {
  Overrides out;
  for (const auto& [name, value] : defines) {
    bool own = HasParam(program.kernels[index], name);
    if (own || (index == 0 && !Taken(program, name, value))) out[name] = value;
  }
  return out;
}

}  // namespace tilesim::ir
