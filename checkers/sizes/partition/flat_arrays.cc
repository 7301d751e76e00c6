#include "checkers/sizes/partition/flat_arrays.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "checkers/sizes/partition/positive.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Expr;
using ir::ExprOp;
using ir::Ref;
using ir::Stmt;
using ir::Subscript;

namespace {

class Flattener {
 public:
  Flattener(const ir::Overrides& defines, ir::Kernel& kernel)
      : known_(defines, kernel), positive_(defines, kernel), kernel_(kernel) {}

  bool Run() {
    bool changed = false;
    for (size_t i = 0; i < kernel_.decls.size(); ++i)
      changed |= Flatten(static_cast<int32_t>(i));
    if (changed) kernel_.items.clear();  // they have declarations
    return changed;
  }

 private:
  template <typename F>
  void EachRef(int32_t decl, F f) {
    ir::ForEachStmt(kernel_.body, [&](Stmt& s) {
      if (!s.op) return;
      for (ir::Operand& o : s.op->operands) {
        if (o.kind == ir::Operand::Kind::kRef && o.ref.decl == decl) f(o.ref);
      }
    });
  }

  // What lies over it, or it over what, is laid by its indices.
  bool IsLaid(const ir::Decl& d) const {
    return d.at || std::any_of(kernel_.decls.begin(), kernel_.decls.end(),
                               [&](const ir::Decl& o) {
                                 return (o.at && o.at->base == d.name) ||
                                        o.slot == d.name;
                               });
  }

  static std::vector<Subscript> Subscripts(const Ref& ref) {
    std::vector<Subscript> out;
    for (const auto& group : ref.groups)
      out.insert(out.end(), group.begin(), group.end());
    return out;
  }

  // Made of numbers and of who executes: the same in each iteration.
  bool OfThreads(const Expr& e) const {
    if (known_.Of(e)) return true;
    if (const Expr* let = positive_.LetOf(e)) return OfThreads(*let);
    if (e.kind == ir::ExprKind::kName)
      return e.name_kind == ir::NameKind::kBuiltin;
    return !e.args.empty() &&
           std::all_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return OfThreads(arg); });
  }

  // Of what the first index is a place of, each place has a ring of its own.
  // (Where it is the slot of a ring, it is followed as it is.)
  bool MayBe(int32_t decl) {
    const size_t dims = kernel_.decls[decl].array.size();
    bool may = true, varies = false;
    EachRef(decl, [&](const Ref& ref) {
      const std::vector<Subscript> all = Subscripts(ref);
      may &= all.size() >= dims &&
             std::all_of(all.begin(), all.begin() + static_cast<int64_t>(dims),
                         [](const Subscript& s) {
                           return s.kind == Subscript::Kind::kIndex;
                         });
      may = may && OfThreads(all[0].start);
      varies |= may && !known_.Of(all[0].start);
    });
    return may && varies;
  }

  bool Flatten(int32_t decl) {
    ir::Decl& d = kernel_.decls[decl];
    if (d.array.size() < 2 || d.space == ir::Space::kGlobal || IsLaid(d))
      return false;
    std::vector<int64_t> extents;
    for (const Expr& e : d.array) {
      const std::optional<int64_t> extent = known_.Of(e);
      if (!extent || *extent < 1) return false;
      extents.push_back(*extent);
    }
    if (!MayBe(decl)) return false;
    int64_t objects = 1;
    for (int64_t extent : extents) objects *= extent;
    d.array = {Expr::Int(objects, d.span)};
    EachRef(decl, [&](Ref& ref) { Flatten(extents, ref); });
    return true;
  }

  // Whether it is surely one of 0 .. extent - 1.
  bool Fits(const Expr& e, int64_t extent) const {
    const std::optional<int64_t> number = known_.Of(e);
    if (number) return *number >= 0 && *number < extent;
    if (const Expr* let = positive_.LetOf(e)) return Fits(*let, extent);
    if (e.kind != ir::ExprKind::kBinary) return false;
    const std::optional<int64_t> by = known_.Of(e.args[1]);
    if (!by || *by < 0) return false;
    if (e.op == ExprOp::kBitAnd) return *by < extent;
    return e.op == ExprOp::kRem && *by <= extent &&
           positive_.IsNatural(e.args[0]);
  }

  // An index beyond its own dimension must not be one of another row.
  Expr Flat(Expr row, Expr index, int64_t extent) const {
    Expr flat = Binary(ExprOp::kAdd,
                       Binary(ExprOp::kMul, std::move(row), extent), index);
    if (Fits(index, extent)) return flat;
    Expr out;
    out.kind = ir::ExprKind::kSelect;
    out.span = flat.span;
    out.args = {Binary(ExprOp::kAnd, Binary(ExprOp::kGe, index, 0),
                       Binary(ExprOp::kLt, index, extent)),
                std::move(flat), Expr::Int(-1, index.span)};
    return out;
  }

  void Flatten(const std::vector<int64_t>& extents, Ref& ref) const {
    Expr index;
    size_t left = extents.size();
    for (auto& group : ref.groups) {
      while (left > 0 && !group.empty()) {
        const size_t dim = extents.size() - left--;
        Expr next = std::move(group.front().start);
        group.erase(group.begin());
        index = dim == 0
                    ? std::move(next)
                    : Flat(std::move(index), std::move(next), extents[dim]);
      }
    }
    std::erase_if(ref.groups, [](const auto& g) { return g.empty(); });
    Subscript flat;
    flat.start = std::move(index);
    ref.groups.insert(ref.groups.begin(), {std::move(flat)});
  }

  const KnownNumbers known_;
  const Positive positive_;
  ir::Kernel& kernel_;
};

}  // namespace

bool FlattenArrays(const ir::Overrides& defines, ir::Kernel& kernel) {
  return Flattener(defines, kernel).Run();
}

}  // namespace tilesim::checkers::sizes::partition
