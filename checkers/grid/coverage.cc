#include "checkers/grid/coverage.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/grid/growth.h"
#include "checkers/grid/meetings.h"
#include "checkers/grid/question.h"
#include "checkers/proof/condition.h"
#include "ir/warp.h"

namespace tilesim::checkers::grid {
using solver::Answer;
using solver::Lt;
using solver::Ne;

namespace {

using Cta = Question::Cta;

bool Mentions(const Formula& f, const std::vector<Var>& only) {
  for (const auto& [v, c] : f.linear.terms()) {
    if (std::find(only.begin(), only.end(), v) == only.end()) return true;
  }
  return std::any_of(f.parts.begin(), f.parts.end(),
                     [&](const Formula& p) { return Mentions(p, only); });
}

class Counter {
 public:
  Counter(const Accesses& accesses, const machine::Code& code,
          const Words& words, int32_t decl)
      : all_(accesses), code_(code), decl_(decl) {
    std::erase_if(all_.all, [&](const Access& a) {
      bool executed = !words.executed || words.executed->count(Site::Of(
                                             *a.op, a.operand, a.write)) != 0;
      return a.decl != decl || !a.write || !executed;
    });
  }

  bool StoresAll() {
    if (all_.all.empty()) return false;
    cell_ = all_.all[0].extent;
    for (const Access& a : all_.all) {
      if (a.extent != cell_ || a.atomic != ir::Atomic::kNot ||
          !a.each_iteration || !InCells(a))
        return false;
    }
    // Of cells that lie behind the tensor, too: there may be more than needed.
    constexpr Within kCells = Within::kAnywhere;
    return AsManyAsCells() && MeetingsIn(all_, {}, kEffort, kCells).empty() &&
           MeetingsInCluster(all_, {}, nullptr, kEffort, kCells).empty();
  }

 private:
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

  // Whether so many cells along a dimension are all that there are, or more,
  // and each store is in one of them.
  bool Bounds(size_t d, const Linear& cells) {
    auto [known, fresh] = bounds_.try_emplace({d, cells});
    if (!fresh) return known->second;
    const Linear end = cells * cell_[d].constant();
    bool all = Never(Formula::True(), Lt(end, all_.tensors.at(decl_).shape[d]));
    for (const Access& a : all_.all) {
      all =
          all && Never(a.when, Lt(end - 1, a.start[d]), Rooms(a.start[d], end));
    }
    return known->second = all;
  }

  // Where a quotient of a number says where it begins, as the column of a tile
  // in a group of `by` rows: how large that number is where the tensor ends.
  std::vector<Linear> Rooms(const Linear& start, const Linear& end) {
    std::vector<Linear> out;
    for (const auto& [v, c] : start.terms()) {
      const auto& quotient = all_.terms[v].quotient;
      if (!quotient || quotient->by.is_constant() || c < 1) continue;
      const Linear by = quotient->by;
      out.push_back(all_.terms.Multiply(by, all_.terms.Divide(end, c)));
    }
    return out;
  }

  // In no CTA of any launch. `beside`: numbers to reason with.
  bool Never(const Formula& when, const Formula& f,
             const std::vector<Linear>& beside = {}) const {
    Question q(all_.terms);
    q.Require(all_.launch, Cta::kFirst);
    q.Require(when, Cta::kFirst);
    q.Require(f, Cta::kFirst);
    for (const Linear& l : beside) q.Of(l, Cta::kFirst);
    return q.Answer(kEffort).answer == Answer::kNone;
  }

  // --- counts ----------------------------------------------------------------

  // A constant times numbers that depend on sizes.
  struct Count {
    int64_t constant = 1;
    std::vector<Linear> factors;

    void Multiply(const Terms& terms, const Linear& by) {
      if (by.is_constant()) {
        constant *= by.constant();
        return;
      }
      if (by.terms().size() == 1 && by.constant() == 0) {
        auto [v, c] = by.terms()[0];
        for (const solver::Product& p : terms[v].products) {
          if (p.value != Linear::Of(v)) continue;
          constant *= c;
          Multiply(terms, p.a);
          return Multiply(terms, p.b);
        }
        if (c > 1) {
          constant *= c;
          return factors.push_back(Linear::Of(v));
        }
      }
      factors.push_back(by);
    }
  };

  bool AsManyAsCells() {
    if (!proof::IsJudged(proof::Condition::kAsManyAsCells)) return true;
    std::optional<Count> stores;
    for (const Access& a : all_.all) {
      std::optional<Count> n = ExecutionsOf(a);
      if (!n) return false;
      std::sort(n->factors.begin(), n->factors.end());
      if (stores && stores->factors != n->factors) return false;
      if (stores) n->constant += stores->constant;
      stores = n;
    }
    return AreCells(*stores, 0);
  }

  // Whether they are as many as the cells of dimensions `d` and above: those of
  // each are a number of times one of the factors.
  bool AreCells(const Count& stores, size_t d) {
    if (d == cell_.size())
      return stores.factors.empty() && stores.constant == 1;
    for (size_t i = 0; i <= stores.factors.size(); ++i) {
      Count rest = stores;
      Linear factor = 1;
      if (i < stores.factors.size()) {
        factor = stores.factors[i];
        rest.factors.erase(rest.factors.begin() + static_cast<long>(i));
      }
      for (int64_t k = 1; k <= stores.constant; ++k) {
        if (stores.constant % k != 0) continue;
        rest.constant = stores.constant / k;
        if (Bounds(d, factor * k) && AreCells(rest, d + 1)) return true;
      }
    }
    return false;
  }

  // By all CTAs together.
  std::optional<Count> ExecutionsOf(const Access& a) {
    std::array<Linear, 3> ctas = all_.grid;  // of each dimension
    auto dealt = std::find_if(
        a.iterations.begin(), a.iterations.end(),
        [&](const Access::Iteration& t) { return DealtToWarps(a, t, ctas); });
    std::optional<int64_t> by_warps =
        dealt == a.iterations.end() ? PlacesByWarp(a) : 1;
    if (!by_warps) return std::nullopt;
    Count n{*by_warps, {}};
    for (const Access::Iteration& t : a.iterations) {
      // A counter that goes up: else it is not known how often it goes around.
      // (A step may be a number of CTAs: there is one.)
      if (!t.counts || !Never(Formula::True(), Lt(t.step, 1), Ctas()))
        return std::nullopt;
      if (all_.terms.OfLaunch(t.of)) {
        n.Multiply(all_.terms, t.of);
        continue;
      }
      std::optional<size_t> d = dealt != a.iterations.end() && &t == &*dealt
                                    ? DealtToWarps(a, t, ctas)
                                    : DealtOut(t, ctas);
      if (!d || !Never(Formula::True(), Lt(t.high, 0))) return std::nullopt;
      bool clusters = t.low == all_.cluster[*d] && t.low != all_.cta[*d];
      ctas[*d] = clusters ? all_.cluster_size[*d] : 1;
      n.Multiply(all_.terms, t.high);
    }
    for (const Linear& c : ctas) n.Multiply(all_.terms, c);
    return n;
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
      if (each && t.low == all_.cta[d] && t.step == all_.grid[d]) return d;
      if (each && t.low == all_.cluster[d] && t.step == clusters) return d;
    }
    return std::nullopt;
  }

  // The same of `for t in cta.x * W + warp..high step grid.x * W`, where W
  // warps execute it, each by itself: a number below grid.x * W is that of one
  // warp of one CTA.
  std::optional<size_t> DealtToWarps(const Access& a,
                                     const Access::Iteration& t,
                                     const std::array<Linear, 3>& ctas) {
    const std::optional<Var> warp = all_.warp.variable();
    if (!warp || !all_.terms.OfLaunch(t.high) || WarpsNeeded(a) != 1)
      return std::nullopt;
    const std::vector<int64_t> executing = Executing(a);
    if (executing.empty()) return std::nullopt;
    const int64_t first = executing.front();
    const auto warps = static_cast<int64_t>(executing.size());
    if (executing.back() - first + 1 != warps) return std::nullopt;
    for (size_t d = 0; d < 3; ++d) {
      bool each = ctas[d] == all_.grid[d] &&
                  t.low == all_.cta[d] * warps + all_.warp - first &&
                  t.step == all_.grid[d] * warps;
      if (each) return d;
    }
    return std::nullopt;
  }

  std::vector<Var> OfWarps() const {
    std::vector<Var> own;
    for (const Linear& l : {all_.warp, all_.warpgroup}) {
      if (l.variable()) own.push_back(*l.variable());
    }
    return own;
  }

  // Of variables, those of the place of warp w.
  std::vector<int64_t> ValuesOf(int64_t w) const {
    std::vector<int64_t> values(static_cast<size_t>(all_.terms.size()));
    for (Var v : OfWarps())
      values[v] = Linear::Of(v) == all_.warp ? w : w / ir::kWarpgroupWarps;
    return values;
  }

  // Warps of a CTA whose scopes let them pass; none: it is not known.
  std::vector<int64_t> Executing(const Access& a) const {
    const std::vector<Var> own = OfWarps();
    std::vector<int64_t> out;
    if (a.maybe_no_lane) return out;
    for (const Formula& f : a.warps) {
      if (Mentions(f, own)) return out;
    }
    for (int64_t w = 0; w < all_.warps; ++w) {
      const std::vector<int64_t> values = ValuesOf(w);
      if (std::all_of(a.warps.begin(), a.warps.end(), [&](const Formula& f) {
            return f.At(values).value_or(false);
          }))
        out.push_back(w);
    }
    return out;
  }

  // How many places the warps of a CTA store to at once. nullopt: it is not
  // known, or some of what is stored is held by warps that do not take part.
  std::optional<int64_t> PlacesByWarp(const Access& a) {
    const std::vector<Var> own = OfWarps();
    std::map<std::vector<int64_t>, int64_t> warps;  // by place
    for (int64_t w : Executing(a)) {
      const std::vector<int64_t> values = ValuesOf(w);
      std::vector<int64_t> place;
      for (const Linear& l : a.start) place.push_back(OfWarp(l, own, values));
      ++warps[place];
    }
    if (warps.empty() || !OnlyBy(a, own)) return std::nullopt;
    for (const auto& [place, n] : warps) {
      if (n < WarpsNeeded(a)) return std::nullopt;
    }
    return static_cast<int64_t>(warps.size());
  }

  static int64_t OfWarp(const Linear& l, const std::vector<Var>& own,
                        const std::vector<int64_t>& values) {
    int64_t out = 0;
    for (const auto& [v, c] : l.terms()) {
      if (std::find(own.begin(), own.end(), v) != own.end())
        out += c * values[v];
    }
    return out;
  }

  // Whether the place depends on the warp by its number and its group's alone.
  bool OnlyBy(const Access& a, const std::vector<Var>& own) const {
    Question q(all_.terms);
    for (const Linear& l : a.start) {
      Linear rest = l;
      for (const auto& [v, c] : l.terms()) {
        if (std::find(own.begin(), own.end(), v) != own.end())
          rest -= Linear::Of(v) * c;
      }
      q.Of(rest, Cta::kFirst);
    }
    return !q.Asked(all_.warp, Cta::kFirst);
  }

  // To have all of the registers that are stored.
  int64_t WarpsNeeded(const Access& a) const {
    for (const machine::CompiledOp& op : code_.ops) {
      if (op.op != a.op) continue;
      for (const machine::CompiledOperand& c : op.operands) {
        bool reg = c.kind == ir::OperandValue::Kind::kTile &&
                   c.fixed.tile.space == ir::Space::kReg;
        if (!reg) continue;
        if (a.some_lanes) return ir::kMaxWarps + 1;
        int64_t threads = code_.bound.decls[c.fixed.tile.decl].fragment.threads;
        return ir::WarpsOf(threads == 0 ? op.group_threads : threads);
      }
    }
    return 1;
  }

  static constexpr solver::Effort kEffort{.points = 200, .refute_only = true};

  Accesses all_;  // less what does not store to it
  const machine::Code& code_;
  const int32_t decl_;
  std::vector<Linear> cell_;
  std::map<std::pair<size_t, Linear>, bool> bounds_;
};

}  // namespace

// docs/all_sizes.md 5.4: an injective map between finite sets of one size is
// onto.
bool StoresAll(const Accesses& accesses, const machine::Code& code,
               const Words& words, int32_t decl) {
  return Counter(accesses, code, words, decl).StoresAll();
}

}  // namespace tilesim::checkers::grid
