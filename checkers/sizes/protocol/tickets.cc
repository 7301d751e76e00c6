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

// The dimensions in which it says where a CTA is, for certain: a, or a * extent
// of b + b. nullopt: it may say something else.
std::optional<std::array<bool, kDims>> DimsOf(const Symbolic& index,
                                              const Family& family) {
  if (index.known()) return std::array<bool, kDims>{};
  if (index.kind != Symbolic::Kind::kNumber) return std::nullopt;
  for (int a = 0; a < kDims; ++a) {
    std::array<bool, kDims> dims{};
    dims[a] = true;
    if (index.of == At(a)) return dims;
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

}  // namespace

std::optional<Polynomial> CountOf(const machine::Code& code,
                                  const TicketCounter& counter,
                                  const Family& family) {
  Family anywhere = Anywhere(family);
  SymbolicState symbolic(code, anywhere);
  machine::Cta first;
  machine::Who who(code.bound, first, 0);
  machine::State none;
  GridScalars scalars(code);
  for (const machine::Instr* set : scalars.sets())
    symbolic.Control(none, 0, *set, who);
  std::array<bool, kDims> told{};
  for (const auto& start : counter.WordIn(code).starts) {
    auto dims = DimsOf(symbolic.Evaluate(start.expr, 0, who), anywhere);
    if (!dims) return std::nullopt;
    for (int d = 0; d < kDims; ++d) told[d] |= (*dims)[d];
  }
  Polynomial count(1);
  for (int d = 0; d < kDims; ++d) {
    const Symbolic& extent = anywhere.grid[d];
    if (told[d]) continue;
    if (extent.kind != Symbolic::Kind::kNumber) return std::nullopt;
    count = count * extent.of;
  }
  return count;
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
