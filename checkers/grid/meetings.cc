#include "checkers/grid/meetings.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

#include "checkers/grid/by_words.h"
#include "checkers/grid/question.h"
#include "checkers/grid/same_place.h"
#include "checkers/grid/strides.h"
#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
using solver::All;
using solver::Answer;
using solver::Any;
using solver::Eq;
using solver::Lt;
using solver::Ne;

namespace {

using Cta = Question::Cta;

Formula Differ(const std::array<Linear, 3>& a, const std::array<Linear, 3>& b) {
  return Any({Ne(a[0], b[0]), Ne(a[1], b[1]), Ne(a[2], b[2])});
}

Formula Before(const std::array<Linear, 3>& a, const std::array<Linear, 3>& b) {
  return Any({Lt(a[0], b[0]), All({Eq(a[0], b[0]), Lt(a[1], b[1])}),
              All({Eq(a[0], b[0]), Eq(a[1], b[1]), Lt(a[2], b[2])})});
}

enum class Who : uint8_t { kClusters, kOneCluster };

// Whether an execution of one, and of the other, are as many iterations on.
bool InStep(const Terms& terms, const Access& a, const Access& b) {
  if (!a.each_iteration || !b.each_iteration ||
      a.iterations.size() != b.iterations.size())
    return false;
  for (size_t i = 1; i < a.iterations.size(); ++i) {
    if (a.iterations[i].of != b.iterations[i].of ||
        !terms.OfLaunch(a.iterations[i].of))
      return false;
  }
  return true;
}

class Judge {
 public:
  Judge(const Accesses& accesses, const Words& words, Who who,
        const Unordered* unordered, const solver::Effort& effort, Within within)
      : accesses_(accesses),
        words_(words),
        who_(who),
        unordered_(unordered),
        effort_(effort),
        within_(within),
        by_words_(accesses, words, effort) {}

  std::vector<Meeting> Run() {
    const std::vector<Access>& all = accesses_.all;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t k = i; k < all.size(); ++k) Pair(all[i], all[k]);
    }
    return std::move(out_);
  }

 private:
  void Pair(const Access& a, const Access& b) {
    bool harmless = !Executed(a) || !Executed(b) || a.decl != b.decl ||
                    (!a.write && !b.write) || AreAtomic(a.atomic, b.atomic);
    if (harmless || !IsAsked(a, b)) return;
    if (!OnePlaceEach(a.decl)) return out_.push_back({&a, &b, false, {}, true});
    if (!InWholeBytes(a) || !InWholeBytes(b))
      return out_.push_back({&a, &b, false, {}, false, {}, true});
    Question question(accesses_.terms);
    Ask(question, a, b);
    solver::Effort effort = effort_;
    if (AnyPlace(a) || AnyPlace(b)) effort.points /= kLittle;
    solver::Point at = question.Answer(effort);
    if (at.answer == Answer::kNone) return;
    Meeting& m = out_.emplace_back(
        Meeting{&a, &b, InStep(accesses_.terms, a, b), {}, false});
    if (at.answer != Answer::kSome) return;
    m.example = Smaller(a, b, ExampleAt(accesses_, question, at.values));
    if (&a == &b && who_ == Who::kOneCluster) AddOthers(a, m);
  }

  // At smaller sizes, as long as half of them together will do: it is run.
  Example Smaller(const Access& a, const Access& b, Example at) {
    for (;;) {
      int64_t all = 0;
      for (const auto& [name, value] : at.sizes) all += value;
      if (all <= 1) return at;
      Question q(accesses_.terms);
      Ask(q, a, b);
      Linear sum;
      for (const auto& [name, value] : accesses_.params)
        sum += q.Of(value, Cta::kFirst);
      q.Require(Lt(sum, all / 2 + 1));
      solver::Point less = q.Answer(effort_);
      if (less.answer != Answer::kSome) return at;
      at = ExampleAt(accesses_, q, less.values);
    }
  }

  // Warps have parts of what they execute together, which the question does not
  // know. Boxes that begin next to each other have the most in common,
  // whichever begins first.
  void AddOthers(const Access& a, Meeting& m) {
    for (size_t d = 0; d < a.start.size(); ++d) {
      for (int64_t before : {1, -1}) {
        Question q(accesses_.terms);
        Ask(q, a, a);
        q.Require(Eq(q.Of(a.start[d], Cta::kFirst) + before,
                     q.Of(a.start[d], Cta::kSecond)));
        solver::Point at = q.Answer(effort_);
        if (at.answer == Answer::kSome)
          m.others.push_back(ExampleAt(accesses_, q, at.values));
      }
    }
  }

  bool IsAsked(const Access& a, const Access& b) const {
    return unordered_ == nullptr || unordered_->count(SitesOf({&a, &b})) != 0;
  }

  // Whether where it is hangs on what was not followed: then it is seldom apart
  // from others, and long to find out.
  bool AnyPlace(const Access& a) const {
    return DependsOn(a.start, accesses_.unknown);
  }

  bool DependsOn(const std::vector<Linear>& place,
                 const std::vector<Linear>& variables) const {
    Question q(accesses_.terms);
    for (const Linear& l : place) q.Of(l, Cta::kFirst);
    return std::any_of(
        variables.begin(), variables.end(),
        [&](const Linear& l) { return q.Asked(l, Cta::kFirst); });
  }

  bool Executed(const Access& a) const {
    return !words_.executed ||
           words_.executed->count(Site::Of(*a.op, a.operand, a.write)) != 0;
  }

  // Two CTAs of one launch, of different clusters, or of one; who is first is
  // no matter where both are asked the same.
  void TwoCtas(Question& q, bool same) const {
    q.Require(accesses_.launch, Cta::kFirst);
    for (const auto& [name, value] : accesses_.params) q.Of(value, Cta::kFirst);
    std::array<Linear, 3> first, second;
    for (size_t d = 0; d < 3; ++d) {
      first[d] = q.Of(accesses_.cluster[d], Cta::kFirst);
      second[d] = q.Of(accesses_.cluster[d], Cta::kSecond);
      q.Of(accesses_.cta[d], Cta::kFirst);
      q.Of(accesses_.cta[d], Cta::kSecond);
    }
    if (who_ == Who::kOneCluster) {
      for (size_t d = 0; d < 3; ++d) q.Require(Eq(first[d], second[d]));
      return;
    }
    q.Require(same ? Before(first, second) : Differ(first, second));
  }

  void Ask(Question& q, const Access& a, const Access& b) {
    TwoCtas(q, &a == &b);
    q.Require(a.when, Cta::kFirst);
    q.Require(b.when, Cta::kSecond);
    const std::vector<Linear>& shape = accesses_.tensors.at(a.decl).shape;
    for (size_t d = 0; d < a.start.size(); ++d) {
      Linear low = q.Of(a.start[d], Cta::kFirst);
      Linear other = q.Of(b.start[d], Cta::kSecond);
      q.Require(Lt(low, other + q.Of(b.extent[d], Cta::kSecond)));
      q.Require(Lt(other, low + q.Of(a.extent[d], Cta::kFirst)));
      if (within_ == Within::kAnywhere) continue;
      const Linear end = q.Of(shape[d], Cta::kFirst);
      q.Require(Lt(low, end));
      q.Require(Lt(other, end));
    }
    if (who_ == Who::kOneCluster) {
      if (&a == &b) Another(q, a);
      if (unordered_ != nullptr) InNoOrder(q, a, b);
    }
    HandOutOnce(q);
    if (who_ == Who::kClusters) by_words_.Require(q, a, b);
  }

  // --- one cluster
  // ------------------------------------------------------------

  // Two executions of one op, the earlier one first: of another CTA, in another
  // iteration, or by another warp. Where the place is the same for all warps,
  // they execute it together, and have parts of it that no size changes.
  void Another(Question& q, const Access& a) const {
    std::vector<Linear> which(accesses_.cta.begin(), accesses_.cta.end());
    for (const Access::Iteration& t : a.iterations) which.push_back(t.number);
    std::vector<Formula> any, equal;
    for (const Linear& l : which) {
      Linear first = q.Of(l, Cta::kFirst), second = q.Of(l, Cta::kSecond);
      std::vector<Formula> before = equal;
      before.push_back(Lt(first, second));
      any.push_back(All(std::move(before)));
      equal.push_back(Eq(first, second));
    }
    const Together same = WhoMakes(accesses_, a);
    if (same != Together::kAllWarps) {
      const Linear& who = same == Together::kWarpsOfGroup ? accesses_.warpgroup
                                                          : accesses_.warp;
      equal.push_back(OtherNumber(q, who, who));
      any.push_back(All(std::move(equal)));
    }
    q.Require(Any(std::move(any)));
  }

  // Two executions that nothing orders, as far as runs show.
  void InNoOrder(Question& q, const Access& a, const Access& b) const {
    std::vector<Formula> any;
    for (const auto& [r, known] : unordered_->at(SitesOf({&a, &b}))) {
      std::vector<Formula> all;
      Formula other_cta = OtherCta(q);
      all.push_back(r.one_cta ? Not(other_cta) : other_cta);
      if (r.iteration != Relation::Iteration::kAny)
        all.push_back(OfIterations(q, a, b, r.iteration, known.apart));
      if (r.warps != Relation::Warps::kAny) {
        Formula other = OtherNumber(q, accesses_.warp, accesses_.warp);
        const bool same = r.warps == Relation::Warps::kSame;
        all.push_back(same ? Not(std::move(other)) : std::move(other));
      }
      if (!known.share) all.push_back(OtherPlace(q, a, b));
      any.push_back(All(std::move(all)));
    }
    q.Require(Any(std::move(any)));
  }

  static Formula OfIterations(Question& q, const Access& a, const Access& b,
                              Relation::Iteration iteration,
                              std::optional<int64_t> apart) {
    std::vector<Formula> differ;
    for (size_t i = 0; i < a.iterations.size(); ++i)
      differ.push_back(
          OtherNumber(q, a.iterations[i].number, b.iterations[i].number));
    Formula other = Any(std::move(differ));
    if (iteration == Relation::Iteration::kSame) return Not(other);
    auto first = ExecutionOf(a), second = ExecutionOf(b);
    if (!apart || !first || !second) return other;
    Linear between = q.Of(*first, Cta::kFirst) - q.Of(*second, Cta::kSecond);
    return All(
        {std::move(other), Lt(between, *apart + 1), Lt(-between, *apart + 1)});
  }

  // How often it was executed before. nullopt: it is not linear.
  static std::optional<Linear> ExecutionOf(const Access& a) {
    Linear out;
    for (size_t i = 0; i < a.iterations.size(); ++i) {
      if (i > 0 && !a.iterations[i].of.is_constant()) return std::nullopt;
      if (i > 0) out *= a.iterations[i].of.constant();
      out += a.iterations[i].number;
    }
    return out;
  }

  Formula OtherCta(Question& q) const {
    std::vector<Formula> differ;
    for (const Linear& c : accesses_.cta)
      differ.push_back(OtherNumber(q, c, c));
    return Any(std::move(differ));
  }

  static Formula OtherPlace(Question& q, const Access& a, const Access& b) {
    std::vector<Formula> differ;
    for (size_t d = 0; d < a.start.size(); ++d)
      differ.push_back(OtherNumber(q, a.start[d], b.start[d]));
    return Any(std::move(differ));
  }

  static Formula OtherNumber(Question& q, const Linear& first,
                             const Linear& second) {
    return Ne(q.Of(first, Cta::kFirst), q.Of(second, Cta::kSecond));
  }

  // --- cluster launch control
  // --------------------------------------------------

  // Cluster launch control hands out a cluster once, and none that is launched.
  void HandOutOnce(Question& q) const {
    for (const HandedOut& answer : accesses_.handed_out) {
      for (Cta cta : {Cta::kFirst, Cta::kSecond}) {
        if (!Asked(q, answer, cta)) continue;
        Cta other = cta == Cta::kFirst ? Cta::kSecond : Cta::kFirst;
        Formula refused = Eq(q.Of(answer.valid, cta), 0);
        q.Require(
            Any({refused, Differ(Of(q, answer, cta), Launched(q, other))}));
        if (cta == Cta::kSecond) continue;
        for (const HandedOut& its : accesses_.handed_out) {
          if (!Asked(q, its, other)) continue;
          std::vector<Formula> either{
              refused, Eq(q.Of(its.valid, other), 0),
              Differ(Of(q, answer, cta), Of(q, its, other))};
          if (who_ == Who::kOneCluster) {
            // The n-th of another query may be this one's n-th or any other.
            if (&answer != &its || !answer.iteration) continue;
            either.push_back(
                Eq(q.Of(*answer.iteration, cta), q.Of(*its.iteration, other)));
          }
          q.Require(Any(std::move(either)));
        }
      }
    }
  }

  static bool Asked(const Question& q, const HandedOut& answer, Cta cta) {
    return std::any_of(answer.cta.begin(), answer.cta.end(),
                       [&](const Linear& l) { return q.Asked(l, cta); });
  }

  static std::array<Linear, 3> Of(Question& q, const HandedOut& answer,
                                  Cta cta) {
    return {q.Of(answer.cta[0], cta), q.Of(answer.cta[1], cta),
            q.Of(answer.cta[2], cta)};
  }

  // The first CTA of the cluster that a CTA is of.
  std::array<Linear, 3> Launched(Question& q, Cta cta) const {
    std::array<Linear, 3> out;
    for (size_t d = 0; d < 3; ++d)
      out[d] = q.Of(accesses_.cluster[d], cta) * accesses_.cluster_size[d];
    return out;
  }

  bool OnePlaceEach(int32_t decl) {
    auto [known, fresh] = one_place_.try_emplace(decl);
    if (fresh) known->second = grid::OnePlaceEach(accesses_, decl, effort_);
    return known->second;
  }

  bool InWholeBytes(const Access& a) {
    auto [known, fresh] = whole_bytes_.try_emplace(&a);
    if (fresh) known->second = grid::InWholeBytes(accesses_, a, effort_);
    return known->second;
  }

  static constexpr int kLittle = 10;

  const Accesses& accesses_;
  const Words& words_;
  const Who who_;
  const Unordered* unordered_;
  const solver::Effort effort_;
  const Within within_;
  ByWords by_words_;
  std::map<int32_t, bool> one_place_;
  std::map<const Access*, bool> whole_bytes_;
  std::vector<Meeting> out_;
};

}  // namespace

SitePair SitesOf(const Meeting& m) {
  auto site = [](const Access& a) {
    return Site::Of(*a.op, a.operand, a.write);
  };
  return std::minmax(site(*m.first), site(*m.second));
}

// docs/all_sizes.md 5.1: what is not known may be any number, so that the
// question has a solution if the program has such a pair.
std::vector<Meeting> MeetingsIn(const Accesses& accesses, const Words& words,
                                const solver::Effort& effort, Within within) {
  return Judge(accesses, words, Who::kClusters, nullptr, effort, within).Run();
}

std::vector<Meeting> MeetingsInCluster(const Accesses& accesses,
                                       const Words& words,
                                       const Unordered* unordered,
                                       const solver::Effort& effort,
                                       Within within) {
  return Judge(accesses, words, Who::kOneCluster, unordered, effort, within)
      .Run();
}

}  // namespace tilesim::checkers::grid
