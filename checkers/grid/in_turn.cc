#include "checkers/grid/in_turn.h"

#include <algorithm>
#include <cstddef>

#include "checkers/grid/depends.h"
#include "checkers/grid/question.h"
#include "checkers/proof/condition.h"
#include "ir/warp.h"

namespace tilesim::checkers::grid {
using solver::Answer;
using solver::Any;
using solver::Eq;
using solver::Ne;
using solver::Not;

namespace {

using Cta = Question::Cta;

constexpr size_t kMostUnits = 4;  // each is one more CTA of a question

// One CTA and one point of the loops around the access, as seen by several of
// its warps. What memory says, or loops that are over, is anything for each.
class Warps {
 public:
  Warps(const Accesses& all, const Access& a, const std::vector<int64_t>& warps)
      : all_(all), a_(a), q_(all.terms, std::max<size_t>(2, warps.size())) {
    q_.Require(all.launch, Cta::kFirst);
    for (size_t i = 0; i < warps.size(); ++i) {
      const Cta one = static_cast<Cta>(i);
      q_.Require(Eq(all.warp, warps[i]), one);
      q_.Require(Eq(all.warpgroup, warps[i] / ir::kWarpgroupWarps), one);
      // It is executed by them all, but for the conditions.
      q_.Require(a.guarded->when, one);
      if (i == 0) continue;
      for (const Linear& cta : all.cta) Same(cta, one);
      for (const Access::Iteration& t : a.iterations) Same(t.number, one);
    }
  }

  void Require(const Formula& f, Cta warp) { q_.Require(f, warp); }
  // The first and the second store at places that differ, or the second not.
  void Differ(const Formula& turn) {
    std::vector<Formula> differ{q_.Of(Not(turn), Cta::kSecond)};
    for (const Linear& l : a_.start)
      differ.push_back(Ne(q_.Of(l, Cta::kFirst), q_.Of(l, Cta::kSecond)));
    q_.Require(Any(std::move(differ)));
  }
  bool MayBe() { return q_.Answer(kRefute).answer != Answer::kNone; }

 private:
  void Same(const Linear& l, Cta other) {
    q_.Require(Eq(q_.Of(l, Cta::kFirst), q_.Of(l, other)));
  }

  const Accesses& all_;
  const Access& a_;
  Question q_;
};

}  // namespace

std::vector<WarpUnit> UnitsOf(const std::vector<int64_t>& executing,
                              int64_t warps_needed) {
  std::vector<WarpUnit> out;
  for (const int64_t w : executing) {
    const bool next =
        out.empty() || warps_needed == 1 ||
        out.back()[0] / ir::kWarpgroupWarps != w / ir::kWarpgroupWarps;
    if (next) out.emplace_back();
    out.back().push_back(w);
  }
  const bool units = warps_needed == 1 || warps_needed == ir::kWarpgroupWarps;
  const bool whole = std::all_of(out.begin(), out.end(), [&](const auto& unit) {
    return static_cast<int64_t>(unit.size()) == warps_needed;
  });
  return units && whole ? out : std::vector<WarpUnit>();
}

Turns TurnsOf(const Accesses& all, const Access::Guarded& guarded) {
  Turns out;
  for (const Formula& guard : guarded.guards) {
    const bool of_warp = Depends(
        all.terms, guard, {*all.warp.variable(), *all.warpgroup.variable()});
    (of_warp ? out.turns : out.others).push_back(guard);
  }
  return out;
}

bool StoreTogether(const Accesses& all, const Access& a, const Formula& turn,
                   const WarpUnit& unit) {
  const auto alike = [&](int64_t one, int64_t other) {
    Warps both(all, a, {one, other});
    both.Require(turn, Cta::kFirst);
    both.Differ(turn);
    return !both.MayBe();
  };
  for (size_t i = 1; i < unit.size(); ++i) {
    if (!alike(unit[0], unit[i]) || !alike(unit[i], unit[0])) return false;
  }
  return true;
}

bool OneIsInTurn(const Accesses& all, const Access& a, const Formula& turn,
                 const std::vector<WarpUnit>& units) {
  if (units.empty() || units.size() > kMostUnits) return false;
  if (!proof::IsJudged(proof::Condition::kOneInTurn)) return true;
  std::vector<int64_t> firsts;
  for (const WarpUnit& unit : units) firsts.push_back(unit[0]);
  Warps none(all, a, firsts);
  for (size_t i = 0; i < firsts.size(); ++i)
    none.Require(Not(turn), static_cast<Cta>(i));
  return !none.MayBe();
}

}  // namespace tilesim::checkers::grid
