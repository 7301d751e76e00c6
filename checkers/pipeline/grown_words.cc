#include "checkers/pipeline/grown_words.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/copied_block.h"
#include "checkers/pipeline/word_arrays.h"
#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/cat.h"
#include "ir/concrete.h"
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/values/dtype.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::IsBinary;
using ir::NameKind;
using ir::OpKind;
using ir::Stmt;
using sizes::partition::Binary;
using sizes::partition::KnownNumbers;

namespace {

// What a word of a barrier grows to fits in it: of CTAs that wait for each
// other there are less than 2^15.
constexpr size_t kMostValues = 16;

// One place in the text that adds to a word, stores to it or asks for it.
struct GrownUse {
  enum class Kind { kAdds, kStores, kAsks };
  Kind kind = Kind::kAsks;
  Stmt* stmt = nullptr;             // the op, or the loop that asks
  std::vector<std::string> scopes;  // around it
  bool always = true;               // under no condition
  std::string word;                 // its index
  const Expr* number = nullptr;     // that it stores, or asks for
  bool below = true;                // asks as long as it is below that
};

class GrownUses {
 public:
  GrownUses(ir::Kernel& kernel, const KnownNumbers& known)
      : kernel_(kernel), known_(known) {
    for (const ir::Constant& c : kernel.constants) {
      if (c.is_let) lets_.emplace(c.slot, c.value);
    }
    ir::ForEachStmt(kernel.body, [&](const Stmt& s) {
      if (s.kind == Stmt::Kind::kLet) lets_.emplace(s.slot, s.value);
      Stmt alone = s;
      alone.body.clear();
      alone.orelse.clear();
      ir::ForEachExpr(alone, [&](Expr& e) { CountNames(e); });
    });
    Look(kernel.body, Around{OneThread(kernel), {}});
  }

  // Of each declaration, in the order of the text. Those that are used
  // otherwise are not among them.
  std::map<int32_t, std::vector<GrownUse>> of;

  // How many times the number of CTAs it is.
  std::optional<int64_t> TimesAllCtas(const Expr& e) const {
    const Expr is = Written(e);
    if (IsBinary(is, ExprOp::kAdd)) {
      const auto a = TimesAllCtas(is.args[0]), b = TimesAllCtas(is.args[1]);
      return a && b ? std::optional(*a + *b) : std::nullopt;
    }
    const auto ctas = KnownCtas(), number = known_.Of(is);
    if (ctas && number)
      return *number % *ctas == 0 ? std::optional(*number / *ctas)
                                  : std::nullopt;
    std::vector<Expr> factors;
    Factors(is, factors);
    return WithoutGrid(std::move(factors));
  }

 private:
  struct Around {
    OneThread threads;
    std::vector<std::string> scopes;
    bool always = true, looped = false;
  };

  void CountNames(const Expr& e) {
    ++names_[ir::SlotOf(e)];
    for (const Expr& arg : e.args) CountNames(arg);
  }

  // Lets written out.
  Expr Written(const Expr& e) const {
    const auto let =
        e.kind == ExprKind::kName ? lets_.find(ir::SlotOf(e)) : lets_.end();
    if (let != lets_.end()) return Written(let->second);
    Expr out = e;
    for (Expr& arg : out.args) arg = Written(arg);
    return out;
  }

  void Factors(const Expr& e, std::vector<Expr>& out) const {
    if (!IsBinary(e, ExprOp::kMul)) return out.push_back(e);
    for (const Expr& arg : e.args) Factors(arg, out);
  }

  std::optional<int64_t> KnownCtas() const {
    int64_t out = 1;
    for (const Expr& extent : kernel_.grid) {
      const auto n = known_.Of(extent);
      if (!n || *n < 1) return std::nullopt;
      out *= *n;
    }
    return out;
  }

  // The product of what is left without each extent of the grid, once.
  std::optional<int64_t> WithoutGrid(std::vector<Expr> factors) const {
    for (size_t d = 0; d < kernel_.grid.size(); ++d) {
      if (kernel_.grid[d].is_int(1)) continue;
      const std::string text = ir::ToString(Written(kernel_.grid[d]));
      const auto extent =
          std::find_if(factors.begin(), factors.end(), [&](const Expr& f) {
            const bool builtin = f.kind == ExprKind::kName &&
                                 f.name_kind == NameKind::kBuiltin &&
                                 f.slot == static_cast<int>(Builtin::kGridX) +
                                               static_cast<int>(d);
            return builtin || ir::ToString(f) == text;
          });
      if (extent == factors.end()) return std::nullopt;
      factors.erase(extent);
    }
    int64_t out = 1;
    for (const Expr& f : factors) {
      const auto n = known_.Of(f);
      if (!n || *n < 1 || *n > static_cast<int64_t>(kMostValues))
        return std::nullopt;
      out *= *n;
    }
    return out;
  }

  void Look(Block& block, const Around& around) {
    for (Stmt& s : block) {
      if (s.kind == Stmt::Kind::kVar && s.value.is_int(0) && !around.looped)
        begins_.insert(s.slot);
      if (s.kind == Stmt::Kind::kAssign) begins_.erase(s.slot);
      if (Asks(s, around)) continue;
      if (s.op) Op(s, around);
      Around inside = around;
      if (s.kind == Stmt::Kind::kIf) inside.always = false;
      if (s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile)
        inside.looped = true;
      for (const ir::Scope& scope : s.scopes) inside.threads.Enter(scope);
      if (!s.scopes.empty()) inside.scopes.push_back(ir::ToString(s.scopes));
      Look(s.body, inside);
      Look(s.orelse, inside);
    }
  }

  static std::string WordOf(const ir::Ref& ref) {
    std::string out;
    if (ref.groups.size() != 1 || !ref.cta.empty() || ref.transposed)
      return out;
    for (const ir::Subscript& s : ref.groups[0]) {
      if (s.kind != ir::Subscript::Kind::kIndex) return "";
      ir::Append(&out, "[", ir::ToString(s.start), "]");
    }
    return out;
  }

  void Add(GrownUse use, const ir::Ref& ref, const Around& around) {
    use.scopes = around.scopes;
    use.always = around.always && around.threads.always();
    use.word = WordOf(ref);
    if (use.word.empty() || around.looped) other_.insert(ref.decl);
    if (other_.contains(ref.decl))
      of.erase(ref.decl);
    else
      of[ref.decl].push_back(std::move(use));
  }

  // A loop that asks for one word until it has grown.
  bool Asks(Stmt& s, const Around& around) {
    if (s.kind != Stmt::Kind::kWhile || s.body.size() != 1 || !s.body[0].op ||
        s.body[0].op->info->kind != OpKind::kLd)
      return false;
    const ir::Op& load = *s.body[0].op;
    const int32_t slot = ir::SlotOf(load.operands[0].expr);
    const Expr& e = s.value;
    const bool turned = IsBinary(e, ExprOp::kGt);
    const bool differs = IsBinary(e, ExprOp::kNe);
    if (!turned && !differs && !IsBinary(e, ExprOp::kLt)) return false;
    // It begins with 0, and nobody else asks for what was found.
    if (ir::SlotOf(e.args[turned ? 1 : 0]) != slot || !begins_.contains(slot) ||
        names_.at(slot) != 2)
      return false;
    GrownUse use;
    use.stmt = &s;
    use.number = &e.args[turned ? 0 : 1];
    use.below = !differs;
    Add(std::move(use), load.operands[1].ref, around);
    return true;
  }

  void Op(Stmt& s, const Around& around) {
    const ir::Op& op = *s.op;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i].kind != ir::Operand::Kind::kRef) continue;
      const ir::Ref& ref = op.operands[i].ref;
      const bool plain = around.threads.is() && i == 0;
      GrownUse use;
      use.stmt = &s;
      if (plain && op.info->kind == OpKind::kSt) {
        use.kind = GrownUse::Kind::kStores;
        use.number = &op.operands[1].expr;
        Add(std::move(use), ref, around);
      } else if (plain && op.info->kind == OpKind::kRedAdd &&
                 op.operands[1].expr.is_int(1)) {
        use.kind = GrownUse::Kind::kAdds;
        Add(std::move(use), ref, around);
      } else {
        other_.insert(ref.decl);
        of.erase(ref.decl);
      }
    }
  }

  const ir::Kernel& kernel_;
  const KnownNumbers& known_;
  std::map<int32_t, Expr> lets_;
  std::map<int32_t, int> names_;  // how often scalars are named, by slot
  std::set<int32_t> begins_;      // scalars that begin with 0
  std::set<int32_t> other_;       // declarations that are used otherwise
};

bool NamesAPlace(const Stmt& s) {
  return std::any_of(s.op->operands[0].ref.groups[0].begin(),
                     s.op->operands[0].ref.groups[0].end(),
                     [](const ir::Subscript& at) {
                       return at.start.kind == ExprKind::kName &&
                              at.start.name_kind == NameKind::kBuiltin;
                     });
}

// Of each use, the which value, from 0, it is about; empty: it is no such word.
// Each CTA adds 1 and then waits until all have, by one thread, under no
// condition; and again.
std::vector<size_t> BarriersOf(const GrownUses& all,
                               const std::vector<GrownUse>& uses) {
  const bool in_turn = proof::IsJudged(proof::Condition::kOneAddAtATime);
  std::vector<size_t> out;
  size_t adds = 0, asks = 0;
  for (const GrownUse& use : uses) {
    if (use.scopes != uses[0].scopes || !use.always || use.word != uses[0].word)
      return {};
    if (use.kind == GrownUse::Kind::kAdds) {
      if (NamesAPlace(*use.stmt) || (adds != asks && in_turn)) return {};
      out.push_back(adds++);
      continue;
    }
    if (use.kind != GrownUse::Kind::kAsks || adds == 0) return {};
    if (adds == asks) return {};
    const auto times = all.TimesAllCtas(*use.number);
    ++asks;
    if (times != static_cast<int64_t>(asks)) return {};
    // One that has gone on would be missed.
    if (!use.below && use.stmt != uses.back().stmt) return {};
    out.push_back(asks - 1);
  }
  return adds > 1 && adds <= kMostValues && adds == asks
             ? out
             : std::vector<size_t>();
}

// The CTA's own word: no other has it.
bool IsOwnWord(const ir::Kernel& kernel, const ir::Ref& ref) {
  for (size_t d = 0; d < kernel.grid.size(); ++d) {
    if (kernel.grid[d].is_int(1)) continue;
    const bool has = std::any_of(
        ref.groups[0].begin(), ref.groups[0].end(), [&](const auto& s) {
          return s.start.kind == ExprKind::kName &&
                 s.start.name_kind == NameKind::kBuiltin &&
                 s.start.slot == static_cast<int32_t>(Builtin::kCtaX) +
                                     static_cast<int32_t>(d);
        });
    if (!has) return false;
  }
  return true;
}

// One thread of each CTA stores numbers that rise to the CTA's word, and others
// wait for one of them.
std::vector<size_t> ValuesOf(const ir::Kernel& kernel,
                             const KnownNumbers& known,
                             const std::vector<GrownUse>& uses) {
  std::vector<int64_t> values;
  const GrownUse* first = nullptr;
  for (const GrownUse& use : uses) {
    if (use.kind == GrownUse::Kind::kAsks) continue;
    if (use.kind != GrownUse::Kind::kStores) return {};
    const auto value = known.Of(*use.number);
    if (!value || *value < 1 ||
        !IsOwnWord(kernel, use.stmt->op->operands[0].ref))
      return {};
    if (first == nullptr) first = &use;
    if (use.scopes != first->scopes || use.word != first->word ||
        (!values.empty() && *value <= values.back()))
      return {};
    values.push_back(*value);
  }
  std::vector<size_t> out;
  for (const GrownUse& use : uses) {
    const auto value = use.number ? known.Of(*use.number) : std::nullopt;
    const auto at = std::find(values.begin(), values.end(), value);
    const bool loose = use.kind == GrownUse::Kind::kAsks && !use.below;
    if (at == values.end() || loose) return {};
    out.push_back(static_cast<size_t>(at - values.begin()));
  }
  return values.size() > 1 && values.size() <= kMostValues
             ? out
             : std::vector<size_t>();
}

// A word for each value, to which 1 is stored, or added by every CTA.
void WriteOwn(ir::Kernel& kernel, int32_t decl,
              const std::vector<GrownUse>& uses,
              const std::vector<size_t>& values) {
  std::map<size_t, int32_t> words;
  const auto asked = std::find_if(
      uses.begin(), uses.end(),
      [](const GrownUse& use) { return use.kind == GrownUse::Kind::kAsks; });
  const bool adds = uses[0].kind == GrownUse::Kind::kAdds;
  const Expr all = asked != uses.end() && adds
                       ? *asked->number
                       : Expr::Int(1, uses[0].stmt->span);
  for (size_t i = 0; i < uses.size(); ++i) {
    const auto [word, fresh] =
        words.try_emplace(values[i], static_cast<int32_t>(kernel.decls.size()));
    if (fresh) {
      ir::Decl own = kernel.decls[decl];
      own.name = ir::Cat(own.name, "#", values[i] + 1);
      kernel.decls.push_back(std::move(own));
    }
    Stmt& s = *uses[i].stmt;
    const bool asks = uses[i].kind == GrownUse::Kind::kAsks;
    ir::Op& op = asks ? *s.body[0].op : *s.op;
    ir::Ref& ref = op.operands[asks ? 1 : 0].ref;
    ref.decl = word->second;
    ref.name = kernel.decls[word->second].name;
    if (asks) s.value = Binary(ExprOp::kLt, op.operands[0].expr, all);
    if (uses[i].kind == GrownUse::Kind::kStores)
      op.operands[1].expr = Expr::Int(1, s.span);
  }
  kernel.items.clear();  // they count declarations
}

bool MayGrow(const ir::Program& program, const ir::Kernel& kernel,
             const ir::Decl& d) {
  const bool result =
      std::any_of(kernel.computes.begin(), kernel.computes.end(),
                  [&](const ir::Computes& c) { return c.target == d.name; });
  return d.space == ir::Space::kGlobal && d.zero && !result &&
         d.array.empty() && d.strides.empty() && !values::IsFloat(d.dtype) &&
         values::BitsOf(d.dtype) >= kWordBits && kernel.cluster.empty() &&
         IsOfOne(program, d.name);
}

}  // namespace

std::optional<ir::Program> WithAWordForEachValue(const ir::Program& program,
                                                 const ir::Overrides& defines) {
  ir::Program out = program;
  bool any = false;
  for (ir::Kernel& kernel : out.kernels) {
    const KnownNumbers known(defines, kernel);
    const GrownUses all(kernel, known);
    for (const auto& [decl, uses] : all.of) {
      if (decl < 0 || !MayGrow(program, kernel, kernel.decls[decl])) continue;
      std::vector<size_t> values = BarriersOf(all, uses);
      if (values.empty()) values = ValuesOf(kernel, known, uses);
      if (values.empty()) continue;
      WriteOwn(kernel, decl, uses, values);
      any = true;
    }
  }
  if (!any) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
