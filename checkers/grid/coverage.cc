#include "checkers/grid/coverage.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/grid/additions.h"
#include "checkers/grid/associated.h"
#include "checkers/grid/by_rounds.h"
#include "checkers/grid/count.h"
#include "checkers/grid/depends.h"
#include "checkers/grid/entered.h"
#include "checkers/grid/growth.h"
#include "checkers/grid/in_turn.h"
#include "checkers/grid/in_units.h"
#include "checkers/grid/last_arriver.h"
#include "checkers/grid/launched_alike.h"
#include "checkers/grid/meetings.h"
#include "checkers/grid/pieces.h"
#include "checkers/grid/question.h"
#include "checkers/grid/some_ctas.h"
#include "checkers/grid/storing_warps.h"
#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
using solver::All;
using solver::Answer;
using solver::Eq;
using solver::Ge;
using solver::Lt;
using solver::Ne;

namespace {

using Cta = Question::Cta;

class Counter {
 public:
  Counter(const Accesses& accesses, const machine::Code& code,
          const Words& words, int32_t decl, Tiles tiles = Tiles::kInEach)
      : accesses_(accesses),
        all_(accesses),
        words_(words),
        decl_(decl),
        warps_(all_, code) {
    // What a CTA stores for clusters that it is handed, as in front of the loop
    // for itself, is counted there.
    std::set<size_t> later;
    if (accesses.asks_for_clusters)
      later = Continuations(accesses, words, decl);
    for_itself_ = !later.empty();
    all_.all.clear();
    for (size_t i = 0; i < accesses.all.size(); ++i) {
      const Access& a = accesses.all[i];
      if (a.decl == decl && a.write && !later.contains(i) &&
          words.MayExecute(Site::Of(*a.op, a.operand, a.write)))
        all_.all.push_back(a);
    }
    CountAdditions(code.kernel().decls[decl].zero, all_);
    for (Access& a : all_.all) {
      for (Access::Iteration& t : a.iterations) CountInUnits(t, all_.terms);
      CountTiles(a, all_, tiles);
    }
  }

  bool StoresAll() {
    if (all_.all.empty()) return false;
    cell_ = all_.all[0].extent;
    for (Access& a : all_.all) {
      if (!Unguarded(a)) return false;
      const bool for_itself = for_itself_ && !IsInLoopThatAsks(all_, a);
      if (all_.asks_for_clusters && !for_itself && !AsLaunched(all_, words_, a))
        return false;
      if (a.extent != cell_ || a.atomic != ir::Atomic::kNot ||
          !a.each_iteration || !InCells(a))
        return false;
      ByTheFirst(a);
    }
    return AsManyAsCells(Cells::kAre) && NoneMeet(all_, kRefute);
  }

  // docs/all_sizes.md 5.11. Conditions are as they are: what is counted is what
  // they let be made.
  bool StoresAllInPieces() {
    if (all_.all.empty() || all_.asks_for_clusters) return false;
    cell_ = all_.all[0].extent;
    for (Access& a : all_.all) {
      if (!a.guarded || a.extent != cell_ || a.atomic != ir::Atomic::kNot)
        return false;
      ChooseWarps(a);
      if (!InCells(a)) return false;
    }
    const Accesses as_read = all_;  // without what is added to reason with
    return InPieces() && NoneMeet(as_read, {});
  }

 private:
  static bool NoneMeet(const Accesses& all, const solver::Effort& effort) {
    // Of cells that lie behind the tensor, too: there may be more than needed.
    constexpr Within kCells = Within::kAnywhere;
    return MeetingsIn(all, {}, effort, kCells).empty() &&
           MeetingsInCluster(all, {}, nullptr, effort, kCells).empty();
  }

  bool InPieces() {
    const std::optional<Access> one = OneOfAll();
    if (!one) return false;
    for (const Piece& piece : PiecesOf(all_, *one)) {
      for (const Linear& tiles : NumbersOfTiles(all_, *one)) {
        piece_ = {piece, tiles};
        tiles_ = Lt(piece.tile, tiles);
        bounds_.clear();
        if (AsManyAsCells(Cells::kCover) && HasOnly(all_, *one, piece, tiles) &&
            AsManyAsCells(Cells::kAre) && HasEach(all_, *one, piece, tiles))
          return true;
      }
    }
    return false;
  }

  // Accesses under different conditions that are otherwise alike, as in two
  // branches, as one that is made where one of them is.
  std::optional<Access> OneOfAll() {
    Access out = all_.all[0];
    std::vector<Formula> when;
    for (const Access& a : all_.all) {
      const bool alike =
          a.start == out.start && a.warps == out.warps &&
          a.iterations.size() == out.iterations.size() &&
          std::equal(a.iterations.begin(), a.iterations.end(),
                     out.iterations.begin(), [](const auto& x, const auto& y) {
                       return x.number == y.number && x.loop == y.loop;
                     });
      if (!alike || !warps_.Places(a)) return std::nullopt;
      when.push_back(a.when);
    }
    out.when = solver::Any(std::move(when));
    return out;
  }

  // Where conditions keep it from being executed only as its box lies beyond
  // the tensor, it may be judged as if it were. Those that choose warps are as
  // scopes.
  bool Unguarded(Access& a) {
    if (a.each_iteration) return true;
    if (!a.guarded || a.atomic != ir::Atomic::kNot) return false;
    ChooseWarps(a);
    ByOneOfGroup(a);
    if (!HoldInside(a, Formula::True()) && !BySomeCtas(a) &&
        !InOneIteration(a) && !InTurn(a))
      return false;
    a.when = a.guarded->when;
    a.each_iteration = true;
    return true;
  }

  bool HoldInside(const Access& a, const Formula& ctas) const {
    std::vector<Formula> inside = {a.guarded->when, ctas};
    for (size_t d = 0; d < a.start.size(); ++d)
      inside.push_back(Lt(a.start[d], all_.tensors.at(decl_).shape[d]));
    for (const Formula& guard : a.guarded->guards) {
      if (!proof::IsJudged(proof::Condition::kGuardsInside)) break;
      if (!Never(solver::All(inside), solver::Not(guard))) return false;
    }
    return true;
  }

  // Those that are the first or last along a dimension of the grid, or in each
  // so many, make it; others may.
  bool BySomeCtas(Access& a) {
    if (ctas_.contains(&a)) return false;
    for (const SomeCtas& some : ChoicesOfCtas(all_)) {
      if (proof::IsJudged(proof::Condition::kThoseStore) &&
          !HoldInside(a, some.are))
        continue;
      a.guarded->when = solver::All({a.guarded->when, some.are});
      ctas_[&a] = some.ctas;
      return true;
    }
    return false;
  }

  // Of all CTAs along a dimension that have no say in where it is, the first:
  // what the others store besides need not be counted.
  void ByTheFirst(Access& a) {
    if (all_.asks_for_clusters) return;
    const auto [some, fresh] = ctas_.try_emplace(&a, all_.grid);
    for (size_t d = 0; d < all_.cta.size(); ++d) {
      const std::optional<Var> cta = all_.cta[d].variable();
      if (!cta || some->second[d] != all_.grid[d] || SaysWhere(*cta, a))
        continue;
      a.when = All({a.when, Eq(all_.cta[d], 0)});
      some->second[d] = 1;
    }
  }

  // Whether it has a say in the place, or in how often it is made.
  bool SaysWhere(Var cta, const Access& a) const {
    const auto says = [&](const Linear& l) {
      return Depends(all_.terms, l, {cta});
    };
    return std::any_of(a.start.begin(), a.start.end(), says) ||
           std::any_of(a.iterations.begin(), a.iterations.end(),
                       [&](const Access::Iteration& t) {
                         return says(t.number) || says(t.of) || says(t.low) ||
                                says(t.high) || says(t.step);
                       });
  }

  // The first or the last of a loop.
  bool InOneIteration(Access& a) {
    for (const Access::Iteration& t : a.iterations) {
      if (!t.counts || t.guarded || !AlwaysEntered(all_, t.loop)) continue;
      for (const Linear& number : {Linear(0), t.of - 1}) {
        const Formula is = Eq(t.number, number);
        if (!HoldInside(a, is)) continue;
        a.guarded->when = solver::All({a.guarded->when, is});
        in_one_[&a] = t.loop;
        return true;
      }
    }
    return false;
  }

  // By one of the units of warps in each. What is in turn is kept apart by what
  // lets it pass.
  bool InTurn(Access& a) {
    if (ctas_.contains(&a) || all_.asks_for_clusters) return false;
    const Turns split = TurnsOf(all_, *a.guarded);
    const std::vector<WarpUnit> units =
        UnitsOf(warps_.Executing(a), warps_.Needed(a));
    const Formula turn = All(split.turns);
    const auto together = [&](const WarpUnit& unit) {
      return StoreTogether(all_, a, turn, unit);
    };
    if (split.turns.empty() || !OneIsInTurn(all_, a, turn, units) ||
        !std::all_of(units.begin(), units.end(), together))
      return false;
    a.guarded = Access::Guarded{All({a.guarded->when, turn}), split.others, 0};
    in_turn_.insert(&a);
    return HoldInside(a, Formula::True());
  }

  void ChooseWarps(Access& a) {
    std::vector<Formula>& guards = a.guarded->guards;
    const auto of_cta = [&](const Formula& f) { return warps_.SaysMore(f); };
    a.guarded->once = static_cast<size_t>(std::count_if(
        guards.begin(), guards.begin() + static_cast<long>(a.guarded->once),
        of_cta));
    const auto chooses =
        std::stable_partition(guards.begin(), guards.end(), of_cta);
    a.warps.insert(a.warps.end(), chooses, guards.end());
    a.guarded->when =
        solver::All({a.guarded->when, solver::All({chooses, guards.end()})});
    guards.erase(chooses, guards.end());
  }

  // docs/all_sizes.md 5.10. What the last to count does is counted as what the
  // first of those that count in its word does. Conditions that stand in no
  // loop hold then: it was there. Those in a loop must be the same in all CTAs:
  // it is not the first that stores.
  void ByOneOfGroup(Access& a) {
    const Site site = Site::Of(*a.op, a.operand, a.write);
    const auto by = words_.by_last.find(site);
    std::vector<Formula>& guards = a.guarded->guards;
    const auto once = static_cast<std::ptrdiff_t>(a.guarded->once);
    const bool same_in_all = std::none_of(
        guards.begin() + once, guards.end(),
        [&](const auto& g) { return Depends(all_.terms, g, Places()); });
    if (by == words_.by_last.end() || once == 0 || !same_in_all) return;
    for (int64_t w : warps_.Executing(a)) {
      if ((by->second >> w & 1) == 0) return;
    }
    Access last = a;
    last.when = a.guarded->when;
    const auto of_words = CountTogether(accesses_, words_, last, all_.terms);
    if (!of_words) return;
    guards.erase(guards.begin(), guards.begin() + once);
    guards.insert(guards.begin(), of_words->counts);
    a.guarded->once = 1;
    a.guarded->when = solver::All({a.guarded->when, of_words->are});
    ctas_[&a] = of_words->ctas;
  }

  std::set<Var> Places() const {
    std::set<Var> out;
    for (const Linear& cta : all_.cta) {
      if (cta.variable()) out.insert(*cta.variable());
    }
    return out;
  }

  // Begins where a cell begins.
  bool InCells(const Access& a) {
    if (!proof::IsJudged(proof::Condition::kInCells)) return true;
    if (a.start.size() != all_.tensors.at(decl_).shape.size()) return false;
    for (size_t d = 0; d < a.start.size(); ++d) {
      if (!cell_[d].is_constant() || cell_[d].constant() < 1) return false;
      Linear rest = all_.terms.Remainder(a.start[d], cell_[d]);
      if (!Never(a.when, Lt(a.start[d], 0)) || !Never(a.when, Ne(rest, 0)))
        return false;
    }
    return true;
  }

  bool Covers(size_t d, const Linear& cells) {
    auto [known, fresh] = covers_.try_emplace({d, cells});
    if (!fresh) return known->second;
    const Linear end = cells * cell_[d].constant();
    return known->second =
               Never(Formula::True(), Lt(end, all_.tensors.at(decl_).shape[d]));
  }

  // Whether so many cells along a dimension are all that there are, or more,
  // and each store is in one of them.
  bool Bounds(size_t d, const Linear& cells) {
    auto [known, fresh] = bounds_.try_emplace({d, cells});
    if (!fresh) return known->second;
    const Linear end = cells * cell_[d].constant();
    bool all = Covers(d, cells);
    for (const Access& a : all_.all) {
      all = all && Never(All({a.when, tiles_}), Lt(end - 1, a.start[d]),
                         Rooms(a.start[d], end));
    }
    return known->second = all;
  }

  // Where a quotient of a number says where it begins, as the column of a tile
  // in a group of `by` rows: how large that number is where the tensor ends. Of
  // a product with a number that has a largest value: that with the value.
  std::vector<Linear> Rooms(const Linear& start, const Linear& end) {
    std::vector<Linear> out;
    for (const auto& [v, c] : start.terms()) {
      const std::vector<solver::Product> products = all_.terms[v].products;
      for (const solver::Product& p : products) {
        if (auto most = all_.terms.High(p.a))
          out.push_back(all_.terms.Multiply(p.b, *most));
        if (auto most = all_.terms.High(p.b))
          out.push_back(all_.terms.Multiply(p.a, *most));
      }
      if (c > 0) AddRoom(v, all_.terms.Divide(end, c), out);
    }
    return out;
  }

  // Of a quotient of a quotient, that of both.
  void AddRoom(Var v, const Linear& end, std::vector<Linear>& out) {
    const std::optional<Term::Quotient> q = all_.terms[v].quotient;
    if (!q || q->by.is_constant()) return;
    const Linear room = Associated(all_.terms, q->by, end);
    out.push_back(room);
    for (const auto& [inner, c] : q->of.terms()) {
      if (c == 1) AddRoom(inner, room, out);
    }
  }

  // In no CTA of any launch. `beside`: numbers to reason with.
  bool Never(const Formula& when, const Formula& f,
             const std::vector<Linear>& beside = {}) const {
    Question q(all_.terms);
    q.Require(all_.launch, Cta::kFirst);
    q.Require(when, Cta::kFirst);
    q.Require(f, Cta::kFirst);
    for (const Linear& l : beside) q.Of(l, Cta::kFirst);
    return q.Answer(kRefute).answer == Answer::kNone;
  }

  // --- counts ----------------------------------------------------------------

  // Of which it is asked that they cover the tensor, and that each store begins
  // in one.
  enum class Cells : uint8_t { kCover, kAre };

  bool AsManyAsCells(Cells cells) {
    if (!proof::IsJudged(proof::Condition::kAsManyAsCells)) return true;
    std::vector<Count> stores;
    for (const Access& a : all_.all) {
      if (piece_ && !stores.empty()) break;  // all as one
      std::optional<Count> n = ExecutionsOf(a);
      if (!n) return false;
      stores.push_back(*std::move(n));
    }
    const Count sum =
        SumOf(all_.terms, std::move(stores), DivisorsIn(all_.all[0]));
    return AreCells(sum, 0, cells);
  }

  // Whether they are as many as the cells of dimensions `d` and above: those of
  // each are a number of times one of the factors.
  bool AreCells(const Count& stores, size_t d, Cells cells) {
    if (d == cell_.size())
      return stores.factors.empty() && stores.constant == 1;
    for (const auto& [factor, others] : Products(stores.factors)) {
      for (int64_t k = 1; k <= stores.constant; ++k) {
        if (stores.constant % k != 0) continue;
        const Count rest{stores.constant / k, others};
        const Linear n = factor * k;
        const bool are = cells == Cells::kCover ? Covers(d, n) : Bounds(d, n);
        if (are && AreCells(rest, d + 1, cells)) return true;
      }
    }
    return false;
  }

  // 1, each factor and each two of them, and the factors that are left.
  using Taken = std::pair<Linear, std::vector<Linear>>;
  std::vector<Taken> Products(const std::vector<Linear>& factors) {
    std::vector<Taken> out = {{1, factors}};
    for (size_t i = 0; i < factors.size(); ++i) {
      std::vector<Linear> others = factors;
      others.erase(others.begin() + static_cast<long>(i));
      out.emplace_back(factors[i], others);
      for (size_t j = i; j < others.size(); ++j) {
        std::vector<Linear> rest = others;
        rest.erase(rest.begin() + static_cast<long>(j));
        out.emplace_back(all_.terms.Multiply(factors[i], others[j]), rest);
      }
    }
    return out;
  }

  // By all CTAs together.
  std::optional<Count> ExecutionsOf(const Access& a) {
    std::array<Linear, 3> ctas = all_.grid;  // of each dimension
    const auto some = ctas_.find(&a);
    if (some != ctas_.end()) ctas = some->second;
    const bool in_turn = in_turn_.contains(&a);
    auto dealt = std::find_if(a.iterations.begin(), a.iterations.end(),
                              [&](const Access::Iteration& t) {
                                return !in_turn && !IsInOne(a, t) &&
                                       !InPieces(a, t) &&
                                       DealtToWarps(a, t, ctas);
                              });
    const bool one = in_turn || dealt != a.iterations.end();
    std::optional<int64_t> by_warps = one ? 1 : warps_.Places(a);
    if (!by_warps) return std::nullopt;
    const std::vector<Linear> divisors = DivisorsIn(a);
    Count n{*by_warps, {}};
    for (const Access::Iteration& t : a.iterations) {
      if (IsInOne(a, t)) continue;
      if (InPieces(a, t)) {
        Linear& of_dim = ctas[piece_->first.dim];
        if (of_dim != all_.grid[piece_->first.dim]) return std::nullopt;
        of_dim = 1;
        n.Multiply(all_.terms, piece_->second, divisors);
        continue;
      }
      // A counter that goes up: else it is not known how often it goes around.
      // (A step may be a number of CTAs: there is one.)
      if (!t.counts || !Never(Formula::True(), Lt(t.step, 1), Ctas()))
        return std::nullopt;
      if (!t.guarded && all_.terms.OfLaunch(t.of)) {
        n.Multiply(all_.terms, t.of, divisors);
        continue;
      }
      std::optional<size_t> d = dealt != a.iterations.end() && &t == &*dealt
                                    ? DealtToWarps(a, t, ctas)
                                    : DealtOut(t, ctas);
      if (!d || !Never(Formula::True(), Lt(t.high, 0))) return std::nullopt;
      bool clusters = t.low == all_.cluster[*d] && t.low != all_.cta[*d];
      ctas[*d] = clusters ? all_.cluster_size[*d] : 1;
      n.Multiply(all_.terms, t.high, divisors);
    }
    for (const Linear& c : ctas) n.Multiply(all_.terms, c, divisors);
    return n;
  }

  bool IsInOne(const Access& a, const Access::Iteration& t) const {
    const auto at = in_one_.find(&a);
    return at != in_one_.end() && t.loop == at->second;
  }
  bool InPieces(const Access& a, const Access::Iteration& t) const {
    return piece_ && &t == &a.iterations[piece_->first.loop];
  }

  // By which the number of a tile is divided to say where it lies.
  std::vector<Linear> DivisorsIn(const Access& a) const {
    std::vector<Linear> out;
    for (const Linear& l : a.start) {
      for (const auto& [v, c] : l.terms()) {
        if (const auto& q = all_.terms[v].quotient) out.push_back(q->by);
      }
    }
    return out;
  }

  std::vector<Linear> Ctas() const {
    return {all_.cta.begin(), all_.cta.end()};
  }

  // The dimension of the grid whose CTAs, or clusters, have the numbers below
  // `high` by iterations.
  std::optional<size_t> DealtOut(const Access::Iteration& t,
                                 const std::array<Linear, 3>& ctas) {
    if (!all_.terms.OfLaunch(t.high)) return std::nullopt;
    for (size_t d = 0; d < 3; ++d) {
      bool each = ctas[d] == all_.grid[d];  // not dealt out before
      Linear clusters = all_.terms.Divide(all_.grid[d], all_.cluster_size[d]);
      // Steps of a number that fewer CTAs there are only if each has one.
      const bool by_grid = t.step == all_.grid[d] ||
                           all_.grid[d] == all_.terms.Min(t.step, t.high);
      if (each && t.low == all_.cta[d] && by_grid) return d;
      if (each && t.low == all_.cluster[d] && t.step == clusters) return d;
    }
    return std::nullopt;
  }

  // The same of `for t in cta.x * W + warp..high step grid.x * W`, where W
  // warps execute it, each by itself, or of `cta.x + warpgroup * grid.x` with
  // one warp of each of W groups, or all four together: a number below grid.x *
  // W is that of one warp, or group, of one CTA.
  std::optional<size_t> DealtToWarps(const Access& a,
                                     const Access::Iteration& t,
                                     const std::array<Linear, 3>& ctas) {
    if (!all_.warp.variable() || !all_.terms.OfLaunch(t.high))
      return std::nullopt;
    const std::vector<WarpUnit> units =
        UnitsOf(warps_.Executing(a), warps_.Needed(a));
    const auto n = static_cast<int64_t>(units.size());
    if (units.empty()) return std::nullopt;
    for (size_t d = 0; d < 3; ++d) {
      if (ctas[d] != all_.grid[d] || t.step != all_.grid[d] * n) continue;
      if (AreTurns(a, t.low, units, {all_.cta[d] * n, 1}) ||
          AreTurns(a, t.low, units, {all_.cta[d], all_.grid[d]}))
        return d;
    }
    return std::nullopt;
  }

  struct Turn {
    Linear first, by;
  };
  // Whether the units begin at `first`, `first` + `by` and so on, in any order,
  // and the warps of one store at one place.
  bool AreTurns(const Access& a, const Linear& low,
                const std::vector<WarpUnit>& units, const Turn& turn) {
    std::set<Linear> begins;
    for (const WarpUnit& unit : units) {
      std::set<Linear> of_unit;
      for (const int64_t w : unit) of_unit.insert(warps_.Of(w).Put(low));
      if (of_unit.size() != 1) return false;
      begins.insert(*of_unit.begin());
    }
    for (size_t i = 0; i < units.size(); ++i) {
      if (!begins.contains(turn.first + turn.by * static_cast<int64_t>(i)))
        return false;
    }
    return begins.size() == units.size() &&
           std::all_of(units.begin(), units.end(), [&](const WarpUnit& unit) {
             return StoreTogether(all_, a, Formula::True(), unit);
           });
  }

  const Accesses& accesses_;
  Accesses all_;  // less what does not store to it
  bool for_itself_ = false;
  const Words& words_;
  const int32_t decl_;
  StoringWarps warps_;
  // Of accesses that some CTAs make, and of which those are counted: how many
  // along each dimension.
  std::map<const Access*, std::array<Linear, 3>> ctas_;
  std::map<const Access*, const ir::Stmt*> in_one_;  // likewise of its loops
  std::set<const Access*> in_turn_;  // of which one unit of warps is counted
  std::vector<Linear> cell_;
  // Where each of so many tiles is that of a CTA in an iteration, and that no
  // other is.
  std::optional<std::pair<Piece, Linear>> piece_;
  Formula tiles_ = Formula::True();
  std::map<std::pair<size_t, Linear>, bool> covers_, bounds_;
};

}  // namespace

// docs/all_sizes.md 5.4: an injective map between finite sets of one size is
// onto.
bool StoresAll(const Accesses& accesses, const machine::Code& code,
               const Words& words, int32_t decl) {
  return Counter(accesses, code, words, decl).StoresAll() ||
         Counter(accesses, code, words, decl).StoresAllInPieces() ||
         Counter(accesses, code, words, decl, Tiles::kSome).StoresAll();
}

}  // namespace tilesim::checkers::grid
