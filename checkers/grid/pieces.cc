#include "checkers/grid/pieces.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "checkers/grid/associated.h"
#include "checkers/grid/depends.h"
#include "checkers/grid/question.h"
#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
using solver::All;
using solver::Any;
using solver::Eq;
using solver::Ge;
using solver::Gt;
using solver::Le;
using solver::Lt;
using solver::Ne;
using solver::Not;

namespace {

using Cta = Question::Cta;

constexpr solver::Effort kEffort{.points = 2000, .refute_only = true};

// Everything that numbers are made of.
class Made {
 public:
  explicit Made(const Terms& terms) : terms_(terms) {}

  void Of(const Linear& l) {
    for (const auto& [v, c] : l.terms()) Of(v);
  }
  void Of(const Formula& f) {
    Of(f.linear);
    for (const Formula& part : f.parts) Of(part);
  }
  const std::set<Var>& all() const { return all_; }

 private:
  void Of(Var v) {
    if (!all_.insert(v).second) return;
    const Term& t = terms_[v];
    if (t.with) Of(*t.with);
    for (const Linear& argument : t.arguments) Of(argument);
    Of(t.definition);
  }

  const Terms& terms_;
  std::set<Var> all_;
};

// A function of the launch, the place in the grid and `others`: two threads
// that have the same of these have the same number.
class Functions {
 public:
  Functions(const Accesses& all, const std::set<Var>& others)
      : terms_(all.terms), known_(others) {
    for (const Linear& cta : all.cta) Know(cta);
  }

  bool Has(const Linear& l) const {
    return std::all_of(l.terms().begin(), l.terms().end(),
                       [&](const auto& term) { return Has(term.first); });
  }

 private:
  void Know(const Linear& l) {
    if (l.variable()) known_.insert(*l.variable());
  }
  bool Has(Var v) const {
    const Term& t = terms_[v];
    if (t.of_launch || known_.contains(v)) return true;
    return !t.arguments.empty() &&
           std::all_of(t.arguments.begin(), t.arguments.end(),
                       [&](const Linear& a) { return Has(a); });
  }

  const Terms& terms_;
  std::set<Var> known_;
};

// What says which iteration it is: the counter of a loop that has one.
const Linear& CounterOf(const Access::Iteration& t) {
  return t.counts ? t.counter : t.number;
}

class PieceReader {
 public:
  PieceReader(Accesses& all, const Access& a, size_t loop, size_t dim)
      : all_(all),
        t_(a.iterations[loop]),
        access_(a),
        loop_(loop),
        dim_(dim),
        counter_(*CounterOf(t_).variable()),
        before_(all, {}),
        inside_(all, {counter_}) {}

  std::vector<Piece> Read() {
    if (t_.counts && !(before_.Has(t_.low) && before_.Has(t_.high))) return {};
    for (const Linear& l : access_.start) Digits(l);
    return std::move(out_);
  }

 private:
  // Of c * tile + others, and of what quotients and remainders in it are of.
  void Digits(const Linear& l) {
    Number(l);
    for (const auto& [v, c] : l.terms()) {
      const Term& t = all_.terms[v];
      const auto& quotient = t.with ? all_.terms[*t.with].quotient : t.quotient;
      if (quotient && seen_.insert(quotient->of).second)
        Digits(Linear(quotient->of));
    }
  }

  // Where the counter has a multiple of c, the tile is what has multiples of c.
  void Number(const Linear& l) {
    int64_t by = 0;
    for (const auto& [v, c] : l.terms()) {
      if (v == counter_) by = c;
    }
    if (by <= 0) return;
    Linear tile;
    for (const auto& [v, c] : l.terms()) {
      const Linear of = Linear::Of(v);
      if (c % by == 0 && inside_.Has(of)) tile += of * (c / by);
    }
    const Linear others = tile - Linear::Of(counter_);
    if (before_.Has(others)) {
      const Linear begin = others + (t_.counts ? t_.low : Linear(0));
      if (IsOfCta(begin)) out_.push_back({loop_, dim_, tile, begin, 1, true});
    } else if (t_.counts) {
      ByUnits(tile);
    }
  }

  // The CTA begins in a tile.
  void ByUnits(const Linear& tile) {
    Made made(all_.terms);
    made.Of(tile);
    for (const Var v : made.all()) {
      const auto& q = all_.terms[v].quotient;
      if (q && all_.terms.OfLaunch(q->by) && before_.Has(q->of) &&
          IsOfCta(q->of))
        out_.push_back({loop_, dim_, tile, q->of, q->by, false});
    }
  }

  bool IsOfCta(const Linear& l) const {
    return Depends(all_.terms, l, {*all_.cta[dim_].variable()});
  }

  Accesses& all_;
  const Access::Iteration& t_;
  const Access& access_;
  const size_t loop_, dim_;
  const Var counter_;
  const Functions before_, inside_;
  std::set<Linear> seen_;
  std::vector<Piece> out_;
};

// With `value` in place of `v`, also in products.
Linear Put(Terms& terms, const Linear& l, Var v, const Linear& value) {
  Linear out = l.constant();
  for (const auto& [w, c] : l.terms()) {
    Linear now = Linear::Of(w);
    const std::vector<solver::Product> products = terms[w].products;
    for (const solver::Product& p : products) {
      if (p.value != now || !Depends(terms, now, {v})) continue;
      const Linear a = Put(terms, p.a, v, value);
      now = Associated(terms, a, Put(terms, p.b, v, value));
      break;
    }
    out += (w == v ? value : now) * c;
  }
  return terms.Usable(out);
}

// a * by, and that it is the sum of what each number in it is.
Linear Distributed(Terms& terms, const Linear& a, const Linear& by) {
  Linear out = terms.Multiply(a, by), sum = by * a.constant();
  for (const auto& [v, c] : a.terms())
    sum += terms.Multiply(Linear::Of(v), by) * c;
  if (out.variable() && out != sum) terms.Define(out, Eq(out, sum));
  return out;
}

// Numbers to reason with: what is divided where the line ends.
std::vector<Linear> EndsOf(Accesses& all, const Access& a, const Piece& piece,
                           const Linear& tiles) {
  Made made(all.terms);
  made.Of(piece.tile);
  made.Of(a.when);
  const Linear end = all.terms.Multiply(tiles, piece.per_tile);
  std::vector<Linear> out{Distributed(all.terms, piece.tile, piece.per_tile)};
  for (const Var v : made.all()) {
    const std::optional<Term::Quotient> q = all.terms[v].quotient;
    if (!q || q->by.is_constant() || !all.terms.OfLaunch(q->by)) continue;
    out.push_back(all.terms.Multiply(end, q->by));
    out.push_back(Put(all.terms, q->of, *all.cta[piece.dim].variable(),
                      all.grid[piece.dim] - 1));
  }
  return out;
}

// A question about an iteration of a CTA, the first, which has not tile n as it
// should; and about the one behind it: the next iteration, or the next CTA.
class Place {
 public:
  Place(const Accesses& all, const Access& a, const Piece& piece,
        const Linear& n, const Linear& tiles, const std::vector<Linear>& beside)
      : all_(all),
        a_(a),
        piece_(piece),
        counter_(CounterOf(a.iterations[piece.loop])),
        n_(n),
        beside_(beside),
        q_(all.terms) {
    q_.Require(all.launch, Cta::kFirst);
    q_.Require(Lt(n, tiles), Cta::kFirst);
    for (size_t d = 0; d < all.cta.size(); ++d) {
      if (d != piece.dim) Same(all.cta[d]);
    }
    Same(all.warp);
    Same(all.warpgroup);
    for (const Formula& scope : a.warps) q_.Require(scope, Cta::kFirst);
  }

  void Require(const Formula& f) { q_.Require(f, Cta::kFirst); }
  // The CTA begins at `place` or before, and the one behind it, if there is
  // one, behind it.
  void LastBefore(const Linear& place) {
    Require(Le(piece_.begin, place));
    const Linear next = Cta1() + 1;
    q_.Require(Any({Eq(next, q_.Of(all_.grid[piece_.dim], Cta::kFirst)),
                    All({Eq(q_.Of(all_.cta[piece_.dim], Cta::kSecond), next),
                         Gt(q_.Of(piece_.begin, Cta::kSecond),
                            q_.Of(place, Cta::kFirst))})}));
  }
  // It is the last iteration in which the tile is n or one before.
  void Last() { Require(Le(piece_.tile, n_)); }
  void BeforeANext() {
    Last();
    Same(all_.cta[piece_.dim]);
    q_.Require(
        Eq(q_.Of(counter_, Cta::kFirst) + 1, q_.Of(counter_, Cta::kSecond)));
    q_.Require(Gt(piece_.tile, n_), Cta::kSecond);
  }

  // The access is not made, or of another tile.
  bool MayFail() {
    Require(Any({Not(a_.when), Ne(piece_.tile, n_)}));
    return MayBe();
  }
  bool MayBe() {
    for (const Linear& l : beside_) q_.Of(l, Cta::kFirst);
    return q_.Answer(kEffort).answer != solver::Answer::kNone;
  }

 private:
  Linear Cta1() { return q_.Of(all_.cta[piece_.dim], Cta::kFirst); }
  void Same(const Linear& l) {
    q_.Require(Eq(q_.Of(l, Cta::kFirst), q_.Of(l, Cta::kSecond)));
  }

  const Accesses& all_;
  const Access& a_;
  const Piece& piece_;
  const Linear& counter_;
  const Linear n_;
  const std::vector<Linear>& beside_;
  Question q_;
};

// Of one access, and all tiles n.
class Line {
 public:
  Line(Accesses& all, const Access& a, const Piece& piece, const Linear& tiles)
      : all_(all),
        a_(a),
        piece_(piece),
        tiles_(tiles),
        t_(a.iterations[piece.loop]),
        n_(all.terms.New("", true, 0)),
        place_(all.terms.Multiply(n_, piece.per_tile)),
        beside_(EndsOf(all, a, piece, tiles)) {}

  bool HasEach() const {
    return CtaOfEach() &&
           (piece_.one_by_one ? HasEachTile() : GoesAround() && HasEachUnit());
  }

 private:
  Place Asked() const { return {all_, a_, piece_, n_, tiles_, beside_}; }

  // The first CTA begins at the begin of the line. So there is one that is the
  // last to begin at a place or before.
  bool CtaOfEach() const {
    Place first = Asked();
    first.Require(Eq(all_.cta[piece_.dim], 0));
    first.Require(Gt(piece_.begin, place_));
    return !first.MayBe();
  }

  bool HasEachTile() const {
    // It has no iteration n - begin. Where a condition goes before each: some
    // iteration up to that is none.
    Place none = Asked();
    none.LastBefore(n_);
    none.Require(t_.counts ? Ge(t_.low + (n_ - piece_.begin), t_.high)
                           : All({Le(piece_.tile, n_), Not(t_.goes)}));
    if (none.MayBe()) return false;
    Place other = Asked();
    other.LastBefore(n_);
    other.Require(Eq(piece_.tile, n_));
    return !other.MayFail();
  }

  // Whatever else keeps its threads from it: so each CTA has a first iteration.
  bool GoesAround() const {
    Place none = Asked();
    none.Require(Ge(t_.low, t_.high));
    return !none.MayBe();
  }

  // Of the iterations with tile n or one before the last has n: if another
  // follows, or none does.
  bool HasEachUnit() const {
    Place first = Asked();
    first.Require(All({Le(piece_.begin, place_), Eq(t_.counter, t_.low),
                       Gt(piece_.tile, n_)}));
    if (first.MayBe()) return false;
    Place next = Asked();
    next.Require(Le(piece_.begin, place_));
    next.BeforeANext();
    if (next.MayFail()) return false;
    Place last = Asked();
    last.LastBefore(place_);
    last.Last();
    last.Require(Ge(t_.counter + 1, t_.high));
    return !last.MayFail();
  }

  const Accesses& all_;
  const Access& a_;
  const Piece& piece_;
  const Linear& tiles_;
  const Access::Iteration& t_;
  const Linear n_, place_;
  const std::vector<Linear> beside_;
};

}  // namespace

std::vector<Piece> PiecesOf(Accesses& all, const Access& a) {
  std::vector<Piece> out;
  for (size_t i = 0; i < a.iterations.size(); ++i) {
    const Access::Iteration& t = a.iterations[i];
    if (t.counts && t.step != Linear(1)) continue;
    if (!CounterOf(t).variable()) continue;
    for (size_t d = 0; d < all.cta.size(); ++d) {
      if (all.grid[d] == Linear(1)) continue;
      for (Piece& p : PieceReader(all, a, i, d).Read())
        out.push_back(std::move(p));
    }
  }
  return out;
}

std::vector<Linear> NumbersOfTiles(const Accesses& all, const Access& a) {
  Made made(all.terms);
  for (const Linear& l : a.start) made.Of(l);
  made.Of(a.when);
  std::set<Linear> out;
  for (const Var v : made.all()) {
    if (all.terms[v].of_launch) out.insert(Linear::Of(v));
    for (const Linear& l : all.terms[v].arguments) {
      if (!l.is_constant() && all.terms.OfLaunch(l)) out.insert(l);
    }
  }
  return {out.begin(), out.end()};
}

bool HasOnly(Accesses& all, const Access& a, const Piece& piece,
             const Linear& tiles) {
  const std::vector<Linear> beside = EndsOf(all, a, piece, tiles);
  Question q(all.terms);
  q.Require(all.launch, Cta::kFirst);
  q.Require(a.when, Cta::kFirst);
  q.Require(Ge(piece.tile, tiles), Cta::kFirst);
  for (const Linear& l : beside) q.Of(l, Cta::kFirst);
  return q.Answer(kEffort).answer == solver::Answer::kNone;
}

// docs/all_sizes.md 5.11.
bool HasEach(Accesses& all, const Access& a, const Piece& piece,
             const Linear& tiles) {
  if (!proof::IsJudged(proof::Condition::kEachInAPiece)) return true;
  return Line(all, a, piece, tiles).HasEach();
}

}  // namespace tilesim::checkers::grid
