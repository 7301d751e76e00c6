#include "checkers/sizes/partition/opaque.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "checkers/plan/sm_count.h"
#include "checkers/run/grid_scalars.h"
#include "checkers/sizes/partition/opaque_numbers.h"
#include "checkers/sizes/state/symbolic_state.h"
#include "checkers/sizes/state/symbols.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::partition {
using algebra::Facts;
using algebra::NumberOf;
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using run::GridScalars;
using state::Family;
using state::kAnywhere;
using state::kOpaque;
using state::kSteps;
using state::SymbolicState;

namespace {

using ir::ExprOp;
using machine::ExprInstr;
using machine::Instr;

// Of more scalars, to see how each compares with each takes too long.
constexpr size_t kMaxLets = 40;
constexpr size_t kMaxOpaque = 12;

// A scalar that is `low` or more.
struct Scalar {
  int32_t slot = -1;
  Symbol symbol = -1;
  int64_t low = 0;

  Polynomial value() const { return Polynomial(low) + Polynomial::Of(symbol); }
};

// Whether it asks for nothing of CTAs of a cluster, or of warps.
bool OfTheGrid(const machine::Code& code, const machine::CompiledExpr& expr) {
  if (expr.constant) return true;
  return std::all_of(code.expr_code.begin() + expr.begin,
                     code.expr_code.begin() + expr.end, [](const ExprInstr& e) {
                       return e.kind != ExprInstr::Kind::kBuiltin ||
                              e.index <= static_cast<int>(ir::Builtin::kGridZ);
                     });
}

class Abstraction {
 public:
  Abstraction(const machine::Code& code, const ir::Overrides& defines,
              const std::set<int32_t>& positive)
      : kernel_(code.kernel()),
        code_(code),
        positive_(positive),
        numbers_(FamilyOf(defines)) {}

  Abstracted Make() {
    Evaluate();
    // The extents of the grid are known now.
    opaque_.clear();
    others_.clear();
    Evaluate();
    Abstracted out{kernel_, {}, {}};
    if (opaque_.size() > kMaxOpaque) return out;
    for (const Scalar& s : opaque_) Turn(s, out);
    out.known = Known();
    return out;
  }

 private:
  Facts FamilyOf(const ir::Overrides& defines) {
    Facts facts;
    for (size_t i = 0; i < kernel_.params.size(); ++i) {
      const ir::Param& p = kernel_.params[i];
      if (defines.count(p.name) != 0) continue;
      Polynomial value =
          Polynomial(p.low) +
          Polynomial::Of(kSteps + static_cast<Symbol>(i), p.step);
      if (p.high) facts.Add(Polynomial(*p.high) - value);
      family_.params[p.slot] = std::move(value);
    }
    for (int d = 0; d < 3; ++d) family_.cta[d] = Polynomial::Of(kAnywhere + d);
    family_.grid.fill(Symbolic::Unknown());
    return facts;
  }

  void Evaluate() {
    SymbolicState said(code_, family_), made(code_, family_);
    made.OnUnsaid([this](ExprOp op, int32_t function, const Symbolic& a,
                         const Symbolic& b) {
      return numbers_.Unsaid(op, function, a, b);
    });
    machine::Cta first;
    machine::Who who(code_.bound, first, 0);
    GridScalars scalars(code_);
    for (const Instr* set : scalars.sets()) {
      Symbolic as_said = Symbolic::Unknown(), as_made = as_said;
      if (OfTheGrid(code_, set->expr)) {
        said.arithmetic().Know(numbers_.facts());
        made.arithmetic().Know(numbers_.facts());
        as_said = said.Evaluate(set->expr, 0, who);
        as_made = made.Evaluate(set->expr, 0, who);
      }
      if (as_said.unknown() && IsLet(set->a)) {
        auto named = Named(set->a, as_made);
        if (named) as_said = as_made = Symbolic::Number(*named);
      } else if (auto number = NumberOf(as_said)) {
        others_.push_back(*number);
      }
      said.SetSlot(0, set->a, as_said);
      made.SetSlot(0, set->a, as_made);
    }
    for (int d = 0; d < 3; ++d) {
      if (!OfTheGrid(code_, code_.grid[d])) continue;
      family_.grid[d] = said.Evaluate(code_.grid[d], 0, who);
      auto extent = numbers_.AsNumber(family_.grid[d]);
      if (extent)
        numbers_.Know(*extent - Polynomial(1) - Polynomial::Of(kAnywhere + d));
    }
  }

  // Others are the compiler's.
  bool IsLet(int32_t slot) const {
    return std::any_of(kernel_.constants.begin(), kernel_.constants.end(),
                       [=](const auto& c) { return c.slot == slot; }) ||
           HasLet(kernel_.body, slot);
  }

  static bool HasLet(const ir::Block& block, int32_t slot) {
    return std::any_of(block.begin(), block.end(), [=](const ir::Stmt& s) {
      return (s.kind == ir::Stmt::Kind::kLet && s.slot == slot) ||
             HasLet(s.body, slot) || HasLet(s.orelse, slot);
    });
  }

  // A scalar that cannot be said has a symbol of its own from here on; nullopt:
  // it might be negative, as far as is known.
  std::optional<Polynomial> Named(int32_t slot, const Symbolic& value) {
    std::optional<Polynomial> number = numbers_.AsNumber(value);
    if (!number || !numbers_.AtLeast(*number, 0)) return std::nullopt;
    opaque_.push_back(ScalarFor(slot, *number));
    return opaque_.back().value();
  }

  // What it was made as, if no other scalar is that.
  Scalar ScalarFor(int32_t slot, const Polynomial& number) {
    const auto& terms = number.terms();
    bool one = number.base() >= 0 && terms.size() == 1 &&
               terms[0].second == 1 && terms[0].first.size() == 1;
    Symbol made = one ? terms[0].first[0] : -1;
    bool taken = std::any_of(opaque_.begin(), opaque_.end(),
                             [&](const auto& s) { return s.symbol == made; });
    const bool positive =
        numbers_.AtLeast(number, 1) || positive_.contains(slot);
    if (made >= kOpaque && !taken && (!positive || number.base() > 0))
      return {slot, made, number.base()};
    Scalar fresh{slot, numbers_.Fresh(), positive ? 1 : 0};
    numbers_.Know(fresh.value() - number);
    numbers_.Know(number - fresh.value());
    return fresh;
  }

  void Turn(const Scalar& scalar, Abstracted& out) const {
    ir::Param param;
    std::string name = kernel_.slot_names[scalar.slot];
    auto& named = out.opaque;
    if (std::find(named.begin(), named.end(), name) == named.end())
      named.push_back(name);
    auto taken = [&](const ir::Param& p) { return p.name == name; };
    if (std::any_of(out.kernel.params.begin(), out.kernel.params.end(), taken))
      name = ir::Cat(name, "#", scalar.slot);
    param.name = std::move(name);
    param.low = param.value = scalar.low;
    param.slot = scalar.slot;
    out.kernel.params.push_back(std::move(param));
    std::erase_if(out.kernel.constants,
                  [&](const ir::Constant& c) { return c.slot == scalar.slot; });
    Without(out.kernel.body, scalar.slot);
  }

  static void Without(ir::Block& block, int32_t slot) {
    std::erase_if(block, [&](const ir::Stmt& s) {
      return s.kind == ir::Stmt::Kind::kLet && s.slot == slot;
    });
    for (ir::Stmt& s : block) {
      Without(s.body, slot);
      Without(s.orelse, slot);
    }
  }

  // Which of a scalar and another number is less.
  std::vector<Polynomial> Known() const {
    std::vector<Polynomial> numbers = others_;
    for (const ir::Constant& c : kernel_.constants) {
      const auto& value = code_.bound.slots[c.slot];
      if (!c.is_let && value) numbers.emplace_back(value->number);
    }
    for (const auto& [slot, value] : family_.params) numbers.push_back(value);
    Facts out;
    for (const Polynomial& other : others_) Compare(Polynomial(), other, out);
    for (const Scalar& s : opaque_) {
      Polynomial of = s.value();
      for (const Polynomial& other : numbers) {
        Compare(of, other, out);
        Compare(other, of, out);
      }
      numbers.push_back(of);
    }
    return out.all();
  }

  void Compare(const Polynomial& a, const Polynomial& b, Facts& out) const {
    bool less = numbers_.AtLeast(b - a, 1);
    if (!less && !numbers_.AtLeast(b - a, 0)) return;
    Polynomial fact = InSteps(b - a - Polynomial(less ? 1 : 0));
    if (Simple(fact) && !out.AtLeast0(fact).value_or(false))
      out.Add(std::move(fact));
  }

  Polynomial InSteps(Polynomial p) const {
    for (size_t i = 0; i < opaque_.size(); ++i) {
      auto param = static_cast<Symbol>(kernel_.params.size() + i);
      p = p.Replace(opaque_[i].symbol, Polynomial::Of(kSteps + param));
    }
    return p;
  }

  // Of parameters alone, each by itself.
  static bool Simple(const Polynomial& p) {
    return std::all_of(p.terms().begin(), p.terms().end(), [](const auto& t) {
      return t.first.size() == 1 && t.first[0] >= kSteps &&
             t.first[0] < kOpaque;
    });
  }

  const ir::Kernel& kernel_;
  const machine::Code& code_;
  const std::set<int32_t>& positive_;
  Family family_;
  OpaqueNumbers numbers_;
  std::vector<Scalar> opaque_;
  std::vector<Polynomial> others_;  // that can be said
};

}  // namespace

Abstracted WithoutOpaque(const machine::Code& code,
                         const ir::Overrides& defines,
                         const std::set<int32_t>& positive) {
  size_t lets = GridScalars(code).sets().size();
  if (lets > kMaxLets) return {code.kernel(), {}, {}};
  // Numbers that depend on the GPU: different instances have different ones.
  if (code.bound.cluster_size() > 1 || plan::AsksForSms(code.kernel()))
    return {code.kernel(), {}, {}};
  return Abstraction(code, defines, positive).Make();
}

}  // namespace tilesim::checkers::sizes::partition
