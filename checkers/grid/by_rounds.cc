#include "checkers/grid/by_rounds.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "checkers/grid/question.h"
#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
using solver::Answer;
using solver::Lt;
using solver::Not;

namespace {

using Cta = Question::Cta;

// Numbers of tiles that are tried for a loop. Each is two or three proofs.
constexpr size_t kMostTried = 12;

class Rounds {
 public:
  Rounds(Access& access, Access::Iteration& loop, Accesses& all, Tiles tiles)
      : a_(access), loop_(loop), all_(all), tiles_(tiles) {}

  void CountTiles() {
    Terms& t = all_.terms;
    if (!loop_.counts || loop_.low != Linear(0) || loop_.step != Linear(1) ||
        loop_.high.overflowed())
      return;
    for (size_t d = 0; d < all_.grid.size(); ++d) {
      if (!all_.cta[d].variable()) continue;
      if (Deals(all_.cta[d], all_.grid[d])) return;
      const int64_t of = all_.cluster_size[d];
      if (of > 1 && Deals(all_.cluster[d], t.Divide(all_.grid[d], of))) return;
    }
  }

 private:
  // Whether the round `number` is that of tile `first` + number * `by`, below a
  // number of tiles.
  bool Deals(const Linear& first, const Linear& by) {
    const Linear tile =
        all_.terms.Usable(first + all_.terms.Multiply(loop_.number, by));
    if (!all_.terms.OfLaunch(loop_.high)) {
      for (const Linear& tiles : TilesOf(loop_.high, first, by)) {
        if (Ends(first, by, tiles) && Says(Formula::True(), tile, tiles))
          return Is(first, by, tiles);
      }
    }
    return ByGuard(first, by, tile) ||
           (tiles_ == Tiles::kSome && BySome(first, by, tile));
  }

  bool ByGuard(const Linear& first, const Linear& by, const Linear& tile) {
    if (!a_.guarded || a_.guarded->once > 0) return false;
    std::vector<Formula>& guards = a_.guarded->guards;
    for (size_t i = 0; i < guards.size(); ++i) {
      for (const Linear& tiles : TilesOf(guards[i], tile)) {
        if (!Ends(first, by, tiles) || !Says(guards[i], tile, tiles)) continue;
        a_.guarded->when = solver::All({a_.guarded->when, guards[i]});
        guards.erase(guards.begin() + static_cast<std::ptrdiff_t>(i));
        loop_.guarded = true;
        return Is(first, by, tiles);
      }
    }
    return false;
  }

  // Of rounds without a tile what is stored is not counted.
  bool BySome(const Linear& first, const Linear& by, const Linear& tile) {
    for (const Linear& tiles : TilesOf(loop_.high, first, by)) {
      if (!Ends(first, by, tiles)) continue;
      a_.when = solver::All({a_.when, Lt(tile, tiles)});
      if (a_.guarded)
        a_.guarded->when = solver::All({a_.guarded->when, Lt(tile, tiles)});
      loop_.guarded = true;
      return Is(first, by, tiles);
    }
    return false;
  }

  // No round after the last has a tile.
  bool Ends(const Linear& first, const Linear& by, const Linear& tiles) {
    if (!proof::IsJudged(proof::Condition::kAllRounds)) return true;
    Terms& t = all_.terms;
    const Linear rounds = t.Max(0, loop_.high);
    return Never(Lt(t.Usable(first + t.Multiply(rounds, by)), tiles));
  }

  // Whether the guard holds in rounds that have a tile, and in no other.
  bool Says(const Formula& guard, const Linear& tile, const Linear& tiles) {
    if (!proof::IsJudged(proof::Condition::kThoseRounds)) return true;
    return Never(solver::All({guard, Lt(tiles - 1, tile)})) &&
           Never(solver::All({Not(guard), Lt(tile, tiles)}));
  }

  bool Is(const Linear& first, const Linear& by, const Linear& tiles) {
    loop_.low = first;
    loop_.step = by;
    loop_.high = tiles;
    return true;
  }

  // In no CTA of any launch.
  bool Never(const Formula& f) const {
    Question q(all_.terms);
    q.Require(all_.launch, Cta::kFirst);
    q.Require(f, Cta::kFirst);
    return q.Answer(kRefute).answer == Answer::kNone;
  }

  // --- numbers of tiles ------------------------------------------------------

  // What a number of rounds is made of, with the place of the CTA added back:
  // cdiv(T - cta.x, grid.x), cdiv(T, grid.x).
  std::vector<Linear> TilesOf(const Linear& rounds, const Linear& first,
                              const Linear& by) {
    seen_.clear();
    std::vector<Linear> parts;
    AddParts(rounds, parts);
    std::vector<Linear> out;
    for (const Linear& part : parts) {
      for (const Linear& with :
           {part + first, part + first - by, part - by, part}) {
        Add(with + 1, out);
        Add(with, out);
      }
    }
    return out;
  }

  // What the tile is compared with.
  std::vector<Linear> TilesOf(const Formula& guard, const Linear& tile) {
    std::vector<Linear> out;
    if (guard.kind == Formula::Kind::kGe) {
      Add(guard.linear + tile + 1, out);
      Add(guard.linear + tile, out);
    }
    for (const Formula& part : guard.parts) {
      for (const Linear& l : TilesOf(part, tile)) Add(l, out);
    }
    return out;
  }

  void Add(const Linear& tiles, std::vector<Linear>& out) const {
    const bool may = !tiles.overflowed() && !tiles.is_constant() &&
                     all_.terms.OfLaunch(tiles) && out.size() < kMostTried &&
                     std::find(out.begin(), out.end(), tiles) == out.end();
    if (may) out.push_back(tiles);
  }

  // Numbers that others are quotients, extremes and choices of.
  void AddParts(const Linear& l, std::vector<Linear>& out) {
    constexpr size_t kMost = 20;
    for (const auto& [v, c] : l.terms()) {
      if (!seen_.insert(v).second || out.size() > kMost) continue;
      const Term& term = all_.terms[v];
      std::vector<Linear> of = term.arguments;
      if (term.quotient) of = {term.quotient->of};
      for (const Linear& part : of) {
        out.push_back(part);
        AddParts(part, out);
      }
    }
  }

  Access& a_;
  Access::Iteration& loop_;
  Accesses& all_;
  const Tiles tiles_;
  std::set<Var> seen_;
};

}  // namespace

void CountTiles(Access& access, Accesses& all, Tiles tiles) {
  for (Access::Iteration& loop : access.iterations)
    Rounds(access, loop, all, tiles).CountTiles();
}

}  // namespace tilesim::checkers::grid
