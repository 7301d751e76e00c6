#include "checkers/sizes/protocol/tickets.h"

#include <array>
#include <optional>
#include <utility>

#include "checkers/run/grid_scalars.h"
#include "checkers/sizes/state/symbolic_state.h"
#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::protocol {
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

// From the begin of the dimension or from its end, less or more a number.
bool IsPlaceIn(int dim, const Polynomial& index, const Family& family) {
  const Symbolic& extent = family.grid[dim];
  if ((index - At(dim)).constant()) return true;
  return extent.kind == Symbolic::Kind::kNumber &&
         (index + At(dim) - extent.of).constant();
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
      const Symbolic& extent = family.grid[b];
      bool through = b != a && extent.kind == Symbolic::Kind::kNumber &&
                     index.of == At(a) * extent.of + At(b);
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
    const std::optional<Part> part = PartOf(index, kMostLets);
    if (!part) return false;
    Told& told = told_[part->dim];
    auto& by = part->quotient ? told.quotient_by : told.remainder_by;
    if (by && *by != part->by) return false;
    by = part->by;
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
  // Of a CTA's position: / by, or % by.
  struct Part {
    int dim = 0;
    bool quotient = false;
    Polynomial by;
  };
  struct Told {
    bool all = false;
    std::optional<Polynomial> quotient_by, remainder_by;
  };
  static constexpr int kMostLets = 8;  // of each other

  // How many positions in a dimension have one word. Those with one quotient by
  // n are n, those with one remainder m, of n m in all.
  std::optional<Polynomial> Alike(int d) {
    const Told& told = told_[d];
    if (told.all) return Polynomial(1);
    if (told.quotient_by && told.remainder_by)
      return *told.quotient_by == *told.remainder_by
                 ? std::optional(Polynomial(1))
                 : std::nullopt;
    const Symbolic& extent = anywhere_.grid[d];
    if (extent.kind != Symbolic::Kind::kNumber) return std::nullopt;
    const auto& by = told.quotient_by ? told.quotient_by : told.remainder_by;
    if (!by) return extent.of;
    const std::optional<Polynomial> times = Divided(extent.of, *by);
    return !times || told.remainder_by ? times : by;
  }

  // m of n m, where it is a number or scalar of the text, or two of these.
  std::optional<Polynomial> Divided(const Polynomial& all,
                                    const Polynomial& by) {
    if (by.constant()) return all.DividedBy(by.base());
    std::vector<Polynomial> factors{Polynomial(1)};
    for (const auto& [slot, value] : anywhere_.params) factors.push_back(value);
    for (const machine::Instr* set : scalars_.sets()) {
      const Symbolic value = symbolic_.Evaluate(set->expr, 0, who_);
      if (value.kind == Symbolic::Kind::kNumber && !value.of.bad())
        factors.push_back(value.of);
    }
    for (const Polynomial& a : factors) {
      for (const Polynomial& b : factors) {
        if (by * a * b == all) return a * b;
      }
    }
    return std::nullopt;
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
    const bool of_number = size == 2 && code[1].kind == Kind::kBinaryWith;
    const bool of_scalar = size == 3 && code[1].kind == Kind::kSlot &&
                           code[2].kind == Kind::kBinary;
    const auto first = static_cast<int32_t>(ir::Builtin::kCtaX);
    if ((!of_number && !of_scalar) || code[0].kind != Kind::kBuiltin ||
        code[0].index < first || code[0].index >= first + kDims)
      return std::nullopt;
    const ir::ExprOp op = code[size - 1].op;
    if (op != ir::ExprOp::kDiv && op != ir::ExprOp::kRem) return std::nullopt;
    Part out{code[0].index - first, op == ir::ExprOp::kDiv,
             Polynomial(code[1].value)};
    if (of_scalar) {
      machine::CompiledExpr by;
      by.constant = false;
      by.begin = index.begin + 1;
      by.end = index.begin + 2;
      const Symbolic value = symbolic_.Evaluate(by, 0, who_);
      if (value.kind != Symbolic::Kind::kNumber) return std::nullopt;
      out.by = value.of;
    }
    return out.by.AtLeast(1).value_or(false) ? std::optional(out)
                                             : std::nullopt;
  }

  const machine::Code& code_;
  const Family anywhere_;
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
  Counter all(code, family);
  for (const auto& start : counter.WordIn(code).starts) {
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
