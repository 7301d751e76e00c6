#include "checkers/sizes/partition/drawn_elements.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "checkers/run/control_memory.h"
#include "checkers/sizes/partition/element_load.h"
#include "checkers/sizes/state/symbols.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using algebra::Polynomial;
using algebra::Symbol;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using state::kSteps;

namespace {

constexpr size_t kMaxDrawn = 12;

// Which element of which declaration.
using Element = std::pair<int32_t, std::vector<int64_t>>;

class Elements {
 public:
  Elements(const machine::Code& code, ir::Kernel& kernel,
           std::vector<Polynomial>& known)
      : code_(code), kernel_(kernel), known_(known) {
    for (const ir::Constant& c : kernel.constants) {
      if (!c.is_let) constants_.push_back(c.slot);
    }
    for (int32_t decl : run::DrawnOf(code)) drawn_.push_back(decl);
  }

  bool Draw() {
    if (!drawn_.empty()) Replace(kernel_.body);
    return !params_.empty();
  }

 private:
  std::optional<int64_t> Constant(const Expr& e) const {
    if (e.kind == ExprKind::kInt) return e.value;
    const int32_t slot = ir::SlotOf(e);
    bool named = std::find(constants_.begin(), constants_.end(), slot) !=
                 constants_.end();
    if (!named || !code_.bound.slots[slot]) return std::nullopt;
    return code_.bound.slots[slot]->number;
  }

  void Replace(ir::Block& block) {
    for (Stmt& s : block) {
      Replace(s.body);
      Replace(s.orelse);
      if (s.kind == Stmt::Kind::kOp) Replace(s);
    }
  }

  // Sets the scalar to the parameter instead.
  void Replace(Stmt& s) {
    const std::optional<ElementLoad> load = ElementLoadOf(s);
    std::optional<Element> element =
        load ? ElementOf(*load->from) : std::nullopt;
    const ir::Param* param = element ? ParamOf(*element) : nullptr;
    if (param == nullptr) return;
    Stmt set;
    set.kind = Stmt::Kind::kAssign;
    set.span = s.span;
    set.name = load->to->name;
    set.slot = load->to->slot;
    set.value.kind = ExprKind::kName;
    set.value.name_kind = ir::NameKind::kParam;
    set.value.name = param->name;
    set.value.slot = param->slot;
    set.value.span = s.span;
    s = std::move(set);
  }

  std::optional<Element> ElementOf(const ir::Ref& ref) const {
    if (std::find(drawn_.begin(), drawn_.end(), ref.decl) == drawn_.end())
      return std::nullopt;
    Element out{ref.decl, {}};
    for (const auto& group : ref.groups) {
      for (const ir::Subscript& s : group) {
        auto at = s.kind == ir::Subscript::Kind::kIndex ? Constant(s.start)
                                                        : std::nullopt;
        if (!at) return std::nullopt;
        out.second.push_back(*at);
      }
    }
    const ir::BoundDecl& d = code_.bound.decls[ref.decl];
    bool there = out.second.size() == static_cast<size_t>(d.rank);
    const std::vector<Expr>& shape = kernel_.decls[ref.decl].shape;
    for (size_t i = 0; there && i < out.second.size(); ++i) {
      auto extent = Constant(shape[i]);
      there = extent && out.second[i] >= 0 && out.second[i] < *extent;
    }
    return there ? std::optional(std::move(out)) : std::nullopt;
  }

  // nullptr: its domain is none of constants and a parameter.
  const ir::Param* ParamOf(const Element& element) {
    auto known = params_.find(element);
    if (known != params_.end()) return &kernel_.params[known->second];
    const ir::Decl& d = kernel_.decls[element.first];
    if (!d.domain_low || !d.domain_high || params_.size() == kMaxDrawn)
      return nullptr;
    auto low = Constant(*d.domain_low), high = Constant(*d.domain_high);
    const ir::Param* above = high ? nullptr : ParamNamed(*d.domain_high);
    if (!low || *low < 0 || (!high && above == nullptr)) return nullptr;
    ir::Param p;
    p.name = d.name;
    for (int64_t at : element.second) ir::Append(&p.name, "[", at, "]");
    p.low = p.value = *low;
    p.high = high;
    p.slot = kernel_.slots++;
    p.span = d.span;
    auto index = static_cast<Symbol>(kernel_.params.size());
    if (above != nullptr) {
      auto of = static_cast<Symbol>(above - kernel_.params.data());
      known_.push_back(Polynomial(above->low - *low) +
                       Polynomial::Of(kSteps + of, above->step) -
                       Polynomial::Of(kSteps + index));
    }
    kernel_.slot_names.push_back(p.name);
    params_[element] = kernel_.params.size();
    kernel_.params.push_back(std::move(p));
    return &kernel_.params.back();
  }

  const ir::Param* ParamNamed(const Expr& e) const {
    for (const ir::Param& p : kernel_.params) {
      if (p.slot == ir::SlotOf(e)) return &p;
    }
    return nullptr;
  }

  const machine::Code& code_;
  ir::Kernel& kernel_;
  std::vector<Polynomial>& known_;
  std::vector<int32_t> constants_, drawn_;
  std::map<Element, size_t> params_;
};

}  // namespace

bool DrawElements(const machine::Code& code, ir::Kernel& kernel,
                  std::vector<Polynomial>& known) {
  return Elements(code, kernel, known).Draw();
}

}  // namespace tilesim::checkers::sizes::partition
