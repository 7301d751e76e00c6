#include "checkers/sizes/partition/any_elements.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/element_load.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/launch_values.h"
#include "checkers/sizes/state/symbols.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using algebra::Polynomial;
using algebra::Symbol;
using ir::Block;
using ir::Expr;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;
using state::kSteps;

namespace {

constexpr size_t kMaxElements = 12;

class Drawing {
 public:
  Drawing(const ir::Overrides& defines, const std::set<int32_t>& drawn,
          ir::Kernel& kernel)
      : defines_(defines), kernel_(kernel), values_(defines, drawn, kernel) {}

  AnyElements Draw() {
    values_.Walk(kernel_.body, [this](Stmt& s, const auto&) { Take(s); });
    if (out_.names.empty()) return {};
    Assign(kernel_.body);
    kernel_.items.clear();  // they count statements
    return std::move(out_);
  }

 private:
  // The load is of a scalar that nobody asks for.
  void Take(Stmt& s) {
    const std::optional<ElementLoad> load = ElementLoadOf(s);
    const auto element = load ? values_.Element(*load->from) : std::nullopt;
    if (!element) return;
    auto value = ValueOf(load->from->decl, element->name);
    if (!value) return;
    Expr& to = s.op->operands[0].expr;
    Stmt set;
    set.kind = Stmt::Kind::kAssign;
    set.span = s.span;
    set.name = to.name;
    set.slot = to.slot;
    set.value = *std::move(value);
    to.name = ir::Cat(to.name, "#loaded");
    to.slot = kernel_.slots++;
    kernel_.slot_names.push_back(to.name);
    set_after_.emplace(to.slot, std::move(set));
  }

  // Behind each load, what the scalar is.
  void Assign(Block& block) {
    Block out;
    for (Stmt& s : block) {
      Assign(s.body);
      Assign(s.orelse);
      const bool loads = ElementLoadOf(s).has_value();
      auto set = loads ? set_after_.find(s.op->operands[0].expr.slot)
                       : set_after_.end();
      out.push_back(std::move(s));
      if (set != set_after_.end()) out.push_back(set->second);
    }
    block = std::move(out);
  }

  // docs/all_sizes.md 3.13: loads that name one element have one number.
  // nullopt: of its domain too little is known.
  std::optional<Expr> ValueOf(int32_t decl, std::string element) {
    const ir::Decl& d = kernel_.decls[decl];
    if (!proof::IsJudged(proof::Condition::kSameElement)) element = d.name;
    if (!d.domain_low || !d.domain_high) return std::nullopt;
    const auto low = values_.positive().known().Of(*d.domain_low);
    if (!low) return std::nullopt;
    auto known = params_.find(element);
    if (known == params_.end()) {
      if (params_.size() == kMaxElements) return std::nullopt;
      known = params_.emplace(element, NewParam(d, *low, element)).first;
    }
    if (*low == 0) return known->second;
    return Binary(ExprOp::kAdd, known->second, *low);
  }

  Expr NewParam(const ir::Decl& d, int64_t low, const std::string& element) {
    ir::Param p;
    p.name = element;
    p.slot = kernel_.slots++;
    p.span = d.span;
    if (auto high = values_.positive().known().Of(*d.domain_high))
      p.high = std::max<int64_t>(0, *high - low);
    else
      KnowUpTo(*d.domain_high, low);
    kernel_.slot_names.push_back(p.name);
    kernel_.params.push_back(p);
    out_.names.push_back(p.name);
    return NameOf(NameKind::kParam, p.name, p.slot, d.span);
  }

  // Where the upper end is a parameter, given or any that is permitted.
  void KnowUpTo(const Expr& high, int64_t low) {
    const auto index = static_cast<Symbol>(kernel_.params.size());
    const Polynomial number = Polynomial(low) + Polynomial::Of(kSteps + index);
    for (size_t i = 0; i < kernel_.params.size(); ++i) {
      const ir::Param& of = kernel_.params[i];
      if (of.slot != ir::SlotOf(high)) continue;
      auto given = defines_.find(of.name);
      const Polynomial most =
          given != defines_.end()
              ? Polynomial(given->second)
              : Polynomial(of.low) +
                    Polynomial::Of(kSteps + static_cast<Symbol>(i), of.step);
      out_.known.push_back(most - number);
    }
  }

  const ir::Overrides& defines_;
  ir::Kernel& kernel_;
  LaunchValues values_;
  AnyElements out_;
  std::map<std::string, Expr> params_;  // by element
  std::map<int32_t, Stmt> set_after_;   // by the slot of a load
};

}  // namespace

AnyElements DrawAnyElements(const ir::Overrides& defines,
                            const std::set<int32_t>& drawn,
                            ir::Kernel& kernel) {
  return Drawing(defines, drawn, kernel).Draw();
}

}  // namespace tilesim::checkers::sizes::partition
