#include "checkers/grid/meetings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "checkers/grid/question.h"

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

class Judge {
 public:
  Judge(const Accesses& accesses, const Words& words,
        const solver::Effort& effort)
      : accesses_(accesses), words_(words), effort_(effort) {}

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
                    (!a.write && !b.write) || (a.atomic && b.atomic);
    if (harmless) return;
    if (!OnePlaceEach(a.decl)) return out_.push_back({&a, &b, {}, true});
    Question question(accesses_.terms);
    Ask(question, a, b);
    solver::Effort effort = effort_;
    if (AnyPlace(a) || AnyPlace(b)) effort.points /= kLittle;
    solver::Point at = question.Answer(effort);
    if (at.answer == Answer::kNone) return;
    Meeting& m = out_.emplace_back(Meeting{&a, &b, {}, false});
    if (at.answer == Answer::kSome) m.example = ExampleAt(question, at.values);
  }

  // Whether where it is hangs on what was not followed: then it is seldom apart
  // from others, and long to find out.
  bool AnyPlace(const Access& a) const {
    Question q(accesses_.terms);
    for (const Linear& l : a.start) q.Of(l, Cta::kFirst);
    return std::any_of(
        accesses_.unknown.begin(), accesses_.unknown.end(),
        [&](const Linear& l) { return q.Asked(l, Cta::kFirst); });
  }

  bool Executed(const Access& a) const {
    return !words_.executed ||
           words_.executed->count(Site::Of(*a.op, a.operand, a.write)) != 0;
  }

  // Two CTAs of one launch, of different clusters; who is first is no matter
  // where both are asked the same.
  void TwoClusters(Question& q, bool same) const {
    q.Require(accesses_.launch, Cta::kFirst);
    for (const auto& [name, value] : accesses_.params) q.Of(value, Cta::kFirst);
    std::array<Linear, 3> first, second;
    for (size_t d = 0; d < 3; ++d) {
      first[d] = q.Of(accesses_.cluster[d], Cta::kFirst);
      second[d] = q.Of(accesses_.cluster[d], Cta::kSecond);
      q.Of(accesses_.cta[d], Cta::kFirst);
      q.Of(accesses_.cta[d], Cta::kSecond);
    }
    q.Require(same ? Before(first, second) : Differ(first, second));
  }

  void Ask(Question& q, const Access& a, const Access& b) {
    TwoClusters(q, &a == &b);
    q.Require(a.when, Cta::kFirst);
    q.Require(b.when, Cta::kSecond);
    for (size_t d = 0; d < a.start.size(); ++d) {
      Linear low = q.Of(a.start[d], Cta::kFirst);
      Linear other = q.Of(b.start[d], Cta::kSecond);
      q.Require(Lt(low, other + q.Of(b.extent[d], Cta::kSecond)));
      q.Require(Lt(other, low + q.Of(a.extent[d], Cta::kFirst)));
    }
    HandOutOnce(q);
    Unordered(q, a, b);
  }

  // --- words -----------------------------------------------------------------

  // No word puts `a` of the first CTA and `b` of the second in order.
  void Unordered(Question& q, const Access& a, const Access& b) {
    Handing of_a = HandingOf(a), of_b = HandingOf(b);
    // One CTA draws the last number of a word, after all others have counted.
    bool counted = (of_a.after_all && (of_b.after_all || of_b.counted)) ||
                   (of_b.after_all && of_a.counted);
    if (counted)
      Apart(q, words_.count, Cta::kFirst, words_.count, Cta::kSecond);
    Told(q, of_a, Cta::kFirst, of_b, Cta::kSecond);
    Told(q, of_b, Cta::kSecond, of_a, Cta::kFirst);
  }

  // The CTA that has set a flag after its access is not the one for whose flag
  // the other has waited.
  void Told(Question& q, const Handing& setter, Cta sets, const Handing& waiter,
            Cta waits) {
    for (int32_t decl : setter.sets) {
      if (waiter.waits.count(decl) == 0 || !SetOnce(decl)) continue;
      Apart(q, SiteIn(words_.set, decl), sets, SiteIn(words_.wait, decl),
            waits);
    }
  }

  Handing HandingOf(const Access& a) const {
    auto at = words_.handed.find(Site::Of(*a.op, a.operand, a.write));
    return at == words_.handed.end() ? Handing() : at->second;
  }

  static std::optional<Site> SiteIn(const std::map<int32_t, Site>& sites,
                                    int32_t decl) {
    auto at = sites.find(decl);
    return at == sites.end() ? std::nullopt : std::optional(at->second);
  }

  const Access* AccessAt(const std::optional<Site>& site) const {
    for (const Access& a : accesses_.all) {
      if (site && Site::Of(*a.op) == *site) return &a;
    }
    return nullptr;
  }

  // The word of an op by one CTA is not that of an op by the other.
  void Apart(Question& q, const std::optional<Site>& one, Cta by,
             const std::optional<Site>& other, Cta by_other) {
    const Access *a = AccessAt(one), *b = AccessAt(other);
    if (a == nullptr || b == nullptr) return;
    std::vector<Formula> differ;
    for (size_t d = 0; d < a->start.size(); ++d)
      differ.push_back(Ne(q.Of(a->start[d], by), q.Of(b->start[d], by_other)));
    q.Require(Any(std::move(differ)));
  }

  // Whether each word of the flags is set by one CTA at most: who has seen it
  // knows by whom.
  bool SetOnce(int32_t decl) {
    auto [known, fresh] = set_once_.try_emplace(decl);
    if (!fresh) return known->second;
    const Access* set = AccessAt(SiteIn(words_.set, decl));
    if (set == nullptr) return false;
    Question q(accesses_.terms);
    TwoClusters(q, true);
    q.Require(set->when, Cta::kFirst);
    q.Require(set->when, Cta::kSecond);
    for (const Linear& l : set->start)
      q.Require(Eq(q.Of(l, Cta::kFirst), q.Of(l, Cta::kSecond)));
    return known->second = q.Answer(effort_).answer == Answer::kNone;
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
          q.Require(Any({refused, Eq(q.Of(its.valid, other), 0),
                         Differ(Of(q, answer, cta), Of(q, its, other))}));
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

  Example ExampleAt(const Question& q,
                    const std::vector<int64_t>& values) const {
    Example out;
    for (const auto& [name, value] : accesses_.params)
      out.sizes[name] = q.ValueOf(value, Cta::kFirst, values);
    out.sm_count = std::max<int64_t>(
        1, q.ValueOf(accesses_.sm_count, Cta::kFirst, values));
    for (size_t d = 0; d < 3; ++d) {
      out.first[d] = q.ValueOf(accesses_.cta[d], Cta::kFirst, values);
      out.second[d] = q.ValueOf(accesses_.cta[d], Cta::kSecond, values);
    }
    return out;
  }

  // --- strides
  // -----------------------------------------------------------------

  // Whether different elements of a tensor lie at different places: in some
  // order of its dimensions a step along one leaves room for all of the next.
  bool OnePlaceEach(int32_t decl) {
    auto [known, fresh] = one_place_.try_emplace(decl);
    if (fresh) known->second = AnyOrderFits(accesses_.tensors.at(decl));
    return known->second;
  }

  bool AnyOrderFits(const Tensor& t) const {
    if (t.strides.empty()) return true;
    std::vector<size_t> order(t.strides.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      if (Fits(t, order)) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
  }

  bool Fits(const Tensor& t, const std::vector<size_t>& order) const {
    Terms terms = accesses_.terms;
    for (size_t i = 0; i < order.size(); ++i) {
      size_t inner = i + 1 < order.size() ? order[i + 1] : order[i];
      bool last = i + 1 == order.size();
      Linear room =
          last ? Linear(1) : terms.Multiply(t.strides[inner], t.shape[inner]);
      Question q(terms);
      q.Require(accesses_.launch, Cta::kFirst);
      q.Require(
          Lt(q.Of(t.strides[order[i]], Cta::kFirst), q.Of(room, Cta::kFirst)));
      if (q.Answer(effort_).answer != Answer::kNone) return false;
    }
    return true;
  }

  static constexpr int kLittle = 10;

  const Accesses& accesses_;
  const Words& words_;
  const solver::Effort effort_;
  std::map<int32_t, bool> set_once_;
  std::map<int32_t, bool> one_place_;
  std::vector<Meeting> out_;
};

}  // namespace

std::vector<Meeting> MeetingsIn(const Accesses& accesses, const Words& words,
                                const solver::Effort& effort) {
  return Judge(accesses, words, effort).Run();
}

}  // namespace tilesim::checkers::grid
