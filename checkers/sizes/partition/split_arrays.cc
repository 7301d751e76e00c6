#include "checkers/sizes/partition/split_arrays.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Ref;
using ir::Stmt;
using ir::Subscript;

namespace {

// More parts than that are no rings.
constexpr size_t kMaxParts = 6;

// What an index may be, as far as the text says; `high` inclusive.
struct Range {
  int64_t low = 0, high = std::numeric_limits<int64_t>::max();

  bool one() const { return low == high; }
  bool bounded() const { return high != std::numeric_limits<int64_t>::max(); }
};

// Objects [first, first + count) of an array, by one of its indices.
struct Part {
  int64_t first = 0, count = 0;
  int32_t decl = -1;
};

// Ranges of indices: those of numbers that are never negative.
class Ranges {
 public:
  Ranges(const machine::Code& code, const ir::Kernel& kernel) : code_(code) {
    for (const ir::Constant& c : kernel.constants) {
      if (!c.is_let) constants_.insert(c.slot);
    }
    Lets(kernel.body);
  }

  std::optional<int64_t> Constant(const Expr& e) const {
    Range r = Of(e);
    return r.one() ? std::optional(r.low) : std::nullopt;
  }

  // Builtins alone.
  bool IsOfThreads(const Expr& e) const {
    return e.kind == ExprKind::kName &&
           (e.name_kind == ir::NameKind::kBuiltin ||
            of_threads_.contains(ir::SlotOf(e)));
  }

  Range Of(const Expr& e) const {
    if (e.kind == ExprKind::kInt) return {e.value, e.value};
    if (e.kind == ExprKind::kName) return OfName(e);
    if (e.kind != ExprKind::kBinary) return {};
    Range a = Of(e.args[0]), b = Of(e.args[1]);
    const bool finite = a.bounded() && b.bounded();
    constexpr int64_t kLarge = int64_t{1} << 30;
    const bool small = a.low < kLarge && b.low < kLarge &&
                       (!finite || (a.high < kLarge && b.high < kLarge));
    if (!small) return {};
    switch (e.op) {
      case ExprOp::kAdd:
        return finite ? Range{a.low + b.low, a.high + b.high}
                      : Range{a.low + b.low};
      case ExprOp::kMul:
        if (a.low < 0 || b.low < 0) return {};
        return finite ? Range{a.low * b.low, a.high * b.high}
                      : Range{a.low * b.low};
      case ExprOp::kRem:
        if (!b.one() || b.low <= 0) return {};
        return a.high < b.low ? a : Range{0, b.low - 1};
      case ExprOp::kBitAnd:
        return b.one() && b.low >= 0 ? Range{0, b.low} : Range{};
      default:
        return {};
    }
  }

 private:
  Range OfName(const Expr& e) const {
    const int32_t slot = ir::SlotOf(e);
    if (constants_.count(slot) != 0) {
      const auto& value = code_.bound.slots[slot];
      if (value && !value->is_float) return {value->number, value->number};
    }
    auto let = lets_.find(slot);
    return let == lets_.end() ? Range() : let->second;
  }

  void Lets(const ir::Block& block) {
    for (const Stmt& s : block) {
      if (s.kind == Stmt::Kind::kLet) lets_[s.slot] = Of(s.value);
      if (s.kind == Stmt::Kind::kLet && IsOfThreads(s.value))
        of_threads_.insert(s.slot);
      Lets(s.body);
      Lets(s.orelse);
    }
  }

  const machine::Code& code_;
  std::set<int32_t> constants_, of_threads_;
  std::map<int32_t, Range> lets_;
};

class Splitter {
 public:
  Splitter(const machine::Code& code, ir::Kernel& kernel)
      : kernel_(kernel), code_(code), ranges_(code, kernel) {}

  bool Split() {
    EachRef(kernel_.body, [&](const Ref& r) { Look(r); });
    for (const auto& [decl, found] : found_) {
      if (MayBeCut(decl)) Cut(decl, found);
    }
    if (parts_.empty()) return false;
    Rewrite(kernel_.body);
    return true;
  }

 private:
  // Of an index that is no constant: where its range begins, and ends.
  struct Found {
    std::set<int64_t> bounds;
    std::vector<Range> inside;  // no cut goes through these
    // Of two indices: whether one says which ring, beside another that moves.
    std::array<bool, 2> rings{};
  };

  template <typename F>
  static void EachRef(const ir::Block& block, F see) {
    for (const Stmt& s : block) {
      for (const ir::Operand& o :
           s.op ? s.op->operands : std::vector<ir::Operand>()) {
        if (o.kind == ir::Operand::Kind::kRef) see(o.ref);
      }
      EachRef(s.body, see);
      EachRef(s.orelse, see);
    }
  }

  static const Subscript* SubscriptOf(const Ref& ref, size_t n) {
    for (const auto& group : ref.groups) {
      if (n < group.size()) return &group[n];
      n -= group.size();
    }
    return nullptr;
  }

  size_t DimsOf(int32_t decl) const { return kernel_.decls[decl].array.size(); }
  int64_t ObjectsOf(int32_t decl) const {
    return code_.bound.decls[decl].objects;
  }

  bool MayBeCut(int32_t decl) const {
    const ir::Decl& d = kernel_.decls[decl];
    bool laid = d.at.has_value() ||
                std::any_of(kernel_.decls.begin(), kernel_.decls.end(),
                            [&](const ir::Decl& o) {
                              return o.at && o.at->base == d.name;
                            });
    bool ring =
        d.space == ir::Space::kMbarrier || d.space == ir::Space::kShared;
    return ring && !laid;
  }

  void Look(const Ref& ref) {
    if (ref.decl < 0 || DimsOf(ref.decl) < 1 || DimsOf(ref.decl) > 2) return;
    const Subscript* first = SubscriptOf(ref, 0);
    if (first == nullptr) return;
    Range range = ranges_.Of(first->start);
    Found& found = found_[ref.decl];
    if (DimsOf(ref.decl) == 2) {
      const Subscript* next = SubscriptOf(ref, 1);
      if (next == nullptr) return;
      const bool one = SaysWhich(first->start), other = SaysWhich(next->start);
      found.rings[0] |= one && !other;
      found.rings[1] |= other && !one;
      return;
    }
    const int64_t objects = ObjectsOf(ref.decl);
    bool all =
        range.low == 0 && (!range.bounded() || range.high >= objects - 1);
    if (range.one() || all) return;
    found.bounds.insert(range.low);
    if (!range.bounded()) return;
    found.bounds.insert(range.high + 1);
    found.inside.push_back(range);
  }

  // A number, or who executes: it stays as it is.
  bool SaysWhich(const Expr& e) const {
    return ranges_.Constant(e) || ranges_.IsOfThreads(e);
  }

  void Cut(int32_t decl, const Found& found) {
    const int64_t objects = ObjectsOf(decl);
    std::vector<Part> parts;
    if (DimsOf(decl) == 2) {
      if (!found.rings[0] && !found.rings[1]) return;
      const size_t dim = found.rings[0] ? 0 : 1;
      auto rings = ranges_.Constant(kernel_.decls[decl].array[dim]);
      if (!rings) return;
      for (int64_t i = 0; i < *rings; ++i) parts.push_back({i, 1, -1});
      if (parts.size() >= 2 && parts.size() <= kMaxParts) cut_by_[decl] = dim;
    } else {
      std::set<int64_t> cuts = found.bounds;
      cuts.insert({0, objects});
      for (const Range& r : found.inside)
        cuts.erase(cuts.upper_bound(r.low), cuts.lower_bound(r.high + 1));
      for (auto at = cuts.begin(); std::next(at) != cuts.end(); ++at)
        parts.push_back({*at, *std::next(at) - *at, -1});
      bool within = *cuts.begin() == 0 && *cuts.rbegin() == objects;
      if (!within) return;
    }
    if (parts.size() < 2 || parts.size() > kMaxParts) return;
    Declare(decl, parts);
    parts_[decl] = std::move(parts);
  }

  // The first keeps the declaration.
  void Declare(int32_t decl, std::vector<Part>& parts) {
    const ir::Decl whole = kernel_.decls[decl];
    const std::optional<size_t> by = DimOf(decl);
    for (size_t i = 0; i < parts.size(); ++i) {
      ir::Decl d = whole;
      d.array = {by ? whole.array[1 - *by] : Expr::Int(parts[i].count, d.span)};
      if (i > 0) d.name = ir::Cat(whole.name, "#", i);
      parts[i].decl =
          i == 0 ? decl : static_cast<int32_t>(kernel_.decls.size());
      if (by) cut_by_[parts[i].decl] = *by;
      if (i == 0) {
        kernel_.decls[decl] = std::move(d);
      } else {
        kernel_.decls.push_back(std::move(d));
      }
    }
  }

  void Rewrite(ir::Block& block) {
    for (Stmt& s : block) {
      Rewrite(s.body);
      Rewrite(s.orelse);
      if (s.op) s = ByParts(std::move(s), 0);
    }
  }

  // With each operand from `operand` on in one part: the case of each.
  Stmt ByParts(Stmt s, size_t operand) const {
    for (; operand < s.op->operands.size(); ++operand) {
      ir::Operand& o = s.op->operands[operand];
      auto parts = o.kind == ir::Operand::Kind::kRef ? parts_.find(o.ref.decl)
                                                     : parts_.end();
      if (parts == parts_.end()) continue;
      const Range range = ranges_.Of(IndexOf(o.ref).start);
      for (const Part& p : parts->second) {
        bool inside = range.low >= p.first && range.bounded() &&
                      range.high < p.first + p.count;
        if (!inside) continue;
        InPart(p, true, o.ref);
        return ByParts(std::move(s), operand + 1);
      }
      return Cases(s, operand, parts->second, 0);
    }
    return s;
  }

  Stmt Cases(const Stmt& s, size_t operand, const std::vector<Part>& parts,
             size_t part) const {
    const Part& p = parts[part];
    Stmt in = s;
    InPart(p, false, in.op->operands[operand].ref);
    in = ByParts(std::move(in), operand + 1);
    if (part + 1 == parts.size()) return in;
    Stmt out;
    out.kind = Stmt::Kind::kIf;
    out.span = s.span;
    out.value = Binary(ExprOp::kLt, IndexOf(s.op->operands[operand].ref).start,
                       p.first + p.count);
    out.body.push_back(std::move(in));
    out.orelse.push_back(Cases(s, operand, parts, part + 1));
    return out;
  }

  // The index that says which part.
  const Subscript& IndexOf(const Ref& ref) const {
    return *SubscriptOf(ref, DimOf(ref.decl).value_or(0));
  }

  // docs/all_sizes.md 3.10. `inside`: its range is. Else an index of no part
  // must be none of the last one; where it is taken off, that is what the other
  // index says.
  void InPart(const Part& p, bool inside, Ref& ref) const {
    const std::optional<size_t> dim = DimOf(ref.decl);
    ref.decl = p.decl;
    ref.name = kernel_.decls[p.decl].name;
    std::vector<Subscript*> all;
    for (auto& group : ref.groups) {
      for (Subscript& s : group) all.push_back(&s);
    }
    if (!dim) {
      all[0]->start = Less(all[0]->start, p.first);
      return;
    }
    const Expr index = all[*dim]->start;
    Expr& other = all[1 - *dim]->start;
    if (!inside && proof::IsJudged(proof::Condition::kOwnPart)) {
      Expr only;
      only.kind = ExprKind::kSelect;
      only.span = other.span;
      Expr none = Expr::Int(-1, other.span);
      only.args = {Binary(ExprOp::kEq, index, p.first), std::move(other),
                   std::move(none)};
      other = std::move(only);
    }
    TakeOff(*dim, ref);
  }

  static void TakeOff(size_t n, Ref& ref) {
    for (auto& group : ref.groups) {
      if (n < group.size()) {
        group.erase(group.begin() + static_cast<int64_t>(n));
        break;
      }
      n -= group.size();
    }
    std::erase_if(ref.groups, [](const auto& g) { return g.empty(); });
  }

  // Of two indices, which one the array is cut by.
  std::optional<size_t> DimOf(int32_t decl) const {
    auto by = cut_by_.find(decl);
    return by == cut_by_.end() ? std::nullopt : std::optional(by->second);
  }

  // STAGES + s less STAGES is s.
  Expr Less(Expr e, int64_t by) const {
    if (by == 0) return e;
    if (e.kind == ExprKind::kBinary && e.op == ExprOp::kAdd) {
      for (size_t i = 0; i < 2; ++i) {
        if (ranges_.Constant(e.args[i]) == by) return std::move(e.args[1 - i]);
      }
      if (!ranges_.Constant(e.args[0]) || !ranges_.Constant(e.args[1])) {
        // S + s + 1 less S + 1
        for (size_t i = 0; i < 2; ++i) {
          auto constant = ranges_.Constant(e.args[i]);
          if (!constant) continue;
          return Less(std::move(e.args[1 - i]), by - *constant);
        }
      }
    }
    return Binary(ExprOp::kSub, std::move(e), by);
  }

  ir::Kernel& kernel_;
  const machine::Code& code_;
  Ranges ranges_;
  std::map<int32_t, Found> found_;
  std::map<int32_t, std::vector<Part>> parts_;
  std::map<int32_t, size_t> cut_by_;
};

}  // namespace

bool SplitArrays(const machine::Code& code, ir::Kernel& kernel) {
  return Splitter(code, kernel).Split();
}

}  // namespace tilesim::checkers::sizes::partition
