#include "checkers/sizes/partition/division_strategy.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "checkers/sizes/protocol/tickets.h"
#include "checkers/sizes/state/symbols.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::partition {
using algebra::NumberOf;
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using induction::DivisionHint;
using protocol::CountOf;
using run::TicketCounter;
using state::Family;
using state::kAnywhere;
using state::kFactors;
using state::kPositions;
using state::kTicketDim;

namespace {

constexpr int64_t kMaxStride = 32;
// From here on, values below one that decides are not checked one by one.
constexpr int64_t kFar = 4;
// So many values of a parameter are few.
constexpr int64_t kFew = 16;
// What a fact says to be no more than that comes to an end.
constexpr int64_t kBounded = int64_t{1} << 20;

Division Into(SizeCells cells) { return {std::move(cells), false, "", false}; }
Division Unmerged() { return {{}, true, "", false}; }
Division GiveUp(std::string why) { return {{}, false, std::move(why), false}; }

bool Strides(const SizeCell& cell, Symbol symbol, int64_t steps) {
  return cell.axes.at(symbol).stride * steps <= kMaxStride;
}

// So that the grid is a number.
Division DivideByGrid(const SizeCell& cell, const Symbolic& grid,
                      const std::string& why) {
  if (auto cells = Cut(cell, grid.of, 1)) return Into(std::move(*cells));
  for (const auto& [monomial, c] : grid.of.terms()) {
    auto axis = cell.axes.find(monomial[0]);
    int64_t times = grid.by / std::gcd(c, grid.by);
    if (axis == cell.axes.end() || times == 1 || monomial.size() != 1) continue;
    if (!Strides(cell, axis->first, times)) break;
    return Into(Spread(cell, axis->first, times));
  }
  return GiveUp(why);
}

class Strategy {
 public:
  explicit Strategy(const Unproved& u)
      : cell_(u.cell),
        code_(u.code),
        family_(u.family),
        hint_(u.proof.hint),
        why_(u.proof.why),
        merged_(u.merged),
        blamed_(Blamed()) {}

  Division Choose() const {
    Division out = Chosen();
    if (!out.cells.empty() || out.unmerge) return out;
    // Before it is given up.
    Division by_value = Enumerated();
    return by_value.cells.empty() ? out : by_value;
  }

 private:
  Division Chosen() const {
    if (merged_ && (Blames(kFactors) || Blames(kFactors + 1)))
      return Unmerged();
    if (auto symbol = FewOf(hint_.step_of_sizes)) return ByValue(*symbol);
    if (OfAPlace() && HasUnbounded(hint_.step_of_sizes)) return GiveUp(why_);
    for (int d = 0; d < kTicketDim; ++d) {
      if (Blames(kAnywhere + d)) return ByPlace(d);
    }
    if (Blames(kAnywhere + kTicketDim)) return ByTicket();
    if (merged_ && blamed_ < 0) return Unmerged();
    if (blamed_ < 0) return Enumerated();
    return BySize();
  }

  bool Blames(Symbol symbol) const { return hint_.symbols.count(symbol) != 0; }

  // Of several, that of which one more makes the most of the number; -1: none
  // is of the cell.
  Symbol Blamed() const {
    Symbol out = -1;
    int64_t most = 0;
    for (Symbol s : hint_.symbols) {
      if (cell_.axes.count(s) == 0) continue;
      int64_t c = hint_.number ? std::abs(hint_.number->Coefficient(s)) : 0;
      if (c >= most) out = s;
      most = std::max(most, c);
    }
    return out;
  }

  // What of the cell makes the difference is not known: a parameter that has
  // few values is checked by each of them.
  Division Enumerated() const {
    for (const auto& [symbol, axis] : cell_.axes) {
      if (IsFew(symbol)) return ByValue(symbol);
    }
    return GiveUp(why_);
  }

  Division ByValue(Symbol symbol) const {
    Division out = DivideLowest(cell_, symbol, kFew, why_);
    out.by_value = true;
    return out;
  }

  bool IsFew(Symbol symbol) const {
    return cell_.facts.AtLeast0(Polynomial(kFew) - Polynomial::Of(symbol))
        .value_or(false);
  }

  // Of which the number has few values.
  std::optional<Symbol> FewOf(const Polynomial& number) const {
    for (const auto& [symbol, axis] : cell_.axes) {
      if (number.Has(symbol) && IsFew(symbol)) return symbol;
    }
    return std::nullopt;
  }

  // Whether where a CTA is in its grid has a say in the number.
  bool OfAPlace() const {
    bool out = false;
    for (int d = 0; d < kTicketDim; ++d) {
      for (Symbol s : {kAnywhere + d, kPositions + d})
        out |= Blames(s) || (hint_.number && hint_.number->Has(s));
    }
    return out;
  }

  // One more of a size is an iteration more in some grids and in some not:
  // there is no end to that, if grids are of any size.
  bool HasUnbounded(const Polynomial& step) const {
    return std::any_of(cell_.axes.begin(), cell_.axes.end(),
                       [&](const auto& axis) {
                         const Polynomial room =
                             Polynomial(kBounded) - Polynomial::Of(axis.first);
                         return step.Has(axis.first) &&
                                !cell_.facts.AtLeast0(room).value_or(false);
                       });
  }

  Division BySize() const {
    const auto& [number, step, of_sizes, symbols, values, stride, product] =
        hint_;
    bool spread = stride && stride->symbol == blamed_ &&
                  Strides(cell_, blamed_, stride->steps);
    bool several = number && number->terms().size() > 1;
    auto counted = number && (several || (stride && !spread))
                       ? Counted(cell_, *number, step)
                       : std::nullopt;
    if (counted) return Into({std::move(*counted)});
    if (spread) return Into(Spread(cell_, blamed_, stride->steps));
    auto cut = number ? Cut(cell_, *number, kFar) : std::nullopt;
    if (cut) return Into(std::move(*cut));
    // Loops by other steps come to an end by their lowest numbers of turns.
    const bool by_one = step == 1 && of_sizes.constant() && OfAPlace();
    auto compared = number ? Compared(cell_, *number, by_one) : std::nullopt;
    if (compared) return Into(std::move(*compared));
    return DivideLowest(cell_, blamed_, values, why_);
  }

  // Which clusters they are decides something.
  Division ByPlace(int d) const {
    const Symbolic& extent = family_.grid[d];
    // Such a grid is as large as it takes or as it is, and any of its clusters
    // is handed out.
    if (cell_.handed_out && (!extent.known() || cell_.loose.empty()))
      return GiveUp(
          "which cluster it works for decides, and cluster launch control "
          "hands out any");
    bool by_factor = extent.of.Has(kFactors) || extent.of.Has(kFactors + 1);
    if (merged_ && by_factor) return Unmerged();
    std::optional<Polynomial> grid = NumberOf(extent);
    if (!grid) return DivideByGrid(cell_, extent, why_);
    auto clusters = grid->DividedBy(code_.bound.cluster[d]);
    if (!clusters) return GiveUp(why_);
    bool from_last =
        hint_.number && hint_.number->Coefficient(kAnywhere + d) < 0;
    SizeCell placed = Placed(cell_, d, *clusters, from_last);
    if (from_last && !CanPart(placed, d)) {
      SizeCell from_first = Placed(cell_, d, *clusters, false);
      if (CanPart(from_first, d)) placed = std::move(from_first);
    }
    return AtParting(std::move(placed), d);
  }

  // Whether the cell can be divided by the sign of the number then: of a grid
  // of HQ + 2 * HK, how far from the last HQ is has HK twice.
  bool CanPart(const SizeCell& placed, int d) const {
    const Polynomial number =
        hint_.number->Replace(kAnywhere + d, placed.positions[d]->at);
    return number.Varying().terms().size() < 2 ||
           Compared(placed, number, false).has_value();
  }

  // What they part at is known already.
  Division AtParting(SizeCell placed, int d) const {
    std::optional<Polynomial> number = hint_.number;
    if (number)
      number = number->Replace(kAnywhere + d, placed.positions[d]->at);
    Symbol symbol = kPositions + d;
    bool parts = number && number->Varying().terms().size() == 1 &&
                 number->Has(symbol) && !placed.facts.AtLeast0(*number);
    if (!parts) return Into({std::move(placed)});
    auto cut = Cut(placed, *number, kFar);
    return Into(cut ? std::move(*cut) : Lowest(placed, symbol, 1));
  }

  // Which number they draw does. What is compared with a size is, as a rule,
  // how far it is from the last.
  Division ByTicket() const {
    if (merged_) return Unmerged();
    auto count = CountOf(code_, *TicketCounter::Of(code_), family_);
    bool from_last = hint_.number && hint_.number->terms().size() > 1;
    return Into({Placed(cell_, kTicketDim, *count, from_last)});
  }

  const SizeCell& cell_;
  const machine::Code& code_;
  const Family& family_;
  const DivisionHint& hint_;
  const std::string& why_;
  bool merged_;
  Symbol blamed_;
};

}  // namespace

Division Divide(const Unproved& unproved) {
  return Strategy(unproved).Choose();
}

Division DivideLowest(const SizeCell& cell, Symbol symbol, int64_t values,
                      const std::string& why) {
  const Axis& axis = cell.axes.at(symbol);
  int64_t room = (kMaxSteps - axis.steps) / axis.stride;
  if (room < 1)
    return GiveUp(ir::Cat("more and more sizes of `", axis.name,
                          "` had to be told apart, without end: ", why));
  return Into(Lowest(cell, symbol, std::min(values, room)));
}

}  // namespace tilesim::checkers::sizes::partition
