#include "checkers/sizes/protocol/tickets.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/proof/condition.h"
#include "checkers/run/grid_scalars.h"
#include "checkers/sizes/state/launch_shape.h"
#include "checkers/sizes/state/symbolic_state.h"
#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::protocol {
using algebra::NumberOf;
using algebra::Polynomial;
using algebra::Symbolic;
using run::GridScalars;
using run::Ticket;
using run::TicketCounter;
using state::Family;
using state::kAnywhere;
using state::kTicketDim;
using state::SymbolicState;

namespace {

constexpr int kDims = 3;

Polynomial At(int dim) { return Polynomial::Of(kAnywhere + dim); }

// Any CTA of the family's grids.
Family Anywhere(Family family) {
  for (int d = 0; d < kDims; ++d) family.cta[d] = At(d);
  return family;
}

// With two sizes as they are, not by their product.
Family ByFactors(Family family) {
  family.known.clear();
  return family;
}

// From the begin of the dimension or from its end, less or more a number.
bool IsPlaceIn(int dim, const Polynomial& index, const Family& family) {
  const auto extent = NumberOf(family.grid[dim]);
  if ((index - At(dim)).constant()) return true;
  return extent && (index + At(dim) - *extent).constant();
}

// The dimensions in which it says where a CTA is, for certain: a, or a * extent
// of b + b. nullopt: it may say something else.
std::optional<std::array<bool, kDims>> DimsOf(const Symbolic& index,
                                              const Family& family) {
  if (index.known()) return std::array<bool, kDims>{};
  if (index.kind != Symbolic::Kind::kNumber) return std::nullopt;
  for (int a = 0; a < kDims; ++a) {
    std::array<bool, kDims> dims{};
    dims[a] = true;
    if (IsPlaceIn(a, index.of, family)) return dims;
    for (int b = 0; b < kDims; ++b) {
      const auto extent = NumberOf(family.grid[b]);
      bool through = b != a && extent && index.of == At(a) * *extent + At(b);
      dims[b] |= through;
      if (through) return dims;
    }
  }
  return std::nullopt;
}

class Counter {
 public:
  Counter(const machine::Code& code, const Family& family)
      : code_(code),
        anywhere_(Anywhere(family)),
        grid_(state::GridOf(code, ByFactors(family))),
        symbolic_(code, anywhere_),
        who_(code.bound, first_, 0),
        scalars_(code) {
    machine::State none;
    for (const machine::Instr* set : scalars_.sets())
      symbolic_.Control(none, 0, *set, who_);
  }

  // An index more of the word. False: it may say anything.
  bool Add(const machine::CompiledExpr& index) {
    if (auto dims = DimsOf(symbolic_.Evaluate(index, 0, who_), anywhere_)) {
      for (int d = 0; d < kDims; ++d) told_[d].all |= (*dims)[d];
      return true;
    }
    std::optional<Part> part = PartOf(index, kMostLets);
    if (!part) return false;
    std::vector<Digits>& told = told_[part->dim].digits;
    if (std::find(told.begin(), told.end(), part->digits) == told.end())
      told.push_back(std::move(part->digits));
    return true;
  }

  std::optional<Polynomial> Count() {
    Polynomial count(1);
    for (int d = 0; d < kDims; ++d) {
      const std::optional<Polynomial> alike = Alike(d);
      if (!alike) return std::nullopt;
      count = count * *alike;
    }
    return count;
  }

 private:
  // x / low % (high / low) of a CTA's position x, or, without `high`, x / low.
  struct Digits {
    Polynomial low{1};
    std::optional<Polynomial> high;
    bool operator==(const Digits&) const = default;
  };
  struct Part {
    int dim = 0;
    Digits digits;
  };
  struct Told {
    bool all = false;
    std::vector<Digits> digits;
  };
  static constexpr int kMostLets = 8;  // of each other
  static constexpr size_t kMostDigits = 4;

  // How many positions in a dimension have one word.
  std::optional<Polynomial> Alike(int d) {
    Told& told = told_[d];
    if (told.all) return Polynomial(1);
    const auto extent =
        NumberOf(told.digits.empty() ? anywhere_.grid[d] : grid_[d]);
    if (!extent) return std::nullopt;
    if (told.digits.size() > kMostDigits) return std::nullopt;
    std::vector<size_t> order(told.digits.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      if (auto count = Untold(told.digits, order, *extent)) return count;
    } while (std::next_permutation(order.begin(), order.end()));
    return std::nullopt;
  }

  // docs/all_sizes.md 3.18. A number below `extent` is its digits, if each
  // place divides the next, and the last the extent. So there are as many with
  // the digits that are told as there are choices of the others.
  static std::optional<Polynomial> Untold(const std::vector<Digits>& told,
                                          const std::vector<size_t>& order,
                                          const Polynomial& extent) {
    std::optional<Polynomial> place = Polynomial(1), count = place;
    for (const size_t i : order) {
      if (!place) return std::nullopt;  // no digit is above all
      const auto skipped = told[i].low.DividedBy(*place);
      if (!skipped) return std::nullopt;
      count = *count * *skipped;
      // Of who has the last one, with fewer below it, there may be fewer.
      const bool all = *count == Polynomial(1) || told[i].high ||
                       extent.DividedBy(told[i].low);
      if (!all) return std::nullopt;
      place = told[i].high;
    }
    if (!place) return count;
    const auto rest = extent.DividedBy(*place);
    return rest ? std::optional(*count * *rest) : std::nullopt;
  }

  std::optional<Part> PartOf(const machine::CompiledExpr& index, int lets) {
    using Kind = machine::ExprInstr::Kind;
    if (index.constant || lets == 0) return std::nullopt;
    const auto* code = &code_.expr_code[index.begin];
    const int32_t size = index.end - index.begin;
    if (size == 1 && code[0].kind == Kind::kSlot) {
      for (const machine::Instr* set : scalars_.sets()) {
        if (set->a == code[0].index) return PartOf(set->expr, lets - 1);
      }
    }
    const auto first = static_cast<int32_t>(ir::Builtin::kCtaX);
    if (size == 1 && code[0].kind == Kind::kBuiltin && code[0].index >= first &&
        code[0].index < first + kDims)
      return Part{code[0].index - first, {}};
    const machine::ExprInstr& last = code[size - 1];
    machine::CompiledExpr left = index, right = index;
    Polynomial by(last.value);
    if (last.kind == Kind::kBinary) {
      left.end = right.begin = RightOperandOf(index);
      right.end = index.end - 1;
      const auto value = NumberOf(symbolic_.Evaluate(right, 0, who_));
      if (!value) return std::nullopt;
      by = *value;
    } else if (last.kind == Kind::kBinaryWith) {
      left.end = index.end - 1;
    } else {
      return std::nullopt;
    }
    if (left.begin >= left.end) return std::nullopt;
    // Of 0 it is asked elsewhere (5.6).
    if (!by.AtLeast(0).value_or(false) || SaysWhere(by)) return std::nullopt;
    std::optional<Part> out = PartOf(left, lets - 1);
    if (!out || !Divide(last.op, by, out->digits)) return std::nullopt;
    return out;
  }

  // Where it begins, in a sum, product or the like; the begin of all: it is not
  // known.
  int32_t RightOperandOf(const machine::CompiledExpr& all) const {
    using Kind = machine::ExprInstr::Kind;
    int wanted = 1;  // operands
    for (int32_t i = all.end - 2; i >= all.begin; --i) {
      switch (code_.expr_code[i].kind) {
        case Kind::kPush:
        case Kind::kSlot:
        case Kind::kBuiltin:
          if (--wanted == 0) return i;
          break;
        case Kind::kUnary:
        case Kind::kBinaryWith:
          break;
        case Kind::kBinary:
          ++wanted;
          break;
        default:
          return all.begin;
      }
    }
    return all.begin;
  }

  static bool SaysWhere(const Polynomial& p) {
    return p.Has(kAnywhere) || p.Has(kAnywhere + 1) || p.Has(kAnywhere + 2);
  }

  // Digits of digits (3.7): `by` divides their number, if that is known.
  static bool Divide(ir::ExprOp op, const Polynomial& by, Digits& digits) {
    const Polynomial place = digits.low * by;
    const bool divides = !digits.high || digits.high->DividedBy(place) ||
                         !proof::IsJudged(proof::Condition::kAllOfADigit);
    if (!divides) return false;
    if (op == ir::ExprOp::kDiv) {
      digits.low = place;
    } else if (op == ir::ExprOp::kRem) {
      digits.high = place;
    } else {
      return false;
    }
    return !place.bad();
  }

  const machine::Code& code_;
  const Family anywhere_;
  const std::array<Symbolic, kDims> grid_;
  SymbolicState symbolic_;
  machine::Cta first_;
  machine::Who who_;
  const GridScalars scalars_;
  std::array<Told, kDims> told_;
};

}  // namespace

std::optional<Polynomial> CountOf(const machine::Code& code,
                                  const TicketCounter& counter,
                                  const Family& family) {
  return CountOf(code, counter.WordIn(code), family);
}

std::optional<Polynomial> CountOf(const machine::Code& code,
                                  const machine::CompiledOperand& word,
                                  const Family& family) {
  Counter all(code, family);
  for (const auto& start : word.starts) {
    if (!all.Add(start.expr)) return std::nullopt;
  }
  return all.Count();
}

std::vector<Family> WithNumbers(const machine::Code& code, int64_t cluster,
                                const Family& family,
                                const std::optional<Polynomial>& at) {
  std::optional<TicketCounter> counter = TicketCounter::Of(code);
  if (!counter) return {family};
  auto count = CountOf(code, *counter, family);
  bool as_many = count && count->constant();
  std::vector<Family> out;
  for (const Ticket& ticket : counter->TicketsOf(cluster)) {
    Polynomial number(ticket.number);
    if (!as_many) number = at.value_or(Polynomial::Of(kAnywhere + kTicketDim));
    if (number.base() != ticket.number) continue;
    Family& one = out.emplace_back(family);
    one.ticket = ticket;
    one.number = number;
    one.count = count;
  }
  return out;
}

}  // namespace tilesim::checkers::sizes::protocol
