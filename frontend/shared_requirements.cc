#include "frontend/shared_requirements.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tilesim::frontend {
namespace {

template <typename T>
const T* Named(const std::vector<T>& all, const std::string& name) {
  auto it = std::find_if(all.begin(), all.end(),
                         [&](const T& t) { return t.name == name; });
  return it == all.end() ? nullptr : &*it;
}

// Whether the kernel means something else by the name than a constant.
bool IsTaken(const ir::Kernel& kernel, const std::string& name) {
  const std::vector<std::string>& names = kernel.slot_names;
  return std::find(names.begin(), names.end(), name) != names.end();
}

// One expression of a kernel, in terms of another.
class Translation {
 public:
  Translation(const ir::Kernel& from, ir::Kernel& to) : from_(from), to_(to) {}

  // nullopt: it names what the other kernel does not have.
  std::optional<ir::Expr> Of(const ir::Expr& e) {
    ir::Expr out = e;
    bool can = Translate(out);
    return can && params_ > 0 ? std::optional(std::move(out)) : std::nullopt;
  }
  // Constants that the expression needs, and the other kernel lacks.
  const std::vector<ir::Constant>& constants() const { return constants_; }

 private:
  bool Translate(ir::Expr& e) {
    if (e.kind != ir::ExprKind::kName) {
      return std::all_of(e.args.begin(), e.args.end(),
                         [&](ir::Expr& arg) { return Translate(arg); });
    }
    switch (e.name_kind) {
      case ir::NameKind::kParam:
        return Param(e);
      case ir::NameKind::kConst:
        return Constant(e);
      case ir::NameKind::kLet:
        return Let(e);
      case ir::NameKind::kBuiltin:
        return true;
      default:
        return false;
    }
  }

  bool Param(ir::Expr& e) {
    const ir::Param* p = Named(to_.params, e.name);
    if (p == nullptr) return false;
    ++params_;
    e.slot = p->slot;
    return true;
  }

  bool Constant(ir::Expr& e) {
    const ir::Constant* c = Named(to_.constants, e.name);
    if (c == nullptr) c = Named(constants_, e.name);
    if (c == nullptr) return Import(e);
    e.slot = c->slot;
    return !c->is_let;
  }

  bool Import(ir::Expr& e) {
    if (IsTaken(to_, e.name)) return false;
    ir::Constant c = *Named(from_.constants, e.name);
    if (!Translate(c.value)) return false;
    c.slot = to_.slots + static_cast<int32_t>(constants_.size());
    e.slot = c.slot;
    constants_.push_back(std::move(c));
    return true;
  }

  bool Let(ir::Expr& e) {
    const ir::Constant* let = Named(from_.constants, e.name);
    if (let == nullptr) return false;
    e = let->value;
    return Translate(e);
  }

  const ir::Kernel& from_;
  ir::Kernel& to_;
  int params_ = 0;
  std::vector<ir::Constant> constants_;
};

bool Has(const ir::Kernel& kernel, const ir::Expr& condition) {
  return std::any_of(
      kernel.requirements.begin(), kernel.requirements.end(),
      [&](const ir::Requirement& r) { return r.condition == condition; });
}

void Add(ir::Kernel& kernel, ir::Requirement r,
         const std::vector<ir::Constant>& constants) {
  for (const ir::Constant& c : constants) {
    kernel.constants.push_back(c);
    kernel.slot_names.push_back(c.name);
    ++kernel.slots;
  }
  kernel.requirements.push_back(std::move(r));
}

}  // namespace

void ShareRequirements(ir::Program& program) {
  std::vector<size_t> own;
  for (const ir::Kernel& k : program.kernels)
    own.push_back(k.requirements.size());
  for (ir::Kernel& to : program.kernels) {
    for (size_t i = 0; i < program.kernels.size(); ++i) {
      const ir::Kernel& from = program.kernels[i];
      if (&from == &to) continue;
      for (size_t r = 0; r < own[i]; ++r) {
        Translation translation(from, to);
        ir::Requirement shared = from.requirements[r];
        auto condition = translation.Of(shared.condition);
        if (!condition || Has(to, *condition)) continue;
        shared.condition = std::move(*condition);
        Add(to, std::move(shared), translation.constants());
      }
    }
  }
}

}  // namespace tilesim::frontend
