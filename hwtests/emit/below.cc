#include "hwtests/emit/below.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/warp.h"

namespace tilesim::hwtests {
namespace {

using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::IsBinary;
using ir::NameKind;

bool IsCall(const Expr& e, std::string_view name) {
  return e.kind == ExprKind::kCall && e.name == name;
}
bool IsBuiltin(const Expr& e) {
  return e.kind == ExprKind::kName && e.name_kind == NameKind::kBuiltin;
}

// value * each.
struct Term {
  const Expr* value;
  int64_t each;
};

class Below {
 public:
  Below(const Facts& facts, const ThreadsHere& threads)
      : facts_(facts), threads_(threads) {}

  bool IsBelow(const Expr& x, const Expr& extent) const;

 private:
  const Expr& Meant(const Expr& e) const { return facts_.Meant(e); }
  bool Same(const Expr& a, const Expr& b) const;
  // All of which `x` is below; of what is never negative.
  std::vector<const Expr*> Bounds(const Expr& x) const;
  void AddBound(const Expr& bound, std::vector<const Expr*>* out) const;
  bool IsQuotient(const Expr& e, const Expr& extent, int64_t divisor,
                  bool up) const;
  bool IsCounted(const Term& term, const Expr& extent, bool up) const;
  // x as a sum; each `each` is above 0. False: it is none.
  bool AddTerms(const Expr& x, int64_t each, std::vector<Term>* out) const;
  // The greatest value of what is never negative and depends on no size.
  std::optional<int64_t> Most(const Expr& x) const;
  std::optional<int64_t> MostOfBuiltin(const Expr& x) const;
  // The smallest value of an extent.
  std::optional<int64_t> Least(const Expr& extent) const;
  // Of all terms but `but`.
  std::optional<int64_t> MostOf(const std::vector<Term>& terms,
                                const Term* but) const;

  const Facts& facts_;
  const ThreadsHere& threads_;
};

bool Below::Same(const Expr& a_text, const Expr& b_text) const {
  const Expr &a = Meant(a_text), &b = Meant(b_text);
  if (const auto value = facts_.Constant(a)) return facts_.Constant(b) == value;
  if (a.kind != b.kind || a.op != b.op || a.args.size() != b.args.size())
    return false;
  if (a.kind == ExprKind::kName)
    return a.name_kind == b.name_kind && a.slot == b.slot;
  if (a.name != b.name || a.value != b.value) return false;
  for (size_t i = 0; i < a.args.size(); ++i)
    if (!Same(a.args[i], b.args[i])) return false;
  return true;
}

void Below::AddBound(const Expr& bound, std::vector<const Expr*>* out) const {
  const Expr& b = Meant(bound);
  out->push_back(&b);
  if (!IsCall(b, "min")) return;
  for (const Expr& arg : b.args) AddBound(arg, out);
}

std::vector<const Expr*> Below::Bounds(const Expr& x_text) const {
  const Expr& x = Meant(x_text);
  std::vector<const Expr*> out;
  if (IsBuiltin(x)) {
    const std::vector<Expr>& grid = facts_.bound().kernel->grid;
    const auto along = static_cast<size_t>(x.slot);  // of kCtaX: 0
    if (along <= static_cast<size_t>(Builtin::kCtaZ) && along < grid.size())
      AddBound(grid[along], &out);
  } else if (x.kind == ExprKind::kName) {
    if (const Expr* end = facts_.EndOfCounter(x.slot)) AddBound(*end, &out);
  } else if (IsBinary(x, ExprOp::kRem) && facts_.NeverNegative(x.args[0])) {
    AddBound(x.args[1], &out);
  } else if (IsBinary(x, ExprOp::kDiv) && facts_.NeverNegative(x.args[0])) {
    // v / w, where v is below w * z.
    for (const Expr* v : Bounds(x.args[0])) {
      if (!IsBinary(*v, ExprOp::kMul)) continue;
      for (size_t i : {0, 1})
        if (Same(v->args[i], x.args[1])) AddBound(v->args[1 - i], &out);
    }
  }
  return out;
}

// extent / divisor, which times the divisor is at most the extent; or rounded
// up, if `up`: then all but the last of them begin below it.
bool Below::IsQuotient(const Expr& e, const Expr& extent, int64_t divisor,
                       bool up) const {
  const bool exact = IsBinary(e, ExprOp::kDiv);
  const bool rounded =
      IsCall(e, "cdiv") && (up || facts_.Divisor(extent) % divisor == 0);
  return (exact || rounded) && facts_.Constant(e.args[1]) == divisor &&
         Same(e.args[0], extent);
}

// Whether the term is below the extent, and by as much as it is counted in,
// unless `up`.
bool Below::IsCounted(const Term& term, const Expr& extent, bool up) const {
  const std::vector<const Expr*> bounds = Bounds(*term.value);
  return std::any_of(bounds.begin(), bounds.end(), [&](const Expr* bound) {
    return IsQuotient(*bound, extent, term.each, up) ||
           (term.each == 1 && Same(*bound, extent));
  });
}

bool Below::AddTerms(const Expr& x_text, int64_t each,
                     std::vector<Term>* out) const {
  const Expr& x = Meant(x_text);
  if (IsBinary(x, ExprOp::kAdd))
    return AddTerms(x.args[0], each, out) && AddTerms(x.args[1], each, out);
  if (IsBinary(x, ExprOp::kMul)) {
    for (size_t i : {0, 1}) {
      const std::optional<int64_t> by = facts_.Constant(x.args[i]);
      int64_t product;
      if (!by) continue;
      if (*by <= 0 || __builtin_mul_overflow(each, *by, &product)) return false;
      return AddTerms(x.args[1 - i], product, out);
    }
  }
  out->push_back({&x, each});
  return true;
}

std::optional<int64_t> Below::MostOfBuiltin(const Expr& x) const {
  const auto builtin = static_cast<Builtin>(x.slot);
  const bool warpgroup = builtin == Builtin::kWarpgroup;
  if (warpgroup || builtin == Builtin::kWarp) {
    const bool known = facts_.IsConstant(facts_.bound().kernel->block) &&
                       threads_.warps > 0 && !threads_.any;
    if (!known) return std::nullopt;
    const int64_t last = threads_.first_warp + threads_.warps - 1;
    return warpgroup ? last / ir::kWarpgroupWarps : last;
  }
  const std::vector<Expr>& cluster = facts_.bound().kernel->cluster;
  const bool known =
      std::all_of(cluster.begin(), cluster.end(),
                  [&](const Expr& size) { return facts_.IsConstant(size); });
  if (builtin != Builtin::kClusterRank || !known) return std::nullopt;
  return facts_.bound().cluster_size() - 1;
}

std::optional<int64_t> Below::Most(const Expr& x_text) const {
  const Expr& x = Meant(x_text);
  if (const auto value = facts_.Constant(x))
    return *value >= 0 ? value : std::nullopt;
  if (IsBuiltin(x)) {
    if (const auto most = MostOfBuiltin(x)) return most;
  }
  if (!facts_.NeverNegative(x)) return std::nullopt;
  for (const Expr* bound : Bounds(x))
    if (const auto value = facts_.Constant(*bound)) return *value - 1;
  return std::nullopt;
}

std::optional<int64_t> Below::Least(const Expr& extent) const {
  if (const auto value = facts_.Constant(extent)) return value;
  const Expr& e = Meant(extent);
  if (e.kind != ExprKind::kName || e.name_kind != NameKind::kParam)
    return std::nullopt;
  const ir::Param* param = facts_.ParamOf(e.slot);
  return param == nullptr ? std::nullopt : std::optional(param->low);
}

std::optional<int64_t> Below::MostOf(const std::vector<Term>& terms,
                                     const Term* but) const {
  int64_t sum = 0;
  for (const Term& term : terms) {
    if (&term == but) continue;
    const std::optional<int64_t> most = Most(*term.value);
    int64_t product;
    if (!most || __builtin_mul_overflow(*most, term.each, &product) ||
        __builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

// One term is counted in what divides the extent, and the others are together
// less than that.
bool Below::IsBelow(const Expr& x, const Expr& extent) const {
  std::vector<Term> terms;
  if (!AddTerms(x, 1, &terms)) return false;
  const std::optional<int64_t> most = MostOf(terms, nullptr);
  const std::optional<int64_t> size = Least(extent);
  if (most && size && *most < *size) return true;
  if (terms.size() == 1) return IsCounted(terms[0], extent, true);
  return std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
    const std::optional<int64_t> rest = MostOf(terms, &term);
    return rest && *rest < term.each && IsCounted(term, extent, false);
  });
}

}  // namespace

bool IsBelow(const Facts& facts, const ThreadsHere& threads, const Expr& x,
             const Expr& extent) {
  return Below(facts, threads).IsBelow(x, extent);
}

}  // namespace tilesim::hwtests
