#include "checkers/sizes/partition/permitted.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using algebra::Polynomial;

namespace {

// Whether an expression's value depends on one of the parameters, through
// `let`s too.
bool Mentions(const ir::Kernel& kernel, const ir::Expr& e,
              const std::set<int32_t>& params) {
  if (const int32_t slot = ir::SlotOf(e); slot >= 0) {
    if (params.count(slot) != 0) return true;
    for (const ir::Constant& c : kernel.constants) {
      if (c.slot == slot) return Mentions(kernel, c.value, params);
    }
  }
  return std::any_of(e.args.begin(), e.args.end(), [&](const ir::Expr& arg) {
    return Mentions(kernel, arg, params);
  });
}

bool SamePlace(const ir::Span& a, const ir::Span& b) {
  return a.line == b.line && a.column == b.column;
}

// Whether it says of a dimension of the grid that there is no such launch,
// which none of the parameters in `open` decides.
bool OfGrid(const ir::Kernel& kernel, const ir::Diagnostic& d,
            const std::set<int32_t>& open) {
  if (d.code != "shape/cluster" && d.code != "shape/grid") return false;
  for (const ir::Expr& e : kernel.cluster) {
    if (Mentions(kernel, e, open)) return false;
  }
  return std::any_of(kernel.grid.begin(), kernel.grid.end(), [&](auto& e) {
    return SamePlace(e.span, d.span) && !Mentions(kernel, e, open);
  });
}

}  // namespace

bool NeverPermitted(const ir::Kernel& kernel, const ir::Overrides& sizes,
                    int64_t sm_count, const std::set<int32_t>& open) {
  ir::Diagnostics found;
  if (ir::Bind(kernel, sizes, sm_count, found)) return false;
  for (const ir::Diagnostic& d : found.all()) {
    if (OfGrid(kernel, d, open)) return true;
    if (d.code != "type/requires") continue;
    for (const ir::Requirement& r : kernel.requirements) {
      if (SamePlace(r.span, d.span) && !Mentions(kernel, r.condition, open))
        return true;
    }
  }
  return false;
}

namespace {

class Required {
 public:
  Required(const ir::Kernel& kernel, const Varied& varied,
           const ir::Overrides& defines)
      : kernel_(kernel), varied_(varied), defines_(defines) {}

  void Add(const ir::Expr& e) {
    if (e.kind != ir::ExprKind::kBinary) return;
    if (e.op == ir::ExprOp::kAnd) {
      Add(e.args[0]);
      Add(e.args[1]);
      return;
    }
    const std::optional<Polynomial> a = NumberOf(e.args[0]);
    const std::optional<Polynomial> b = NumberOf(e.args[1]);
    if (!a || !b) return;
    const Polynomial one(1);
    switch (e.op) {
      case ir::ExprOp::kLt:
        return Say(*b - *a - one);
      case ir::ExprOp::kLe:
        return Say(*b - *a);
      case ir::ExprOp::kGt:
        return Say(*a - *b - one);
      case ir::ExprOp::kGe:
        return Say(*a - *b);
      case ir::ExprOp::kEq:
        Say(*a - *b);
        return Say(*b - *a);
      default:
        return;
    }
  }
  std::vector<Polynomial> Take() { return std::move(out_); }

 private:
  void Say(Polynomial at_least_0) { out_.push_back(std::move(at_least_0)); }

  std::optional<Polynomial> NumberOf(const ir::Expr& e) const {
    if (e.kind == ir::ExprKind::kInt) return Polynomial(e.value);
    if (e.kind == ir::ExprKind::kName) return ValueOf(e);
    if (e.kind != ir::ExprKind::kBinary) return std::nullopt;
    const std::optional<Polynomial> a = NumberOf(e.args[0]);
    const std::optional<Polynomial> b = NumberOf(e.args[1]);
    if (!a || !b) return std::nullopt;
    switch (e.op) {
      case ir::ExprOp::kAdd:
        return *a + *b;
      case ir::ExprOp::kSub:
        return *a - *b;
      case ir::ExprOp::kMul:
        return *a * *b;
      default:
        return std::nullopt;
    }
  }

  std::optional<Polynomial> ValueOf(const ir::Expr& name) const {
    auto given = defines_.find(name.name);
    if (given != defines_.end()) return Polynomial(given->second);
    for (size_t i = 0; i < varied_.size(); ++i) {
      if (varied_[i]->name == name.name)
        return Polynomial::Of(static_cast<algebra::Symbol>(i));
    }
    for (const ir::Constant& c : kernel_.constants) {
      if (c.name == name.name) return NumberOf(c.value);
    }
    return std::nullopt;
  }

  const ir::Kernel& kernel_;
  const Varied& varied_;
  const ir::Overrides& defines_;
  std::vector<Polynomial> out_;
};

}  // namespace

std::vector<Polynomial> RequiredFacts(const ir::Kernel& kernel,
                                      const Varied& varied,
                                      const ir::Overrides& defines) {
  Required required(kernel, varied, defines);
  for (const ir::Requirement& r : kernel.requirements)
    required.Add(r.condition);
  return required.Take();
}

}  // namespace tilesim::checkers::sizes::partition
