#include "checkers/solver/solver.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "checkers/proof/condition.h"
#include "checkers/solver/bounds.h"
#include "checkers/solver/consequences.h"
#include "checkers/solver/missing_products.h"
#include "checkers/solver/node.h"
#include "checkers/solver/products.h"

namespace tilesim::checkers::solver {
namespace {

// kNone: because of those decisions.
struct Outcome {
  Point point;
  Decisions because;
};

Outcome Refuted(Decisions because) {
  return {{Answer::kNone, {}}, std::move(because)};
}
Outcome Unknown() { return {}; }

Decisions Only(int decision) {
  Decisions out;
  out.set(static_cast<size_t>(decision));
  return out;
}

class Search {
 public:
  enum class For : uint8_t {
    // A proof that there is no point, by linear arithmetic with the products of
    // facts by factors; products need not grow.
    kLinearProof,
    // A proof that there is none: where products grow as they should, it is not
    // found.
    kProof,
    kPoint,
  };

  Search(Problem problem, const Effort& effort, For what)
      : problem_(std::move(problem)),
        for_(what),
        points_(effort.operations),
        points_left_(effort.points) {}

  Point Run() {
    Node root;
    for (const Formula& f : problem_.formulas) {
      if (!root.Add(f, 0)) return {Answer::kNone, {}};
    }
    Bounds bounds(problem_.variables);
    if (!Bounded(root, Decisions().set(), bounds)) return {Answer::kNone, {}};
    consequences_.emplace(problem_, bounds);
    consequences_->AddTo(root, 0);
    if (!TakeForced(root)) return {Answer::kNone, {}};
    CloseUnderCongruence(root);
    if (for_ == For::kLinearProof &&
        AddMissingProducts(bounds, root, problem_)) {
      // The bounds and the points until here are of fewer variables.
      Bounds of_all(problem_.variables);
      if (!Bounded(root, Decisions().set(), of_all)) return {Answer::kNone, {}};
      consequences_.emplace(problem_, of_all);
      found_.clear();
    }
    consequences_->AddTo(root, 0);
    if (for_ == For::kLinearProof) return Explore(std::move(root)).point;
    Outcome out = Explore(root);
    if (!restart_) return std::move(out.point);
    restart_ = false;
    Probe(root);
    return Explore(std::move(root)).point;
  }

 private:
  Outcome Explore(Node node) {
    if (node.depth == kMaxDepth) return Unknown();
    Bounds bounds(problem_.variables);
    if (!Bounded(node, Decisions().set(), bounds)) return Refuted(Core(node));
    if (auto forced = Forced(node, bounds)) return Divide(node, *forced);
    Outcome found = PointOf(node);
    Point& at = found.point;
    if (at.answer == Answer::kNone) return Refuted(found.because);
    if (at.answer == Answer::kUnknown) return Unknown();
    std::optional<Choice> wrong = ViolatedChoice(node, bounds, at.values);
    if (wrong) return Divide(node, *wrong);
    if (for_ == For::kLinearProof) {
      if (AddOrder(node, at.values)) return Explore(std::move(node));
      return ByFactor(node, bounds, at.values);
    }
    // What quotients are for all alternatives is sought once, at the root.
    if (!root_probed_ && !problem_.quotients.empty()) {
      root_probed_ = restart_ = true;
      return Unknown();
    }
    if (node.depth > 0 && node.probed == 0 && Probe(node)) {
      node.probed = node.depth;
      return Explore(std::move(node));
    }
    std::optional<Formula> lemma = Narrowest(node, bounds, at.values);
    ++node.compared;
    if (!lemma && for_ != For::kPoint) {
      points_left_ = 0;
      return Unknown();
    }
    if (!lemma) lemma = products_.ViolatedProduct(at.values);
    if (!lemma) lemma = ViolatedCongruence(at.values);
    if (!lemma) return {Complete(at), {}};
    return Divide(node, {*lemma, 0});
  }

  // Adds what the root's choices come to where bounds leave one alternative.
  // False: they leave none.
  bool TakeForced(Node& root) const {
    for (bool more = true; more;) {
      more = false;
      Bounds bounds(problem_.variables);
      if (!Bounded(root, Decisions().set(), bounds)) return false;
      for (size_t i = root.choices.size(); i-- > 0;) {
        if (MayHold(root.choices[i].formula, bounds) > 1) continue;
        more = true;
        const Formula choice = Taken(root, i).formula;
        auto one =
            std::find_if(choice.parts.begin(), choice.parts.end(),
                         [&](const Formula& f) { return bounds.MayHold(f); });
        if (one == choice.parts.end() || !root.Add(*one, 0)) return false;
      }
    }
    return true;
  }

  // --- congruence ------------------------------------------------------------

  // Adds what functions of equal arguments are: as a rule all that is needed of
  // a function, and without a division.
  // docs/all_sizes.md 6.8.
  void CloseUnderCongruence(Node& root) {
    std::vector<const Congruence*> open;
    for (const Congruence& c : problem_.congruences) open.push_back(&c);
    for (bool more = true; more;) {
      size_t before = open.size();
      std::erase_if(open, [&](const Congruence* c) {
        bool equal =
            std::all_of(c->zero.begin(), c->zero.end(),
                        [&](const Linear& l) { return IsZero(root, l); }) ||
            !proof::IsJudged(proof::Condition::kEqualArguments);
        if (equal) AddZero(root, c->difference);
        return equal;
      });
      more = open.size() < before;
    }
  }

  void AddZero(Node& root, const Linear& l) {
    root.facts.push_back({l, true, 0});
  }

  // Whether the facts of the root leave it no other value.
  bool IsZero(Node& root, const Linear& l) {
    if (l.is_constant()) return l.constant() == 0;
    for (const Linear& side : {l - 1, -l - 1}) {
      if (MayBe(root, {side})) return false;
    }
    AddZero(root, l);
    return true;
  }

  // --- what is known of a node ----------------------------------------------

  // With the facts of those decisions. False: they contradict each other.
  static bool Bounded(const Node& node, const Decisions& kept, Bounds& bounds) {
    constexpr int kRounds = 8;  // bounds may creep for ever
    for (int round = 0; round < kRounds; ++round) {
      for (const Fact& f : node.facts) {
        if (!kept[static_cast<size_t>(f.decision)]) continue;
        if (!(f.zero ? bounds.Zero(f.linear) : bounds.Natural(f.linear)))
          return false;
      }
      if (!bounds.TakeChanged()) break;
    }
    return true;
  }

  // A point of the node in which `more` holds as well. One that was found
  // elsewhere may do; what it does not satisfy is mostly of the last facts.
  Outcome PointOf(Node& node, std::span<const Fact> more = {}) {
    for (const std::vector<int64_t>& point : found_) {
      auto at = [&](const Fact& f) { return f.At(point); };
      if (std::all_of(more.begin(), more.end(), at) &&
          std::all_of(node.facts.rbegin(), node.facts.rend(), at))
        return {{Answer::kSome, point}, {}};
    }
    if (points_left_-- <= 0) return {};
    Outcome out = more.empty() ? AtVertex(node, node.ToldAll())
                               : AtVertex(node, With(node.ToldAll(), more));
    if (out.point.answer == Answer::kUnknown) {
      out.point = IntegerPoint(node, more);
      out.because.set();
    }
    if (out.point.answer == Answer::kSome) found_.push_back(out.point.values);
    return out;
  }

  static Simplex With(Simplex simplex, std::span<const Fact> more) {
    for (const Fact& f : more) simplex.Add(f.linear, f.zero, f.decision);
    return simplex;
  }

  // What rational arithmetic says.
  Outcome AtVertex(const Node& node, const Simplex& simplex) const {
    if (simplex.state() == Simplex::State::kTooLarge) return {};
    if (simplex.state() == Simplex::State::kNone) {
      Outcome out{{Answer::kNone, {}}, Assumed(node)};
      for (int d : simplex.Because()) out.because.set(static_cast<size_t>(d));
      return out;
    }
    if (auto values = simplex.Integers(problem_.variables))
      return {{Answer::kSome, std::move(*values)}, {}};
    Outcome out{AfterCuts(simplex), {}};
    out.because.set();  // which ones took part in cuts is not followed
    return out;
  }

  Point AfterCuts(Simplex simplex) const {
    for (int cuts = 0; cuts < kMostCuts && simplex.Cut(); ++cuts) {
      if (simplex.state() == Simplex::State::kNone) return {Answer::kNone, {}};
      if (simplex.state() == Simplex::State::kTooLarge) break;
      if (auto values = simplex.Integers(problem_.variables))
        return {Answer::kSome, std::move(*values)};
    }
    return {};
  }

  Point IntegerPoint(const Node& node, std::span<const Fact> more) {
    Polyhedron p;
    for (std::span<const Fact> facts : {std::span(node.facts), more}) {
      for (const Fact& f : facts)
        (f.zero ? p.zero : p.natural).push_back(f.linear);
    }
    return points_.Find(std::move(p), problem_.variables);
  }

  // Decisions on which facts of a node rest that tell another one: none, and
  // those before what was added by comparing quotients.
  static Decisions Assumed(const Node& node) {
    Decisions out = Only(0);
    for (int d = 1; d <= node.probed; ++d) out.set(static_cast<size_t>(d));
    return out;
  }

  // Decisions whose facts contradict each other by their bounds. The last one
  // is among them: without it there was no contradiction.
  Decisions Core(const Node& node) const {
    std::vector<int> open;
    for (int d = 1; d < node.depth; ++d) open.push_back(d);
    Decisions core = Assumed(node) | Only(node.depth);
    AddNeeded(node, open, true, core);
    return core;
  }

  // Adds those of `open` that are needed beside the core (QuickXplain).
  // `changed`: the core has grown since it was tested.
  void AddNeeded(const Node& node, std::span<const int> open, bool changed,
                 Decisions& core) const {
    Bounds bounds(problem_.variables);
    if (open.empty() || (changed && !Bounded(node, core, bounds))) return;
    if (open.size() == 1) {
      core.set(static_cast<size_t>(open[0]));
      return;
    }
    std::span<const int> first = open.first(open.size() / 2);
    std::span<const int> second = open.subspan(first.size());
    Decisions tried = core;
    for (int d : second) tried.set(static_cast<size_t>(d));
    Decisions before = tried;
    AddNeeded(node, first, true, tried);
    Decisions found = tried & ~before;
    core |= found;
    AddNeeded(node, second, found.any(), core);
  }

  // --- division --------------------------------------------------------------

  static int MayHold(const Formula& choice, const Bounds& bounds) {
    return static_cast<int>(
        std::count_if(choice.parts.begin(), choice.parts.end(),
                      [&](const Formula& f) { return bounds.MayHold(f); }));
  }

  static Choice Taken(Node& node, size_t at) {
    Choice out = std::move(node.choices[at]);
    node.choices.erase(node.choices.begin() + static_cast<std::ptrdiff_t>(at));
    return out;
  }

  // A choice that is none, by the bounds.
  static std::optional<Choice> Forced(Node& node, const Bounds& bounds) {
    for (size_t i = 0; i < node.choices.size(); ++i) {
      if (MayHold(node.choices[i].formula, bounds) <= 1) return Taken(node, i);
    }
    return std::nullopt;
  }

  // Of the choices that are asked for, the one that leaves the fewest
  // alternatives.
  template <typename F>
  static std::optional<Choice> Fewest(Node& node, const Bounds& bounds, F is) {
    std::optional<size_t> best;
    int fewest = 0;
    for (size_t i = 0; i < node.choices.size(); ++i) {
      const Formula& f = node.choices[i].formula;
      if (!is(f)) continue;
      int left = MayHold(f, bounds);
      if (best && left >= fewest) continue;
      best = i;
      fewest = left;
    }
    return best ? std::optional(Taken(node, *best)) : std::nullopt;
  }

  static std::optional<Choice> ViolatedChoice(Node& node, const Bounds& bounds,
                                              std::span<const int64_t> at) {
    return Fewest(node, bounds,
                  [&](const Formula& f) { return !f.At(at).value_or(false); });
  }

  // Adds which of two numbers is the larger, where the facts imply it and the
  // point has their products with one factor the other way round: as a fact it
  // is multiplied. False: nothing is added.
  bool AddOrder(Node& node, std::span<const int64_t> at) {
    const size_t before = node.facts.size();
    int left = kMostOrders;
    products_.ForEachOfOneFactor([&](const Linear& order,
                                     const Linear& products) {
      auto larger = order.At(at), of_products = products.At(at);
      bool wrong = larger && of_products && *larger >= 0 && *of_products < 0;
      if (!wrong || left == 0 || Known(node, order)) return;
      --left;
      if (!MayBe(node, {-order - 1}))
        Consequences::AddNew(node, {order, false, node.depth});
    });
    if (node.facts.size() == before) return false;
    consequences_->AddTo(node, before);
    node.probed = node.depth;
    return true;
  }

  // The same of a choice that is not violated, but says what a factor of a
  // product is that is none at the point: as a fact it is multiplied.
  Outcome ByFactor(Node& node, const Bounds& bounds,
                   std::span<const int64_t> at) {
    std::set<Var> factors;
    for (const Product& p : problem_.products) {
      if (Products::Holds(p, at)) continue;
      for (const Linear* l : {&p.a, &p.b}) {
        for (const auto& [v, c] : l->terms()) factors.insert(v);
      }
    }
    std::optional<Choice> choice = Fewest(
        node, bounds, [&](const Formula& f) { return Mentions(f, factors); });
    if (choice) return Divide(node, *choice);
    points_left_ = 0;
    return Unknown();
  }

  static bool Mentions(const Formula& f, const std::set<Var>& any) {
    const auto& terms = f.linear.terms();
    return std::any_of(
               terms.begin(), terms.end(),
               [&](const auto& t) { return any.count(t.first) != 0; }) ||
           std::any_of(f.parts.begin(), f.parts.end(),
                       [&](const Formula& p) { return Mentions(p, any); });
  }

  // Some alternative holds. If one is refuted without being part of the reason,
  // so is the node.
  Outcome Divide(const Node& node, const Choice& choice) {
    bool unknown = false;
    Decisions because = Only(0) | Only(choice.decision);
    const int decision = node.depth + 1;
    // What constants decide of a lemma may leave one alternative of it.
    const Formula& f = choice.formula;
    bool several = f.kind == Formula::Kind::kAny;
    for (const Formula& part :
         several ? std::span(f.parts) : std::span(&f, 1)) {
      Node child = node;
      child.depth = decision;
      if (!child.Add(part, decision)) continue;
      consequences_->AddTo(child, node.facts.size());
      Outcome o = Explore(std::move(child));
      if (o.point.answer == Answer::kSome) return o;
      if (o.point.answer == Answer::kUnknown) {
        if (points_left_ <= 0 || restart_) return Unknown();
        unknown = true;
        continue;
      }
      if (!o.because[static_cast<size_t>(decision)]) return o;
      because |= o.because;
    }
    if (unknown) return Unknown();
    because.reset(static_cast<size_t>(decision));
    return Refuted(because);
  }

  // --- products --------------------------------------------------------------

  // Of what products must satisfy, and do not at the point, what leaves the
  // fewest alternatives: often one, and then nothing is divided.
  std::optional<Formula> Narrowest(Node& node, const Bounds& bounds,
                                   std::span<const int64_t> at) {
    std::vector<Formula> all = products_.ViolatedGrowth(at);
    if (all.empty()) return std::nullopt;
    if (node.compared < kLookAhead) return all[0];
    size_t best = 0;
    int fewest = kAlternatives;
    for (size_t i = 0; i < all.size() && fewest > 1; ++i) {
      // Constants may have left one alternative.
      if (all[i].kind != Formula::Kind::kAny) return all[i];
      int left = 0;
      for (const Formula& part : all[i].parts) {
        if (left < fewest && bounds.MayHold(part) && Feasible(node, part))
          ++left;
      }
      if (left >= fewest) continue;
      fewest = left;
      best = i;
    }
    return all[best];
  }

  // Whether the facts of the node leave a point in which a conjunction holds.
  bool Feasible(Node& node, const Formula& conjunction) {
    Node more;
    return more.Add(conjunction, 0) &&
           PointOf(node, more.facts).point.answer != Answer::kNone;
  }

  // --- quotients -------------------------------------------------------------

  // Adds by how much a quotient is at least smaller than another of its
  // divisor, as far as that is little. False: nothing is added.
  bool Probe(Node& node) {
    size_t before = node.facts.size();
    for (const Quotient& a : problem_.quotients) {
      for (const Quotient& b : problem_.quotients) {
        if (&a == &b || a.by != b.by) continue;
        std::optional<Linear> of_a = ProductOf(a), of_b = ProductOf(b);
        if (of_a && of_b) Compare(node, a.value - b.value, *of_a - *of_b, a.by);
      }
    }
    return node.facts.size() > before;
  }

  // `more`, and its product with the divisor.
  void Compare(Node& node, const Linear& more, const Linear& product,
               const Linear& by) {
    for (int64_t least = 1; least >= -kMostProbed; --least) {
      const Linear below = -more + (least - 1);  // natural: it is less
      if (Known(node, below)) continue;
      if (MayBe(node, {more - least, product - by * least})) return;
      size_t from = node.facts.size();
      Consequences::AddNew(node, {below, false, node.depth});
      Consequences::AddNew(node,
                           {-product + by * (least - 1), false, node.depth});
      consequences_->AddTo(node, from);
    }
  }

  std::optional<Linear> ProductOf(const Quotient& q) const {
    if (q.by.is_constant()) return q.value * q.by.constant();
    for (const Product& p : problem_.products) {
      if (p.a == q.value && p.b == q.by) return p.value;
      if (p.b == q.value && p.a == q.by) return p.value;
    }
    return std::nullopt;
  }

  static bool Known(const Node& node, const Linear& natural) {
    return std::any_of(node.facts.begin(), node.facts.end(),
                       [&](const Fact& f) { return f.linear == natural; });
  }

  // Whether the facts of the node leave a point in which all are natural.
  bool MayBe(Node& node, const std::vector<Linear>& natural) {
    std::vector<Fact> more;
    for (const Linear& l : natural) more.push_back({l, false, 0});
    return PointOf(node, more).point.answer != Answer::kNone;
  }

  // What two values of one function must satisfy and do not.
  std::optional<Formula> ViolatedCongruence(std::span<const int64_t> at) const {
    for (const Congruence& c : problem_.congruences) {
      std::vector<Formula> parts{Eq(c.difference, 0)};
      for (const Linear& l : c.zero) parts.push_back(Ne(l, 0));
      if (auto f = products_.Violated(Any(std::move(parts)), at)) return f;
    }
    return std::nullopt;
  }

  // All holds there, if nothing has left 64 bits.
  Point Complete(Point& at) const {
    for (const Formula& f : problem_.formulas) {
      if (!f.At(at.values).value_or(false)) return {};
    }
    for (const Product& p : problem_.products) {
      if (!Products::Holds(p, at.values)) return {};
    }
    return std::move(at);
  }

  Problem problem_;
  const Products products_{problem_};
  For for_;
  std::optional<Consequences> consequences_;  // once the root is known
  IntegerPoints points_;
  int points_left_;
  std::vector<std::vector<int64_t>> found_;  // integer points, of any node
  bool root_probed_ = false, restart_ = false;
  static constexpr int kMostCuts = 12;
  static constexpr int64_t kMostProbed = 2;
  static constexpr int kMostOrders = 8;
  static constexpr int kLookAhead = 1;
  static constexpr int kAlternatives = 6;
};

thread_local Observer* observer = nullptr;

Point Answered(const Problem& problem, const Effort& effort) {
  // The first ends after a few points where linear arithmetic is not enough.
  Effort twice = effort, half = effort;
  twice.points *= 2;
  half.points /= 2;
  Point at = Search(problem, twice, Search::For::kLinearProof).Run();
  if (at.answer == Answer::kUnknown)
    at = Search(problem, effort, Search::For::kProof).Run();
  if (at.answer != Answer::kUnknown || effort.refute_only) return at;
  return Search(problem, half, Search::For::kPoint).Run();
}

}  // namespace

Point Solve(const Problem& problem, const Effort& effort) {
  Point out = Answered(problem, effort);
  if (observer != nullptr) observer->hear_(problem, out);
  return out;
}

Observer::Observer(Hear hear) : hear_(std::move(hear)), outer_(observer) {
  observer = this;
}

Observer::~Observer() { observer = outer_; }

}  // namespace tilesim::checkers::solver
