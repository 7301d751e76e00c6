#include "checkers/grid/cases.h"

#include <algorithm>
#include <vector>

#include "checkers/grid/coverage.h"
#include "checkers/grid/question.h"

namespace tilesim::checkers::grid {
using solver::All;
using solver::Answer;
using solver::Not;

namespace {

using Cta = Question::Cta;

// Conditions that are tried. Each is two more proofs.
constexpr size_t kMostCases = 4;

bool StoresTo(const Access& a, int32_t decl) {
  return a.write && a.decl == decl;
}

// Under which something is stored, of sizes alone.
std::vector<Formula> ConditionsOfSizes(const Accesses& accesses, int32_t decl) {
  std::vector<Formula> out;
  for (const Access& a : accesses.all) {
    if (!StoresTo(a, decl) || !a.guarded) continue;
    std::copy_if(a.guarded->guards.begin(), a.guarded->guards.end(),
                 std::back_inserter(out), [&](const Formula& guard) {
                   return accesses.terms.OfLaunch(guard);
                 });
  }
  out.resize(std::min(out.size(), kMostCases));
  return out;
}

// The sizes for which it holds, without the stores that are not made there.
Accesses Where(Accesses accesses, const Formula& condition, int32_t decl) {
  accesses.launch = All({accesses.launch, condition});
  std::erase_if(accesses.all, [&](const Access& a) {
    if (!StoresTo(a, decl)) return false;
    Question q(accesses.terms);
    q.Require(accesses.launch, Cta::kFirst);
    q.Require(a.when, Cta::kFirst);
    return q.Answer(kRefute).answer == Answer::kNone;
  });
  return accesses;
}

}  // namespace

// docs/all_sizes.md 5.4: both parts of the sizes are all of them.
bool StoresAllInCases(const Accesses& accesses, const machine::Code& code,
                      const Words& words, int32_t decl) {
  if (StoresAll(accesses, code, words, decl)) return true;
  const std::vector<Formula> conditions = ConditionsOfSizes(accesses, decl);
  return std::any_of(
      conditions.begin(), conditions.end(), [&](const Formula& one) {
        return StoresAll(Where(accesses, one, decl), code, words, decl) &&
               StoresAll(Where(accesses, Not(one), decl), code, words, decl);
      });
}

}  // namespace tilesim::checkers::grid
